//! A tool with a race, the seed that shows it, and the run made small: what the README tells.
//!
//! `cargo run -p toolwright-sim --example race` prints it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolwright::prelude::*;
use toolwright_sim::check::results_differ;
use toolwright_sim::explore::{Explore, Finding, Scene};
use toolwright_sim::shrink::{Shrunk, shrink};
use toolwright_sim::timeline::{Look, timeline};

/// Gives out the next ticket.
#[tool(read_only, concurrency_safe, state = Arc<Mutex<u64>>)]
struct NextTicket {}

impl Tool for NextTicket {
    type Output = u64;
    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }
    async fn call(&self, cx: &Cx<'_, Self>) -> Result<u64, ToolError> {
        let last = *lock(cx.state());
        cx.sleep(printing(cx)).await;
        *lock(cx.state()) = last + 1;
        Ok(last + 1)
    }
}

fn lock(tickets: &Mutex<u64>) -> std::sync::MutexGuard<'_, u64> {
    tickets.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long a ticket takes to print: at once in production, up to three milliseconds in a simulation.
fn printing(cx: &Cx<'_, NextTicket>) -> Duration {
    Duration::from_millis(cx.env().choose("printing", 4) as u64)
}

/// Three calls of a message, side by side where the tool says that it may.
pub(crate) fn three_calls() -> Scene {
    let calls = (1..=3).map(|index| ToolUse::new(format!("call_{index}"), "NextTicket", "{}"));
    Scene::turns("tickets", [Turn::new(calls.collect())], |env| {
        let mut tools = Catalogue::new();
        tools.add_with::<NextTicket>(Arc::default());
        Session::builder(env, tools)
    })
}

/// No ticket is given out twice.
pub(crate) fn once_each() -> Explore<'static> {
    Explore::new().check("once each", results_differ)
}

/// The first failure among a hundred seeds, and the same made small.
pub(crate) fn found() -> Option<(Finding, Shrunk)> {
    let explore = once_each().findings_max(1);
    let scene = three_calls();
    let finding = explore.seeds(&scene, 0..100).findings.into_iter().next()?;
    let small = shrink(&explore, &scene, &finding.token.way, &finding.token.conditions).ok()?;
    Some((finding, small))
}

/// What is told of it.
pub(crate) fn told() -> String {
    let Some((finding, small)) = found() else { return "every invariant held\n".to_owned() };
    let seed = finding.seed.map_or_else(String::new, |seed| format!(", first under seed {seed}"));
    let timeline = timeline(&small.judged.ran.events, Look::Plain);
    let deviations: Vec<String> = small.deviations.iter().map(|line| format!("  {line}\n")).collect();
    format!("{}{seed}\n{}{timeline}", finding.violation, deviations.concat())
}

#[cfg_attr(test, expect(dead_code, reason = "tests ask for the same text"))]
fn main() {
    print!("{}", told());
}
