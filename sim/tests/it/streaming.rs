//! The streaming executor: calls start while their message still arrives, as the planner says, and whatever becomes
//! of the message, each call of it is accounted for.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use toolwright::env::{Env, TaskName, Tick};
use toolwright::event::{Event, Outcome, Recorder, Stamped};
use toolwright::message::{CallId, Message, ToolUse, Turn};
use toolwright::query::{Budget, End, ModelEvent, Spent, Step};
use toolwright::registry::Catalogue;
use toolwright::scheduler::plan;
use toolwright::session::{Session, SiblingPolicy};
use toolwright_sim::check;
use toolwright_sim::engine::Simulation;

use super::conversation::unpaired;
use super::model::{Close, Speaker, Spoken, broken_line};
use super::world::{Shell, Work, ms, number, silence_written_panics};

/// A call: whether it is safe, how long it takes, and how long after the one before it arrives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    pub(crate) safe: bool,
    pub(crate) ms: u64,
    pub(crate) after_ms: u64,
}

/// When the body of each call starts, worked out from the plan alone: batch after batch, in the order of the calls, at
/// most `cap` at a time.
pub(crate) fn planned_starts(calls: &[Arriving], cap: usize) -> Vec<u64> {
    let (mut starts, mut ends): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    let mut arrived = 0;
    for batch in plan(&calls.iter().map(|call| call.safe).collect::<Vec<_>>()) {
        let before = ends.iter().copied().max().unwrap_or(0);
        for call in &calls[batch.calls.clone()] {
            arrived += call.after_ms;
            let mut start = arrived.max(before).max(starts.last().copied().unwrap_or(0));
            loop {
                let beside: Vec<u64> =
                    ends[batch.calls.start..].iter().copied().filter(|&end| end > start).collect();
                match beside.iter().min() {
                    Some(&free) if beside.len() >= cap => start = free,
                    _free => break,
                }
            }
            starts.push(start);
            ends.push(start + call.ms);
        }
    }
    starts
}

