//! Whatever a body waits for, others may go on meanwhile: a race across any wait is found, also across those that take
//! no time, and an exploration in which nothing waited or ran is none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolwright::env::panic_message;
use toolwright::prelude::*;
use toolwright_sim::check::results_differ;
use toolwright_sim::explore::{Explore, Scene};
use toolwright_sim::testing::explore;

/// What a call waits for between its look and its change.
#[derive(Params, Clone, Copy, Debug)]
enum Wait {
    Blocking,
    BlockingTwice,
    BlockingWithinALimit,
    NoTime,
    ATickThatHasCome,
    AMoment,
    Settled,
}

/// Gives out the next number: looks, waits, and changes.
#[tool(read_only, concurrency_safe, state = Arc<Mutex<u64>>)]
struct Next {
    /// What it waits for.
    wait: Wait,
}

impl Tool for Next {
    type Output = u64;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<u64, ToolError> {
        let last = *cx.state().lock().expect("nobody panics");
        let blocking = || async { cx.env().blocking(|| ()).await.expect("it does nothing") };
        match self.wait {
            Wait::Blocking => blocking().await,
            Wait::BlockingTwice => {
                blocking().await;
                blocking().await;
            }
            Wait::BlockingWithinALimit => {
                cx.timeout(Duration::from_secs(1), blocking()).await.expect("it takes no time");
            }
            Wait::NoTime => cx.sleep(Duration::ZERO).await,
            Wait::ATickThatHasCome => {
                let ended = cx.timeout(Duration::ZERO, std::future::pending::<()>()).await;
                ended.expect_err("nothing ends it");
            }
            Wait::AMoment => cx.sleep(Duration::from_nanos(1)).await,
            Wait::Settled => cx.env().settle().await,
        }
        *cx.state().lock().expect("nobody panics") = last + 1;
        Ok(last + 1)
    }
}

/// Three calls side by side, under a rule where there is one.
fn three(wait: &'static str, rule: Option<(Behavior, &'static str)>) -> Scene {
    let calls = ["a", "b", "c"].map(|id| ToolUse::new(id, "Next", format!(r#"{{"wait":"{wait}"}}"#)));
    Scene::turns("three", [Turn::new(calls.to_vec())], move |env| {
        let mut tools = Catalogue::new();
        tools.add_with::<Next>(Arc::default());
        let builder = Session::builder(env, tools);
        match rule {
            Some((behavior, rule)) => builder.rule(behavior, Source::Session, rule),
            None => builder,
        }
    })
}

const WAITS: [&str; 7] =
    ["Blocking", "BlockingTwice", "BlockingWithinALimit", "NoTime", "ATickThatHasCome", "AMoment", "Settled"];

fn differ() -> Explore<'static> {
    Explore::new().check("each once", results_differ)
}

#[test]
fn a_race_across_any_wait_is_found() {
    for wait in WAITS {
        let found = differ().seeds(&three(wait, None), 0..50);
        assert_eq!(found.findings.len(), 1, "{wait}: {found}");
        assert_eq!(found.findings[0].violation.invariant, "each once", "{wait}: {found}");
    }
}

#[cfg(feature = "engines")]
#[test]
fn a_race_across_any_wait_is_found_inside_tokio_too() {
    for wait in WAITS {
        let found = differ().seeds(&three(wait, None).in_tokio(Duration::ZERO), 0..50);
        assert!(found.findings.iter().any(|it| it.violation.invariant == "each once"), "{wait}: {found}");
    }
}

/// What a test says that explores this.
fn said(how: &Explore<'_>, scene: &Scene, seeds: u64) -> Result<(), Arc<str>> {
    let explored = catch_unwind(AssertUnwindSafe(|| explore(how, scene, seeds)));
    explored.map_err(|panic| panic_message(panic.as_ref()))
}

#[test]
fn an_exploration_in_which_no_body_ran_fails_and_says_why_none_did() {
    let denied = || three("AMoment", Some((Behavior::Ask, "Next")));
    let told = said(&Explore::new(), &denied(), 3).expect_err("nothing ran");
    for part in
        ["no body ran in any of 3 runs", "a came to: permission denied", "such as a rule", "turn 1: 3"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    // What no tool takes is not to be allowed.
    let unknown = || three("AMomnet", None);
    let told = said(&Explore::new(), &unknown(), 3).expect_err("nothing ran");
    assert!(
        told.contains("AMomnet") && told.contains("mend the calls") && !told.contains("a rule"),
        "{told}"
    );
    // Whoever wants to see denials says so.
    said(&Explore::new().sometimes(["a call was denied"]), &denied(), 3).expect("it was seen");
    let told = said(&Explore::new(), &denied(), 0).expect_err("there is no seed");
    assert!(told.contains("0 seeds try nothing"), "{told}");
}
