//! Calls that touch the same thing, and calls whose input changes whether they may run beside others: what each sees
//! is the same under every schedule.

use std::sync::{Arc, Mutex, PoisonError};

use proptest::prelude::*;
use toolwright::event::{Event, Recorder};
use toolwright::message::{ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright_sim::check;
use toolwright_sim::engine::Simulation;

use super::world::{Fate, Script, ms, number, run};

type Cell = Arc<Mutex<String>>;

/// Writes, slowly, in two halves.
#[tool(state = Cell, default_permission = allow)]
struct Put {
    /// What is there afterwards.
    text: String,
}

impl Tool for Put {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        for text in ["half", &self.text] {
            cx.sleep(ms(10)).await;
            *cx.state().lock().unwrap_or_else(PoisonError::into_inner) = text.to_owned();
        }
        Ok("written".to_owned())
    }
}

/// Reads, after a while.
#[tool(read_only, concurrency_safe, state = Cell)]
struct Get {
    /// After how many milliseconds.
    ms: u64,
}

impl Tool for Get {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        cx.sleep(ms(self.ms)).await;
        Ok(cx.state().lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

fn seen(seed: u64, turn: &[&str]) -> Vec<String> {
    let simulation = Simulation::new(Some(seed));
    let recorder = Arc::new(Recorder::default());
    let cell: Cell = Arc::new(Mutex::new("before".to_owned()));
    let mut catalogue = Catalogue::new();
    catalogue.add_with::<Put>(Arc::clone(&cell)).add_with::<Get>(cell);
    let env = simulation.env().with_sink(Arc::clone(&recorder) as _);
    let session = Arc::new(Session::builder(env, catalogue).build());
    let call = |(index, what): (usize, &&str)| match *what {
        "get" => ToolUse::new(format!("c{index}"), "Get", format!(r#"{{"ms":{}}}"#, index * 7 % 11)),
        text => ToolUse::new(format!("c{index}"), "Put", format!(r#"{{"text":"{text}"}}"#)),
    };
    let turn = Turn::new(turn.iter().enumerate().map(call).collect());
    let results = simulation.run(async move { session.run_turn(turn).await.results }).expect("the turn ends");
    assert_eq!(check::all(&recorder.take(), number(10)), []);
    results.iter().map(|result| result.content.to_text()).collect()
}

#[test]
fn a_read_behind_a_write_sees_all_of_it_and_one_before_it_nothing() {
    for seed in 0..300 {
        assert_eq!(seen(seed, &["new", "get"]), ["written", "new"]);
        assert_eq!(seen(seed, &["get", "get", "new", "get"]), ["before", "before", "written", "new"]);
        assert_eq!(seen(seed, &["a", "b", "get", "c", "get"]), ["written", "written", "b", "written", "c"]);
    }
}

/// A call whose hook rewrites it, from safe to unsafe or back, and how long each part takes.
#[derive(Clone, Copy, Debug)]
struct Rewritten {
    safe: bool,
    rewrites: bool,
    hook_ms: u64,
    ms: u64,
}

impl Rewritten {
    fn fate(self) -> Fate {
        let hook = if self.rewrites { "rewrite" } else { "" };
        Fate { safe: self.safe, hook, hook_ms: self.hook_ms * 10, ..Fate::safe(self.ms * 10) }
    }
}

fn rewritten() -> impl Strategy<Value = Rewritten> {
    let parts = (prop::bool::weighted(0.8), prop::bool::weighted(0.5), 0..4_u64, 0..4_u64);
    parts.prop_map(|(safe, rewrites, hook_ms, ms)| Rewritten { safe, rewrites, hook_ms, ms })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Several at once, before or after others were admitted, with and without an abort in between.
    #[test]
    fn calls_that_are_rewritten_never_run_beside_what_they_must_not_and_never_wait_for_each_other(
        calls in prop::collection::vec(rewritten(), 1..8),
        cap in 1..6_usize,
        abort_ms in prop::option::weighted(0.4, 0..10_u64),
        seed in prop::option::of(any::<u64>()),
    ) {
        let fates: Vec<Fate> = calls.iter().map(|call| call.fate()).collect();
        let abort_ms = abort_ms.map(|n| n * 10);
        let script = Script { cap, abort_ms, ..Script::new(vec![fates]) };
        let ran = run(&script, seed);
        // A deadlock shows here: nothing can run, and calls wait.
        let results = ran.results();
        prop_assert_eq!(results.len(), calls.len());
        // Who runs beside whom is judged by the safety that counted at the time, from the events alone.
        let broken = check::all(&ran.events, number(cap));
        prop_assert!(broken.is_empty(), "{:#?}\n{}", broken, ran.lines());
        if abort_ms.is_none() {
            prop_assert!(results.iter().all(|result| !result.starts_with('!')), "{:?}", results);
            let rejudged = ran.events.iter().filter(|stamped| matches!(stamped.event, Event::Rejudged { .. }));
            prop_assert_eq!(rejudged.count(), calls.iter().filter(|call| call.rewrites).count());
        }
    }
}

/// The order in which bodies begin.
fn begun(script: &Script, seed: u64) -> Vec<String> {
    let ran = run(script, Some(seed));
    assert_eq!(check::all(&ran.events, number(script.cap)), []);
    let starts = ran.events.iter().filter_map(|stamped| match &stamped.event {
        Event::Started { call, .. } => Some(call.to_string()),
        _other => None,
    });
    starts.collect()
}

#[test]
fn a_call_that_became_unsafe_runs_at_its_own_place_before_all_that_had_not_started() {
    let unsafe_now = Fate { hook: "rewrite", hook_ms: 10, ..Fate::safe(10) };
    let behind = Fate { hook_ms: 20, ..Fate::safe(0) };
    let turn = vec![Fate::safe(50), unsafe_now, behind.clone(), behind, Fate::alone(0)];
    for seed in 0..200 {
        let begun = begun(&Script::new(vec![turn.clone()]), seed);
        assert_eq!(begun[..2], ["t0c0", "t0c1"], "seed {seed}");
        assert_eq!(begun[4], "t0c4");
    }
}

#[test]
fn a_call_that_became_safe_runs_beside_safe_calls_and_nothing_overtakes_what_came_before_it() {
    let safe_now = Fate { hook: "rewrite", hook_ms: 10, ..Fate::alone(30) };
    let turn = vec![Fate::safe(20), safe_now, Fate::safe(5), Fate::alone(0)];
    for seed in 0..200 {
        let begun = begun(&Script::new(vec![turn.clone()]), seed);
        assert_eq!([&begun[0], &begun[3]], ["t0c0", "t0c3"], "seed {seed}");
    }
}
