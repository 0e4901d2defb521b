//! What a session comes to under every schedule: results that are a function of the turn, and of nothing else.

use std::collections::BTreeSet;
use std::sync::Arc;

use toolwright::env::Tick;
use toolwright::event::{Event, Recorder, Stamped};
use toolwright::message::{ToolUse, Turn};
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SiblingPolicy};
use toolwright_sim::check;
use toolwright_sim::engine::Simulation;

use super::world::{Draw, Fate, Script, Work, ms, number, run};

const SEEDS: u64 = 200;

/// The results, which must be the same under every seed; the invariants must hold under each.
fn results(script: &Script) -> Vec<String> {
    let first = run(script, None).results();
    for seed in 0..SEEDS {
        let ran = run(script, Some(seed));
        let broken = check::all(&ran.events, number(script.cap));
        assert!(broken.is_empty(), "seed {seed}: {broken:#?}\n{}", ran.lines());
        assert_eq!(ran.results(), first, "seed {seed}: {script:#?}\n{}", ran.lines());
    }
    first
}

fn rewritten(fate: Fate) -> Fate {
    Fate { hook: "rewrite", ..fate }
}

#[test]
fn results_are_a_function_of_the_turn() {
    for number in 0..150 {
        let mut draw = Draw::new(50_000 + number);
        let mut script = Script { abort_ms: None, interrupt_ms: None, ..draw.script() };
        for turn in &mut script.turns {
            for (fate, apart) in turn.iter_mut().zip([1, 2, 3, 5, 7, 11, 13, 17]) {
                // Two who may answer at the same instant make a race, whose end is open; and so do a rewrite and the
                // start of a call that it would have held back.
                fate.racer = "";
                fate.hook_ms = fate.hook_ms * 100 + apart;
            }
        }
        let first = run(&script, None).results();
        for seed in 0..20 {
            let ran = run(&script, Some(seed));
            assert_eq!(ran.results(), first, "script {number}, seed {seed}: {script:#?}\n{}", ran.lines());
        }
    }
}

#[test]
fn a_change_of_context_is_seen_by_later_batches_and_by_no_earlier_call() {
    let moves = Fate { end: "move", ..Fate::alone(10) };
    let turn = vec![Fate::safe(10), Fate::safe(0), moves, Fate::safe(5), Fate::alone(5)];
    assert_eq!(
        results(&Script::new(vec![turn])),
        ["t0c0 in /", "t0c1 in /", "t0c2 in /", "t0c3 in /after/t0c2", "t0c4 in /after/t0c2"]
    );
}

#[test]
fn a_call_that_was_rewritten_to_run_alone_may_change_the_context_of_those_behind_it() {
    let moves = rewritten(Fate { end: "move", ..Fate::safe(10) });
    // Those behind it have not begun when it is rewritten: their hooks take longer.
    let behind = |ms| Fate { hook_ms: 5, ..Fate::safe(ms) };
    let turn = vec![Fate::safe(10), moves, behind(0), behind(20)];
    assert_eq!(
        results(&Script::new(vec![turn])),
        ["t0c0 in /", "t0c1 in /", "t0c2 in /after/t0c1", "t0c3 in /after/t0c1"]
    );
}

#[test]
fn a_change_of_context_by_a_call_that_ran_beside_others_is_dropped_and_reported() {
    let turn = vec![Fate { end: "move", ..Fate::safe(10) }, Fate::safe(20), Fate::alone(0)];
    let script = Script::new(vec![turn]);
    assert_eq!(results(&script), ["t0c0 in /", "t0c1 in /", "t0c2 in /"]);
    let dropped = |stamped: &&Stamped| matches!(stamped.event, Event::ContextChangeDropped { .. });
    assert_eq!(run(&script, None).events.iter().filter(dropped).count(), 1);
}

#[test]
fn calls_that_are_rewritten_to_run_alone_do_not_wait_for_each_other() {
    for size in 2..=3 {
        for hook_ms in [0, 10] {
            let turn =
                (0..size).map(|n| Fate { hook_ms: n * hook_ms, ..rewritten(Fate::safe(10)) }).collect();
            let script = Script::new(vec![turn]);
            assert_eq!(results(&script).len(), usize::try_from(size).expect("small"));
            for seed in 0..SEEDS {
                assert_eq!(most_at_once(&run(&script, Some(seed)).events), 1, "seed {seed}");
            }
        }
    }
}

fn most_at_once(events: &[Stamped]) -> usize {
    let (mut running, mut most) = (0_usize, 0);
    for stamped in events {
        match &stamped.event {
            Event::Started { .. } => running += 1,
            Event::Finished { .. } => running -= 1,
            _other => {}
        }
        most = most.max(running);
    }
    most
}

#[test]
fn of_failures_at_the_same_instant_the_earliest_in_the_turn_is_the_cause() {
    let turn = || {
        vec![Fate::safe(50), Fate::shell(20, "fail"), Fate::shell(20, "fail"), Fate::safe(20), Fate::alone(0)]
    };
    let cancelled = "! the call was cancelled while it ran: the parallel call Shell failed";
    let never = "! the call was cancelled before it ran: the parallel call Shell failed";
    let marked = Script { siblings: SiblingPolicy::Marked, ..Script::new(vec![turn()]) };
    assert_eq!(results(&marked), [cancelled, "! t0c1 failed", "! t0c2 failed", "t0c3 in /", never]);
    let mut any = Script { siblings: SiblingPolicy::Any, ..Script::new(vec![turn()]) };
    any.turns[0][2].tool = "Work";
    assert_eq!(results(&any), [cancelled, "! t0c1 failed", "! t0c2 failed", "t0c3 in /", never]);
    any.turns[0][1].tool = "Work";
    let by_work = |text: &str| text.replace("Shell", "Work");
    assert_eq!(
        results(&any),
        [&by_work(cancelled), "! t0c1 failed", "! t0c2 failed", "t0c3 in /", &by_work(never)]
    );
}

