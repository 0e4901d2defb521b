//! When calls run, on real threads: order, barriers, the cap, and every way of stopping.

#![expect(clippy::disallowed_methods, reason = "tests stand outside the runtime, on real threads")]

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use toolwright::env::Env;
use toolwright::event::{Event, Outcome, Stamped};
use toolwright::message::{CallId, ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::scheduler::{Fells, Place, Shield, TurnRun, Work};
use toolwright::session::{Session, SiblingPolicy};

use super::world::{Log, World, on_each_runtime, probe, slow_probe, text};

fn number(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("tests use numbers above zero")
}

/// The bodies that ran beside each other: at each start, how many ran.
fn at_once(events: &[Stamped]) -> usize {
    let (mut running, mut most) = (BTreeSet::new(), 0);
    for stamped in events {
        match &stamped.event {
            Event::Started { call, .. } => drop(running.insert(call.clone())),
            Event::Finished { call, .. } => drop(running.remove(call)),
            _other => {}
        }
        most = most.max(running.len());
    }
    most
}

/// Starts and ends of bodies, such as `+a -a`.
fn moves(events: &[Stamped]) -> Vec<String> {
    let shown = |stamped: &Stamped| match &stamped.event {
        Event::Started { call, .. } => Some(format!("+{call}")),
        Event::Finished { call, .. } => Some(format!("-{call}")),
        _other => None,
    };
    events.iter().filter_map(shown).collect()
}

#[test]
fn results_come_in_the_order_of_the_calls_though_they_finish_in_another() {
    on_each_runtime(async || {
        let world = World::plain();
        world.run(vec![slow_probe("a", "ok", 400), slow_probe("b", "ok", 200), probe("c", "ok")]).await;
        let is_end = |entry: &String| entry.starts_with('-');
        let ended: Vec<_> = moves(&world.events()).into_iter().filter(is_end).collect();
        assert_eq!(ended, ["-c", "-b", "-a"]);
    });
}

#[test]
fn a_result_is_handed_over_while_later_calls_still_run() {
    on_each_runtime(async || {
        let world = World::plain();
        let turn = Turn::new(vec![probe("a", "ok"), slow_probe("b", "ok", 10_000)]);
        let mut running = world.session.start_turn(turn).await;
        assert_eq!(running.next().await.expect("there are two").tool_use_id, CallId::new("a"));
        world.session.abort();
        assert!(running.next().await.expect("there are two").is_error);
        assert_eq!(running.next().await, None);
    });
}

#[test]
fn at_most_the_cap_runs_at_once_and_all_of_it_is_used() {
    on_each_runtime(async || {
        for (cap, calls) in [(1, 3), (3, 9), (10, 20)] {
            let world = World::new(|builder| builder.cap(number(cap)));
            world.run((0..calls).map(|n: u32| slow_probe(&n.to_string(), "ok", 50)).collect()).await;
            assert_eq!(at_once(&world.events()), cap);
        }
    });
}

#[test]
fn a_call_that_is_not_safe_runs_alone_behind_all_before_it_and_before_all_behind_it() {
    on_each_runtime(async || {
        let world = World::plain();
        let calls = vec![
            slow_probe("a", "ok", 20),
            slow_probe("b", "ok", 5),
            probe("c", "alone"),
            slow_probe("d", "ok", 10),
            slow_probe("e", "alone", 5),
            probe("f", "alone"),
        ];
        world.run(calls).await;
        let moves = moves(&world.events());
        let batches: Vec<BTreeSet<&str>> =
            [&moves[..4], &moves[4..6], &moves[6..8], &moves[8..10], &moves[10..]]
                .map(|batch| batch.iter().map(String::as_str).collect())
                .to_vec();
        let wanted =
            [&["+a", "+b", "-a", "-b"][..], &["+c", "-c"], &["+d", "-d"], &["+e", "-e"], &["+f", "-f"]];
        assert_eq!(batches, wanted.map(|batch| batch.iter().copied().collect::<BTreeSet<_>>()));
    });
}

#[tokio::test(start_paused = true)]
async fn where_a_test_has_paused_time_the_sessions_time_is_the_tests() {
    let began = std::time::Instant::now();
    let world = World::plain();
    let hours = 3_600_000;
    let calls = vec![slow_probe("a", "alone", hours), slow_probe("b", "alone", 2 * hours)];
    world.run(calls).await;
    let ended = world.events().last().expect("there are events").at;
    assert!(ended.millis() >= 3 * hours, "{ended}");
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
fn an_empty_turn_ends_and_a_turn_of_a_thousand_calls_does() {
    on_each_runtime(async || {
        let world = World::plain();
        assert_eq!(world.run(Vec::new()).await, []);
        let does = |n: usize| ["ok", "alone", "fails", "is invalid", "first denies", "panic in call"][n % 6];
        let results = world.run((0..1_000).map(|n| probe(&n.to_string(), does(n))).collect()).await;
        assert_eq!(results.iter().filter(|result| !result.is_error).count(), 334);
        assert!(at_once(&world.events()) <= 10);
    });
}

#[test]
fn of_two_calls_with_one_identifier_the_first_is_run_and_answered() {
    on_each_runtime(async || {
        let world = World::plain();
        let calls = vec![probe("a", "ok"), probe("a", "fails"), probe("b", "ok"), probe("a", "ok")];
        let outcome = world.session.run_turn(Turn::new(calls)).await;
        let ids: Vec<_> = outcome.results.iter().map(|result| result.tool_use_id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(world.log.of("a").join(" "), "validate pre check call done post");
    });
}

#[test]
fn an_abort_leaves_every_call_with_its_one_result() {
    on_each_runtime(async || {
        let world = Arc::new(World::plain());
        let calls = vec![
            probe("a", "ok"),
            slow_probe("b", "ok", 60_000),
            slow_probe("c", "ok", 60_000),
            probe("d", "alone"),
            ToolUse::new("e", "Absent", "{}"),
        ];
        let stop = async {
            while world.log.of("c").len() < 4 {
                tokio::task::yield_now().await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
            world.session.abort();
        };
        let (results, ()) = tokio::join!(world.run(calls), stop);
        let said: Vec<_> = results.iter().map(text).collect();
        assert_eq!(said[0], "ok");
        assert!(
            said[1..3].iter().all(|said| said == "the call was cancelled while it ran: the turn was aborted")
        );
        assert!(
            said[3..].iter().all(|said| said == "the call was cancelled before it ran: the turn was aborted")
        );
        assert!(!world.run(vec![probe("f", "ok")]).await[0].is_error, "the session is usable");
    });
}

#[test]
fn aborts_and_interrupts_at_any_time_leave_every_call_with_its_one_result() {
    on_each_runtime(async || {
        let world = Arc::new(World::plain());
        for round in 0..150_u64 {
            let does = ["ok", "alone", "fails", "first makes it solitary", "panic in call", "note"];
            let call = |n: u64| {
                let does = does[usize::try_from((round + n) % 6).expect("small")];
                slow_probe(&format!("{round}.{n}"), does, n % 3)
            };
            let stop = async {
                for _ in 0..round * 3 {
                    tokio::task::yield_now().await;
                }
                if round % 2 == 0 { world.session.abort() } else { world.session.interrupt() }
            };
            tokio::join!(world.run((0..12).map(call).collect()), stop);
        }
        let begun = world.count(|event| matches!(event, Event::Started { .. }));
        assert_eq!(world.count(|event| matches!(event, Event::Finished { .. })), begun);
        assert_eq!(world.count(|event| matches!(event, Event::ResultRefused { .. })), 0);
    });
}

#[test]
fn a_dropped_turn_stops_its_calls_and_the_next_one_waits_for_them() {
    on_each_runtime(async || {
        let world = World::plain();
        let calls = vec![slow_probe("a", "ok", 60_000), probe("b", "alone"), probe("c", "ok")];
        let running = world.session.start_turn(Turn::new(calls)).await;
        while world.log.of("a").len() < 4 {
            tokio::task::yield_now().await;
        }
        drop(running);
        let results = world.run(vec![probe("d", "alone")]).await;
        assert_eq!(text(&results[0]), "alone");
        assert_eq!(moves(&world.events()), ["+a", "-a", "+d", "-d"]);
        let answered = world.count(|event| matches!(event, Event::Result { .. }));
        assert_eq!((answered, world.count(|event| matches!(event, Event::TurnEnded { .. }))), (4, 2));
    });
}

#[test]
fn two_turns_never_overlap() {
    on_each_runtime(async || {
        let world = Arc::new(World::plain());
        let turn = |name: &'static str| {
            let world = Arc::clone(&world);
            let calls = (0..5).map(|n| slow_probe(&format!("{name}{n}"), "ok", 2)).collect();
            tokio::spawn(async move { world.run(calls).await.len() })
        };
        for turn in ["a", "b", "c", "d"].map(turn) {
            assert_eq!(turn.await.expect("it ends"), 5);
        }
        let mut open = None;
        for stamped in world.events() {
            match stamped.event {
                Event::TurnStarted { turn, .. } => assert_eq!(open.replace(turn), None),
                Event::TurnEnded { turn } => assert_eq!(open.take(), Some(turn)),
                _other => {}
            }
        }
    });
}

/// Fails, or waits; its failure fells the others.
#[tool(concurrency_safe, read_only, cancels_siblings, state = Arc<Log>)]
struct Marked {
    /// How long it takes, in milliseconds.
    ms: u64,
    /// Whether it fails.
    fails: bool,
}

impl Tool for Marked {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    fn description(&self) -> String {
        format!("{} ms", self.ms)
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        cx.sleep(Duration::from_millis(self.ms)).await;
        if self.fails { Err(ToolError::new("it failed")) } else { Ok("done".to_owned()) }
    }
}

#[test]
fn a_failure_fells_as_the_policy_says_and_finished_siblings_keep_their_results() {
    on_each_runtime(async || {
        let call = |id: &str, ms: u64, fails: bool| {
            ToolUse::new(id, "Marked", format!(r#"{{"ms":{ms},"fails":{fails}}}"#))
        };
        for (policy, felled) in
            [(SiblingPolicy::None, false), (SiblingPolicy::Marked, true), (SiblingPolicy::Any, true)]
        {
            let mut catalogue = Catalogue::new();
            catalogue.add_with::<Marked>(Arc::default());
            let env = Env::tokio().expect("a runtime");
            let session = Session::builder(env, catalogue).siblings(policy).cap(number(3)).build();
            let wait = if felled { 30_000 } else { 300 };
            let calls = vec![
                call("a", wait, false),
                call("b", 1, false),
                call("c", 150, true),
                call("d", wait, false),
                call("e", 1, false),
            ];
            let results = session.run_turn(Turn::new(calls)).await.results;
            let said: Vec<_> = results.iter().map(text).collect();
            assert_eq!([said[1].as_str(), said[2].as_str()], ["done", "it failed"]);
            for felled_call in [0, 3] {
                let cause = "the call was cancelled while it ran: the parallel call Marked(150 ms) failed";
                assert_eq!(said[felled_call], if felled { cause } else { "done" });
            }
        }
    });
}

/// Never looks at its cancellation, and leaves work behind.
#[tool(concurrency_safe, read_only, state = Arc<Log>)]
struct Deaf {}

impl Tool for Deaf {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        let log = Arc::clone(cx.state());
        drop(tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            log.add("left behind");
        }));
        cx.state().add("deaf");
        loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

#[test]
fn a_tool_that_does_not_listen_is_stopped_at_its_next_await_and_what_it_left_behind_harms_nobody() {
    on_each_runtime(async || {
        let log = Arc::new(Log::default());
        let mut catalogue = Catalogue::new();
        catalogue.add_with::<Deaf>(Arc::clone(&log));
        let session = Session::builder(Env::tokio().expect("a runtime"), catalogue).build();
        let stop = async {
            while log.all().len() < 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            session.abort();
        };
        let turn = Turn::new(vec![ToolUse::new("a", "Deaf", "{}")]);
        let (outcome, ()) = tokio::join!(session.run_turn(turn), stop);
        assert_eq!((outcome.results.len(), outcome.results[0].is_error), (1, true));
    });
}

/// Never waits for anything, and yields only when the executor has had enough of it.
#[tool(concurrency_safe, read_only, state = Arc<Log>)]
struct Busy {}

impl Tool for Busy {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        cx.state().add("busy");
        loop {
            tokio::task::consume_budget().await;
        }
    }
}

#[test]
fn a_tool_that_spends_its_whole_budget_is_stopped_all_the_same() {
    on_each_runtime(async || {
        let log = Arc::new(Log::default());
        let mut catalogue = Catalogue::new();
        catalogue.add_with::<Busy>(Arc::clone(&log));
        let session = Session::builder(Env::tokio().expect("a runtime"), catalogue).build();
        let stop = async {
            while log.all().is_empty() {
                tokio::task::yield_now().await;
            }
            session.abort();
        };
        let turn = Turn::new(vec![ToolUse::new("a", "Busy", "{}")]);
        let (outcome, ()) = tokio::join!(session.run_turn(turn), stop);
        assert!(text(&outcome.results[0]).contains("the turn was aborted"));
    });
}

#[test]
fn an_outcome_is_told_for_every_body_that_is_cut_off() {
    on_each_runtime(async || {
        let world = World::plain();
        let running = world.session.start_turn(Turn::new(vec![slow_probe("a", "ok", 60_000)])).await;
        while world.log.of("a").len() < 4 {
            tokio::task::yield_now().await;
        }
        drop(running);
        world.run(Vec::new()).await;
        let cut = |event: &Event| matches!(event, Event::Finished { outcome: Outcome::Cancelled, .. });
        assert_eq!(world.count(cut), 1);
    });
}

struct Nothing;

impl Work for Nothing {
    type Result = usize;

    fn label(&self) -> Arc<str> {
        "nothing".into()
    }

    fn lost(&self) -> usize {
        usize::MAX
    }

    fn refused_second_result(&self) {
        panic!("no call of these tests has two results");
    }
}

async fn pass(place: Place<Nothing>) {
    let index = place.index();
    drop(place.start_body(Shield::Open, || ()).await);
    place.finish(index, Fells::Nobody).await;
}

/// A call may be admitted by another thread while its job is still being made.
#[test]
fn no_call_is_lost_between_its_place_and_its_job() {
    on_each_runtime(async || {
        let env = Env::tokio().expect("a runtime");
        for round in 0..400 {
            let mut run = TurnRun::new(&env, number(2));
            for index in 0..20 {
                run.submit(Nothing, (round + index) % 3 > 0, |place| {
                    std::thread::sleep(Duration::from_micros(u64::from(index % 4 == 1) * 20));
                    pass(place)
                });
            }
            for index in 0..20 {
                assert_eq!(run.next().await, Some(index));
            }
        }
    });
}

#[test]
fn a_run_that_is_dropped_answers_nothing_and_hangs_nobody() {
    on_each_runtime(async || {
        let env = Env::tokio().expect("a runtime");
        for round in 0..200 {
            let mut run = TurnRun::new(&env, number(3));
            (0..10).for_each(|index| run.submit(Nothing, index % 4 > 0, pass));
            for _ in 0..round % 10 {
                run.next().await;
            }
        }
    });
}
