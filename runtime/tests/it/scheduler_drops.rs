//! Tools whose values panic as they are dropped: the input, the output, and what a body holds when it is stopped.

#![expect(clippy::disallowed_methods, reason = "tests stand outside the runtime, on real threads")]

use std::time::Duration;

use serde::Serialize;
use toolwright::env::Env;
use toolwright::message::{ToolResult, ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;

use super::world::on_each_runtime;

/// Panics where it is told to, as something is dropped.
#[tool(concurrency_safe = |fragile| !fragile.breaks.contains("alone"))]
struct Fragile {
    /// What breaks.
    breaks: String,
    /// Whether it never ends.
    stalls: bool,
}

/// Panics as it is dropped, where it is told to; a second panic during one would end the process.
#[derive(Serialize)]
struct Glass(bool);

impl Drop for Glass {
    fn drop(&mut self) {
        assert!(!self.0 || std::thread::panicking(), "written panic in a drop");
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        let breaks = self.breaks.contains("input");
        assert!(!breaks || std::thread::panicking(), "written panic in the drop of an input");
    }
}

impl Tool for Fragile {
    type Output = Glass;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Glass, ToolError> {
        let _held = Glass(self.breaks.contains("body"));
        if self.stalls {
            std::future::pending::<()>().await;
        }
        cx.sleep(Duration::from_millis(1)).await;
        Ok(Glass(self.breaks.contains("output")))
    }
}

fn session() -> Session {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Fragile>();
    Session::builder(Env::tokio().expect("inside a runtime"), catalogue)
        .rule(Behavior::Allow, Source::Session, "Fragile")
        .build()
}

fn call(id: usize, breaks: &str, stalls: bool) -> ToolUse {
    let input = serde_json::json!({"breaks": breaks, "stalls": stalls}).to_string();
    ToolUse::new(format!("call_{id}"), "Fragile", input)
}

const WHERE: [&str; 8] =
    ["nothing", "input", "output", "body", "input alone", "output alone", "body alone", "input output body"];

fn ids(results: &[ToolResult]) -> Vec<String> {
    results.iter().map(|result| result.tool_use_id.to_string()).collect()
}

#[test]
fn a_panic_in_a_drop_is_the_failure_of_one_call_and_of_nothing_else() {
    on_each_runtime(async || {
        let session = session();
        let calls: Vec<ToolUse> =
            WHERE.iter().enumerate().map(|(id, breaks)| call(id, breaks, false)).collect();
        let expected: Vec<String> = calls.iter().map(|call| call.id.to_string()).collect();
        let outcome = session.run_turn(Turn::new(calls)).await;
        assert_eq!(ids(&outcome.results), expected);
        assert!(!outcome.results[0].is_error, "{:?}", outcome.results);
        let again = session.run_turn(Turn::new(vec![call(99, "nothing", false)])).await;
        assert!(!again.results[0].is_error);
    });
}

#[test]
fn an_abort_answers_every_call_also_where_what_it_stops_panics_in_a_drop() {
    on_each_runtime(async || {
        let session = session();
        let calls: Vec<ToolUse> =
            WHERE.iter().enumerate().map(|(id, breaks)| call(id, breaks, true)).collect();
        let expected: Vec<String> = calls.iter().map(|call| call.id.to_string()).collect();
        let abort = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            session.abort();
        };
        let (outcome, ()) = tokio::join!(session.run_turn(Turn::new(calls)), abort);
        assert_eq!(ids(&outcome.results), expected);
        assert!(outcome.results.iter().all(|result| result.is_error));
    });
}

#[test]
fn a_turn_that_is_dropped_drops_all_that_it_holds_whatever_panics_on_the_way() {
    on_each_runtime(async || {
        let session = session();
        let stalls = call(0, "nothing alone", true);
        let waiting = (1..5).map(|id| call(id, "input body output", true));
        let running = session.start_turn(Turn::new(std::iter::once(stalls).chain(waiting).collect())).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
        drop(running);
        let again = session.run_turn(Turn::new(vec![call(9, "nothing", false)])).await;
        assert!(!again.results[0].is_error);
        // Without a runtime to run them, those that wait are dropped where they are.
        let waiting = (1..5).map(|id| call(id, "input", true));
        let stalls = call(0, "nothing alone", true);
        let turn = Turn::new(std::iter::once(stalls).chain(waiting).collect());
        let dropped = tokio::time::timeout(Duration::from_millis(5), session.run_turn(turn)).await;
        assert!(dropped.is_err());
    });
}
