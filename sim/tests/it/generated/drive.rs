//! Runs a generated session in a world of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use toolwright::env::{Env, TaskName, Tick};
use toolwright::event::{Event, EventSink, Recorder, Refusal, Stamped};
use toolwright::message::{Message, ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{RunningTurn, Session};
use toolwright_sim::engine::{Simulation, Stuck};

use super::super::model::{Speaker, Spoken};
use super::super::world::{Fate, Person, Scripted, Shell, Work, id, ms, number, work};
use super::case::{Case, Stop, TurnCase, Way, What, When};

/// Like `Work`, within 25 ms; what it does after 15 ms it does in vain.
#[tool(concurrency_safe = |work| work.safe, read_only = |work| !work.asks, timeout = "25ms")]
struct Limited {
    /// Whether it may run beside others.
    safe: bool,
    /// Whether a person must be asked.
    asks: bool,
    /// How long it takes.
    ms: u64,
    /// How it ends.
    end: String,
}

impl Tool for Limited {
    type Output = Reply<String>;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        if self.asks { Effects::unknown("it wants to be asked about") } else { Effects::none() }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Reply<String>, ToolError> {
        let call = cx.call_id().as_str();
        match cx.timeout(ms(15), work(&self.end, self.ms, call, cx)).await {
            Ok(ended) => ended,
            Err(_late) => work(&self.end, self.ms.saturating_sub(15), call, cx).await,
        }
    }
}

/// What a run came to.
pub(super) struct Ran {
    pub(super) events: Vec<Stamped>,
    /// How many results each turn gave to whoever ran it.
    pub(super) ends: Result<Vec<usize>, Stuck>,
    pub(super) conversation: Arc<Vec<Message>>,
    /// The events after which somebody did something.
    pub(super) rung: Vec<(usize, What)>,
}

impl Ran {
    pub(super) fn lines(&self) -> String {
        let line = |event| serde_json::to_string(event).expect("events serialise") + "\n";
        self.events.iter().map(line).collect()
    }

    /// How many calls ended because their task was stopped, and not in words of their own.
    pub(super) fn lost(&self) -> usize {
        let is_lost =
            |stamped: &&Stamped| matches!(stamped.event, Event::Refused { step: Refusal::Lost, .. });
        self.events.iter().filter(is_lost).count()
    }
}

/// Keeps events, and rings a bell after some of them.
struct Bells {
    recorder: Recorder,
    heard: AtomicUsize,
    bells: Vec<(usize, Arc<Notify>)>,
}

impl EventSink for Bells {
    fn emit(&self, event: Event, now: &dyn Fn() -> Tick) {
        self.recorder.emit(event, now);
        let heard = self.heard.fetch_add(1, Ordering::Relaxed) + 1;
        self.bells.iter().filter(|(at, _)| *at == heard).for_each(|(_, bell)| bell.notify_one());
    }
}

pub(super) fn drive(case: &Case) -> Ran {
    let simulation = Simulation::new(case.seed);
    let bells = case.stops.iter().filter_map(|stop| match stop.when {
        When::Event(at) => Some((at, Arc::default())),
        When::Ms(_) => None,
    });
    let bells =
        Arc::new(Bells { recorder: Recorder::default(), heard: AtomicUsize::new(0), bells: bells.collect() });
    let env = simulation.env().with_sink(Arc::clone(&bells) as _);
    let session = Arc::new(session(case, &env));
    stops(case, &env, &session, &bells.bells);
    let (turns, kept) = (case.turns.clone(), Arc::clone(&session));
    let ends = simulation.run(async move {
        let mut ends = Vec::new();
        for (index, turn) in turns.into_iter().enumerate() {
            ends.push(run_turn(&env, &session, index, turn).await);
        }
        // What was dropped has ended when the next turn runs.
        session.run_turn(Turn::default()).await;
        ends
    });
    let events = bells.recorder.take();
    let rung = case.stops.iter().filter_map(|stop| match stop.when {
        When::Event(at) => (at <= events.len()).then_some((at - 1, stop.what)),
        When::Ms(_) => None,
    });
    Ran { rung: rung.collect(), events, ends, conversation: kept.conversation() }
}

fn session(case: &Case, env: &Env) -> Session {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>().add::<Shell>().add::<Limited>();
    let fates = case.turns.iter().enumerate().flat_map(|(turn, TurnCase { calls, .. })| {
        calls.iter().enumerate().map(move |(index, fate)| (id(turn, index), fate.clone()))
    });
    let fates = Arc::new(fates.collect());
    Session::builder(env.clone(), catalogue)
        .siblings(case.siblings)
        .cap(number(case.cap))
        .hook(Scripted { env: env.clone(), fates: Arc::clone(&fates) })
        .prompter(Person { env: env.clone(), fates })
        .build()
}

fn stops(case: &Case, env: &Env, session: &Arc<Session>, bells: &[(usize, Arc<Notify>)]) {
    let mut bells = bells.iter();
    for (index, &Stop { when, what }) in case.stops.iter().enumerate() {
        let (clock, session) = (env.clone(), Arc::clone(session));
        let bell = match when {
            When::Event(_) => bells.next().map(|(_, bell)| Arc::clone(bell)),
            When::Ms(_) => None,
        };
        let stop = async move {
            match (when, bell) {
                (When::Ms(after), _) => clock.sleep(ms(after)).await,
                (When::Event(_), Some(bell)) => bell.notified().await,
                (When::Event(_), None) => unreachable!("there is a bell for each"),
            }
            match what {
                What::Abort => session.abort(),
                What::Interrupt => session.interrupt(),
                What::NewMessage => session.send(Message::user("one more thing")),
            }
        };
        drop(env.spawn(TaskName { kind: "person outside", index }, stop));
    }
}

/// Runs one turn its way; gives how many results came.
async fn run_turn(env: &Env, session: &Session, turn: usize, case: TurnCase) -> usize {
    let TurnCase { calls, gaps_ms, way } = case;
    let call =
        |(index, fate): (usize, &Fate)| ToolUse::new(id(turn, index), fate.tool, fate.input(fate.safe));
    let calls: Vec<ToolUse> = calls.iter().enumerate().map(call).collect();
    match way {
        Way::Whole => session.run_turn(Turn::new(calls)).await.results.len(),
        Way::Abandoned { after_ms } => {
            let running = session.run_turn(Turn::new(calls));
            env.timeout(ms(after_ms), running).await.map_or(0, |outcome| outcome.results.len())
        }
        Way::Streamed | Way::Dropped { .. } => {
            let mut open = session.start_streaming(None).await;
            for (call, gap) in calls.into_iter().zip(gaps_ms) {
                env.sleep(ms(gap)).await;
                open.submit(call);
            }
            if let Way::Dropped { pause_ms } = way {
                env.sleep(ms(pause_ms)).await;
                open.drop_message();
                return 0;
            }
            count(open.close()).await
        }
        Way::Spoken { close } => {
            let spoken = Spoken { close, ..Spoken::calls(gaps_ms.into_iter().zip(calls)) };
            // However it ends, what it says is in the conversation.
            drop(session.step(&Speaker::new(env, [spoken])).await);
            0
        }
    }
}

async fn count(mut turn: RunningTurn<'_>) -> usize {
    let mut results = 0;
    while turn.next().await.is_some() {
        results += 1;
    }
    results
}
