//! What calls do to each other beside the line is announced: granted rules, changes of the context, starts of calls that
//! waited at the gate, and what one failure cancels. So a search that leaves out what commutes finds every outcome.

use std::future::ready;

use async_trait::async_trait;
use toolwright::env::Env;
use toolwright::event::Event;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Answer, Behavior, Destination, Grant, Prompter, Question};
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder, SiblingPolicy};
use toolwright_sim::engine::Simulation;
use toolwright_sim::explore::{Scene, Subject};
use toolwright_sim::replay::Conditions;
use toolwright_sim::strategy::Family;

use super::exhaustive::compare;
use super::hooks::Rewrites;
use super::world::{Shell, Work};

/// Says yes for good.
struct Generous;

#[async_trait]
impl Prompter for Generous {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        let grant = Grant {
            rule: question.tool.clone(),
            behavior: Behavior::Allow,
            destination: Destination::Session,
        };
        Some(Answer::Always { input: None, grants: vec![grant] })
    }
}

fn input(safe: bool, asks: bool, end: &str) -> String {
    format!(r#"{{"safe":{safe},"asks":{asks},"ms":0,"end":"{end}"}}"#)
}

fn builder(env: Env, end: &'static str) -> SessionBuilder {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>().add::<Shell>();
    let builder = Session::builder(env, catalogue).siblings(SiblingPolicy::Marked);
    // What is rewritten may no longer run beside others, and ends so.
    let unsafe_ones = move || ready(input(false, false, end));
    builder.hook(Rewrites(unsafe_ones)).prompter(Generous)
}

fn turn(name: &str, end: &'static str, calls: Vec<ToolUse>) -> Scene {
    Scene::turns(name, [Turn::new(calls)], move |env| builder(env, end))
}

/// In how many ways the turn comes out under some seeds, as told by the events that `tells` picks.
fn ways(subject: &dyn Subject, tells: fn(&Event) -> Option<String>) -> usize {
    let run = |seed: u64| {
        let simulation = Simulation::with_boxed(Family::Portfolio.way(seed).strategy());
        let ran = subject.run(&simulation, &Conditions::default());
        ran.events.iter().filter_map(|stamped| tells(&stamped.event)).collect::<Vec<_>>()
    };
    (0..60).map(run).collect::<std::collections::BTreeSet<_>>().len()
}

fn by(event: &Event) -> Option<String> {
    match event {
        Event::Decided(decided) => Some(format!("{} by {}", decided.call, decided.by)),
        _other => None,
    }
}

fn content(event: &Event) -> Option<String> {
    match event {
        Event::Result { call, content, .. } => Some(format!("{call}: {content:?}")),
        _other => None,
    }
}

#[test]
fn a_rule_granted_with_one_answer_decides_another_question_in_every_search() {
    let asked = |id: &str| ToolUse::new(id, "Work", input(true, true, "ok"));
    let scene = turn("granted", "ok", vec![asked("a"), asked("b")]);
    assert!(ways(&scene, by) > 1, "the answers race");
    compare("two questions, one rule", &scene);
}

#[test]
fn a_change_of_the_context_meets_calls_that_wait_at_the_gate_in_every_search() {
    let calls = vec![
        ToolUse::new("rewritten0", "Work", input(true, false, "ok")),
        ToolUse::new("safe1", "Work", input(true, false, "ok")),
    ];
    let scene = turn("moved", "move", calls);
    assert!(ways(&scene, content) > 1, "the second call runs before the move, or after it");
    compare("a move beside a call", &scene);
}

#[test]
fn calls_that_were_woken_at_the_gate_start_in_every_order_that_a_search_can_find() {
    let calls = vec![
        ToolUse::new("safe0", "Work", input(true, false, "ok")),
        ToolUse::new("rewritten1", "Work", input(true, false, "ok")),
    ];
    compare("one at the gate", &turn("gate", "ok", calls));
    let calls = vec![
        ToolUse::new("rewritten0", "Work", input(true, false, "ok")),
        ToolUse::new("rewritten1", "Work", input(true, false, "ok")),
    ];
    compare("two at the gate", &turn("gates", "ok", calls));
}

#[test]
fn what_a_failure_cancels_once_everything_else_has_ended_is_the_same_in_every_search() {
    let fails = |id: &str| ToolUse::new(id, "Shell", input(true, false, "fail"));
    compare("two failures", &turn("failures", "ok", vec![fails("a"), fails("b")]));
    let calls = vec![fails("a"), ToolUse::new("b", "Work", input(true, false, "ok"))];
    compare("a failure beside a call", &turn("failure", "ok", calls));
    let calls = vec![fails("a"), ToolUse::new("b", "Work", input(false, false, "ok"))];
    compare("a failure before a call", &turn("failure before", "ok", calls));
}