fn use_of(index: usize, tool: &str, safe: bool, ms: u64, end: &str) -> ToolUse {
    let input = format!(r#"{{"safe":{safe},"asks":false,"ms":{ms},"end":"{end}"}}"#);
    ToolUse::new(format!("c{index}"), tool, input)
}

/// A world, a session in it, and what happens there.
struct Stage {
    simulation: Simulation,
    env: Env,
    recorder: Arc<Recorder>,
    session: Arc<Session>,
}

impl Stage {
    fn new(seed: Option<u64>, cap: usize, siblings: SiblingPolicy) -> Stage {
        silence_written_panics();
        let simulation = Simulation::new(seed);
        let recorder = Arc::new(Recorder::default());
        let env = simulation.env().with_sink(Arc::clone(&recorder) as _);
        let mut catalogue = Catalogue::new();
        catalogue.add::<Work>().add::<Shell>();
        let session = Session::builder(env.clone(), catalogue).cap(number(cap)).siblings(siblings).build();
        Stage { simulation, env, recorder, session: Arc::new(session) }
    }

    fn plain(seed: u64) -> Stage {
        Stage::new(Some(seed), 10, SiblingPolicy::Marked)
    }

    /// Calls something on the session at a time.
    fn at(&self, at_ms: u64, what: impl FnOnce(&Session) + Send + 'static) {
        let (env, session) = (self.env.clone(), Arc::clone(&self.session));
        let work = async move {
            env.sleep(ms(at_ms)).await;
            what(&session);
        };
        drop(self.env.spawn(TaskName { kind: "outside", index: 0 }, work));
    }

    fn step(&self, spoken: Spoken) -> Result<Step, toolwright::query::ModelError> {
        let (session, model) = (Arc::clone(&self.session), Speaker::new(&self.env, [spoken]));
        let step = async move {
            let step = session.step(&model).await;
            // What was dropped has ended when the next turn runs.
            session.run_turn(Turn::default()).await;
            step
        };
        self.simulation.run(step).expect("the step ends")
    }

    /// Everything that happened; all of it in order.
    fn events(&self, cap: usize) -> Vec<Stamped> {
        let events = self.recorder.take();
        let broken = check::all(&events, number(cap));
        assert!(broken.is_empty(), "{broken:#?}\n{events:#?}");
        events
    }

    fn texts(&self) -> Vec<String> {
        let conversation = self.session.conversation();
        assert_eq!(unpaired(&conversation), None);
        let json = |message: &Message| serde_json::to_string(&message.content).expect("messages serialise");
        conversation.iter().map(json).collect()
    }
}

fn times(events: &[Stamped], of: impl Fn(&Event) -> Option<&CallId>) -> BTreeMap<String, Tick> {
    events.iter().filter_map(|stamped| Some((of(&stamped.event)?.to_string(), stamped.at))).collect()
}

fn started(event: &Event) -> Option<&CallId> {
    if let Event::Started { call, .. } = event { Some(call) } else { None }
}

fn given(event: &Event) -> Option<&CallId> {
    if let Event::Result { call, .. } = event { Some(call) } else { None }
}

fn arriving() -> impl Strategy<Value = Arriving> {
    let call = (prop::bool::weighted(0.7), 0..5_u64, prop_oneof![2 => Just(0), 3 => 1..6_u64]);
    call.prop_map(|(safe, ms, after)| Arriving { safe, ms: ms * 10, after_ms: after * 5 })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whether the calls are submitted one by one or come from a model that speaks, every body starts at the moment
    /// that the plan allows, and not a moment later.
    #[test]
    fn for_every_turn_and_every_pattern_of_arrival_the_admissions_are_those_of_the_plan(
        calls in prop::collection::vec(arriving(), 0..12),
        cap in 1..5_usize,
        seed in prop::option::of(any::<u64>()),
        through_loop in any::<bool>(),
    ) {
        let stage = Stage::new(seed, cap, SiblingPolicy::None);
        let uses: Vec<_> = calls.iter().enumerate()
            .map(|(index, call)| (call.after_ms, use_of(index, "Work", call.safe, call.ms, "ok"))).collect();
        if through_loop {
            stage.step(Spoken::calls(uses)).expect("the model answers");
        } else {
            let (env, session) = (stage.env.clone(), Arc::clone(&stage.session));
            let submitted = async move {
                let mut open = session.start_streaming(None).await;
                for (after, call) in uses {
                    env.sleep(ms(after)).await;
                    assert!(open.submit(call));
                }
                let mut turn = open.close();
                while turn.next().await.is_some() {}
            };
            stage.simulation.run(submitted).expect("the turn ends");
        }
        let events = stage.events(cap);
        let starts = times(&events, started);
        let starts: Vec<u64> = (0..calls.len()).map(|index| starts[&format!("c{index}")].millis()).collect();
        prop_assert_eq!(starts, planned_starts(&calls, cap));
        let batches: Vec<usize> = events.iter().filter_map(|stamped| match &stamped.event {
            Event::Planned { batch, .. } => Some(*batch),
            _other => None,
        }).collect();
        let safe: Vec<bool> = calls.iter().map(|call| call.safe).collect();
        let planned = plan(&safe).into_iter().enumerate();
        let planned: Vec<usize> = planned.flat_map(|(batch, calls)| calls.calls.map(move |_| batch)).collect();
        prop_assert_eq!(batches, planned);
    }
}

#[test]
fn a_call_starts_and_its_result_is_handed_over_while_the_message_still_streams() {
    for seed in 0..50 {
        let stage = Stage::plain(seed);
        let mut spoken = Spoken::calls([
            (10, use_of(0, "Work", true, 20, "ok")),
            (10, use_of(1, "Work", true, 20, "ok")),
            (30, use_of(2, "Work", false, 5, "ok")),
        ]);
        spoken.pause_ms = 1_000;
        assert_eq!(stage.step(spoken), Ok(Step::Called));
        let events = stage.events(10);
        let millis =
            |times: BTreeMap<String, Tick>| times.into_values().map(Tick::millis).collect::<Vec<_>>();
        assert_eq!(millis(times(&events, started)), [10, 20, 50]);
        assert_eq!(millis(times(&events, given)), [30, 40, 55]);
        stage.texts();
    }
}

#[test]
fn a_call_that_arrives_after_a_sibling_has_failed_is_cancelled_on_arrival() {
    for seed in 0..50 {
        let stage = Stage::plain(seed);
        let spoken = Spoken::calls([
            (0, use_of(0, "Shell", true, 20, "fail")),
            (10, use_of(1, "Work", true, 50, "ok")),
            (50, use_of(2, "Work", true, 0, "ok")),
            (0, use_of(3, "Work", false, 0, "ok")),
        ]);
        assert_eq!(stage.step(spoken), Ok(Step::Called));
        let events = stage.events(10);
        assert_eq!(times(&events, started).len(), 2, "what came too late never starts");
        let results = &stage.texts()[1];
        assert!(results.contains("the call was cancelled while it ran: the parallel call Shell failed"));
        let never = "the call was cancelled before it ran: the parallel call Shell failed";
        assert_eq!(results.matches(never).count(), 2, "{results}");
    }
}

#[test]
fn the_calls_of_a_message_that_breaks_off_are_stopped_and_nobody_gets_their_results() {
    for seed in 0..100 {
        let stage = Stage::plain(seed);
        stage.session.push(Message::user("go"));
        let mut spoken = Spoken::calls([
            (0, use_of(0, "Work", true, 5, "ok")),
            (0, use_of(1, "Work", true, 500, "say")),
            (0, use_of(2, "Work", false, 5, "ok")),
        ]);
        spoken.pause_ms = 5 + seed % 3 * 5;
        spoken.close = Close::Breaks;
        assert_eq!(stage.step(spoken), Err(broken_line()));
        assert_eq!(stage.texts().len(), 1, "the conversation is as it was");
        let events = stage.events(10);
        assert_eq!(times(&events, given).len(), 3, "observers see how each call ended");
        let is_cut = |stamped: &&Stamped| matches!(&stamped.event, Event::Finished { call, outcome: Outcome::Cancelled } if call.as_str() == "c1");
        assert_eq!(events.iter().filter(is_cut).count(), 1);
        assert!(events.last().expect("there are events").at.millis() < 100, "nobody waits for them");
    }
}

#[test]
fn an_open_turn_that_is_dropped_stops_its_calls_and_the_next_turn_waits_for_them() {
    for seed in 0..50 {
        for drops_message in [false, true] {
            let stage = Stage::plain(seed);
            let (env, session) = (stage.env.clone(), Arc::clone(&stage.session));
            let outcome = stage.simulation.run(async move {
                let mut open = session.start_streaming(Some("msg_1".to_owned())).await;
                open.submit(use_of(0, "Work", true, 500, "ok"));
                assert!(!open.submit(use_of(0, "Work", true, 0, "ok")), "its result would have no place");
                env.sleep(ms(10)).await;
                if drops_message {
                    open.drop_message()
                } else {
                    drop(open)
                }
                session.run_turn(Turn::new(vec![use_of(1, "Work", false, 0, "ok")])).await
            });
            assert!(!outcome.expect("the turns end").results[0].is_error);
            stage.events(10);
        }
    }
}

#[test]
fn an_abort_in_the_middle_of_a_message_keeps_its_complete_calls_and_answers_each() {
    for seed in 0..20 {
        // An abort before the step has begun would reach nothing.
        for abort_ms in 1..25 {
            let stage = Stage::plain(seed);
            stage.at(abort_ms * 5, Session::abort);
            let mut spoken = Spoken::calls([
                (10, use_of(0, "Work", true, 10, "ok")),
                (10, use_of(1, "Work", false, 30, "say")),
                (10, use_of(2, "Absent", false, 0, "ok")),
                (10, use_of(3, "Work", true, 30, "ok")),
            ]);
            spoken.close = Close::Hangs;
            assert_eq!(stage.step(spoken), Ok(Step::Aborted));
            let texts = stage.texts();
            assert!(abort_ms * 5 < 10 || texts.len() >= 2 || (texts.is_empty() && abort_ms * 5 == 10));
            assert!(abort_ms * 5 >= 10 || texts.is_empty(), "a message without calls is dropped");
            stage.events(10);
        }
    }
}

#[test]
fn a_new_message_stops_what_may_be_stopped_and_waits_for_the_results_of_the_rest() {
    for seed in 0..50 {
        let stage = Stage::plain(seed);
        stage.at(20, |session| session.send(Message::user("wait")));
        let spoken = Spoken::calls([
            (0, use_of(0, "Work", true, 50, "ok")),
            (0, use_of(1, "Shell", true, 50, "ok")),
            (0, use_of(2, "Work", false, 50, "ok")),
            (40, use_of(3, "Work", true, 0, "ok")),
        ]);
        assert_eq!(stage.step(spoken), Ok(Step::Called));
        let texts = stage.texts();
        assert_eq!(texts.len(), 3, "{texts:#?}");
        assert!(texts[1].contains("c0 in /") && texts[2].contains("wait"), "{texts:#?}");
        let stopped = "the call was cancelled while it ran: the user interrupted";
        let never = "the call was cancelled before it ran: the user interrupted";
        assert_eq!((texts[1].matches(stopped).count(), texts[1].matches(never).count()), (1, 2));
        stage.events(10);
    }
}

#[test]
fn a_message_that_comes_while_the_model_gives_its_last_answer_is_answered_too() {
    let stage = Stage::plain(1);
    stage.at(5, |session| session.send(Message::user("and this?")));
    let text = |text: &str| Spoken { events: vec![(10, ModelEvent::text(0, text))], ..Spoken::calls([]) };
    let model = Speaker::new(&stage.env, [text("first"), text("second")]);
    let session = Arc::clone(&stage.session);
    let end = stage.simulation.run(async move { session.run(&model, "go", Budget::default()).await });
    assert_eq!(end, Ok(End::Answered("second".to_owned())));
    let said = ["go", "first", "and this?", "second"];
    assert!(stage.texts().iter().zip(said).all(|(text, said)| text.contains(said)));
}

#[test]
fn a_run_out_of_time_stops_its_calls_and_answers_each() {
    for (time_ms, spoken_ms) in [(30, 0), (30, 100), (0, 0), (5, 10)] {
        let stage = Stage::plain(time_ms);
        let mut spoken = Spoken::calls([
            (spoken_ms, use_of(0, "Work", true, 10, "ok")),
            (0, use_of(1, "Work", false, 5_000, "ok")),
        ]);
        spoken.pause_ms = 10;
        let model = Speaker::new(&stage.env, [spoken]);
        let session = Arc::clone(&stage.session);
        let budget = Budget { time_max: Some(ms(time_ms)), ..Budget::default() };
        let end = stage.simulation.run(async move { session.run(&model, "go", budget).await });
        assert_eq!(end, Ok(End::OutOfBudget(Spent::Time)));
        let texts = stage.texts().join(" ");
        // At the very instant either may come first.
        let has_cause = texts.contains("the time for this run was over");
        assert!(time_ms == spoken_ms || has_cause == (spoken_ms < time_ms), "{texts}");
        let events = stage.events(10);
        assert!(events.iter().all(|stamped| stamped.at.millis() <= time_ms));
    }
}

#[test]
fn a_run_out_of_tokens_ends_with_the_results_of_its_last_calls() {
    let stage = Stage::plain(3);
    let usage = |input, output| {
        let usage = toolwright::query::Usage { input, output, ..Default::default() };
        (0, ModelEvent::Usage(usage))
    };
    let answer = |index: usize| {
        let mut spoken = Spoken::calls([(0, use_of(index, "Work", true, 10, "ok"))]);
        // A later count of the same answer stands in the place of the first.
        spoken.events.extend([usage(100, 1), usage(100, 50)]);
        spoken
    };
    let model = Speaker::new(&stage.env, (0..9).map(answer));
    let session = Arc::clone(&stage.session);
    let budget = Budget { tokens_max: Some(301), ..Budget::default() };
    let end = stage.simulation.run(async move { session.run(&model, "go", budget).await });
    assert_eq!(end, Ok(End::OutOfBudget(Spent::Tokens)));
    assert_eq!(stage.texts().len(), 1 + 3 * 2);
}

#[test]
fn what_was_said_once_is_sent_again_byte_for_byte() {
    for seed in 0..50 {
        let stage = Stage::plain(seed);
        stage.at(35, |session| session.send(Message::user("wait")));
        let ends = ["ok", "fail", "panic", "say", "move"];
        let answer = |turn: usize| {
            let call = |index| use_of(turn * 10 + index, "Work", index != 1, 10, ends[(turn + index) % 5]);
            Spoken::calls((0..3).map(|index| (5, call(index))))
        };
        let model = Arc::new(Speaker::new(&stage.env, (0..5).map(answer)));
        let (session, asked) = (Arc::clone(&stage.session), Arc::clone(&model));
        let run = async move { session.run(&*asked, "go", Budget::default()).await };
        stage.simulation.run(run).expect("the run ends");
        let bytes = |request: &toolwright::query::Request| {
            serde_json::to_string(&*request.messages).expect("messages serialise")
        };
        let requests: Vec<String> =
            model.requests.lock().expect("nobody panicked").iter().map(bytes).collect();
        assert_eq!(requests.len(), 6);
        for pair in requests.windows(2) {
            let beginning = pair[0].strip_suffix(']').expect("it is a list");
            assert!(
                pair[1].starts_with(beginning) && pair[1].len() > pair[0].len(),
                "seed {seed}: {pair:#?}"
            );
        }
        stage.events(10);
    }
}