#[test]
fn only_a_body_that_ran_and_failed_fells_under_marked_and_no_one_does_under_none() {
    let denied = Fate { hook: "deny", ..Fate::shell(10, "ok") };
    let unmarked = Fate { end: "fail", ..Fate::safe(10) };
    let marked = Script {
        siblings: SiblingPolicy::Marked,
        ..Script::new(vec![vec![denied, unmarked, Fate { garbled: true, ..Fate::alone(0) }, Fate::safe(30)]])
    };
    assert_eq!(results(&marked)[3], "t0c3 in /");
    let none = Script::new(vec![vec![Fate::shell(10, "fail"), Fate::shell(10, "panic"), Fate::safe(30)]]);
    assert_eq!(results(&none), ["! t0c0 failed", "! the tool panicked: t0c1 panicked", "t0c2 in /"]);
}

#[test]
fn whenever_a_turn_is_aborted_every_call_has_its_result_and_the_next_turn_runs() {
    let slow = Fate { hook_ms: 10, post_ms: 10, ..Fate::safe(20) };
    let asked = Fate { asks: true, person: "allow", person_ms: 30, ..Fate::alone(10) };
    let turn = vec![slow.clone(), Fate { end: "fail", ..slow }, asked, rewritten(Fate::safe(10))];
    for abort in 0..30 {
        let turns = vec![turn.clone(), vec![Fate::safe(500)]];
        let script = Script { abort_ms: Some(abort * 4), ..Script::new(turns) };
        for seed in 0..50 {
            let ran = run(&script, Some(seed));
            let broken = check::all(&ran.events, number(10));
            assert!(broken.is_empty(), "abort at {abort}, seed {seed}: {broken:#?}\n{}", ran.lines());
            assert_eq!(ran.results().len(), 5);
        }
    }
}

#[test]
fn an_abort_does_not_wait_for_hooks_after_the_body_and_keeps_its_result() {
    let hangs = Fate { post_ms: 400_000, ..Fate::safe(10) };
    let failed = Fate { end: "fail", ..hangs.clone() };
    let script = Script { abort_ms: Some(20), ..Script::new(vec![vec![hangs, failed, Fate::alone(10)]]) };
    let never = "! the call was cancelled before it ran: the turn was aborted";
    assert_eq!(results(&script), ["t0c0 in /", "! t0c1 failed", never]);
    let ended = run(&script, Some(1)).events.last().expect("there are events").at;
    assert_eq!(ended, Tick::default() + ms(20));
}

#[test]
fn a_new_message_stops_what_may_be_stopped_lets_the_rest_finish_and_starts_nothing() {
    let turn = vec![Fate::shell(50, "ok"), Fate::safe(50), Fate::alone(10)];
    let script = Script { interrupt_ms: Some(20), ..Script::new(vec![turn]) };
    assert_eq!(
        results(&script),
        [
            "! the call was cancelled while it ran: the user interrupted",
            "t0c1 in /",
            "! the call was cancelled before it ran: the user interrupted"
        ]
    );
}

#[test]
fn a_dropped_turn_ends_before_the_next_one_begins() {
    for seed in 0..SEEDS {
        let simulation = Simulation::new(Some(seed));
        let recorder = Arc::new(Recorder::default());
        let env = simulation.env().with_sink(Arc::clone(&recorder) as _);
        let mut catalogue = Catalogue::new();
        catalogue.add::<Work>();
        let session = Arc::new(Session::builder(env.clone(), catalogue).build());
        let turn = |turn: usize| {
            let input = |safe| format!(r#"{{"safe":{safe},"asks":false,"ms":20,"end":"ok"}}"#);
            let safe = [true, true, false, true];
            let call =
                |(index, safe): (usize, &bool)| ToolUse::new(format!("{turn}.{index}"), "Work", input(*safe));
            Turn::new(safe.iter().enumerate().map(call).collect())
        };
        let ended = simulation.run(async move {
            let mut running = session.start_turn(turn(0)).await;
            let first = env.timeout(ms(10 + seed % 30), running.next()).await;
            drop(running);
            (first.is_ok(), session.run_turn(turn(1)).await.results)
        });
        let (_, results) = ended.expect("nothing waits for ever");
        assert!(results.iter().all(|result| !result.is_error), "seed {seed}: {results:?}");
        let events = recorder.take();
        let broken = check::all(&events, number(10));
        assert!(broken.is_empty(), "seed {seed}: {broken:#?}");
    }
}

#[test]
fn a_race_has_one_winner_and_both_can_win() {
    let asked =
        Fate { asks: true, person: "allow", person_ms: 10, racer: "deny", racer_ms: 10, ..Fate::safe(0) };
    let script = Script::new(vec![vec![asked]]);
    let ends: BTreeSet<bool> =
        (0..SEEDS).map(|seed| run(&script, Some(seed)).results()[0].starts_with('!')).collect();
    assert_eq!(ends.len(), 2);
}
