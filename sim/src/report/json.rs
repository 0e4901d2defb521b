//! A report for programs. Its form is public, and the page is drawn from it.
//!
//! ```json
//! {"report": 1, "title": "…", "parting": 17, "runs": [{
//!   "name": "seed 7", "facts": [["token", "tws1.…"]],
//!   "violations": [{"invariant": "cap", "call": "c1", "detail": "…"}],
//!   "turns": [{"turn": 0, "began": {"at_ns": 0, "step": 0}, "ended": {…}, "calls": [{
//!     "call": "c1", "tool": "Bash", "label": "Bash(make)", "index": 0, "batch": 0, "safe": false, "state": "ok",
//!     "planned": {…}, "phases": [{"activity": "line", "who": "…", "from": {…}, "to": {…}}],
//!     "input": {"head": "{…}", "chars": 18},
//!     "decided": {"at": {…}, "decision": "allow", "by": "rule", "rule": "Bash(make)", "source": "cliArg", "reason": "…"},
//!     "refused": {"at": {…}, "refusal": "cancelled", "reason": "…"}, "started": {…}, "finished": {"at": {…}, "outcome": "ok"},
//!     "result": {"at": {…}, "is_error": false, "head": "…", "chars": 4}, "cause": "c2"}]}],
//!   "events": [{"at_ns": 0, "event": "turn_started", …}]}]}
//! ```
//!
//! Times are nanoseconds since the run began; `step` counts the run's events from 0, so that what happens at one instant
//! has an order. `parting` is the first event in which two runs differ. `activity` is `line`, `hook`, `question`, `body`
//! or `order`; `state` is `ok`, `error`, `cancelled`, `panicked`, `refused`, `denied` or `open`. What does not apply is
//! left out. Inputs and results are cut to their `head`; events are as everywhere, without the long fields `content`,
//! `data` and `lines`. New fields may come; none changes its meaning while `report` is 1.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use toolwright::event::{Decided, Outcome, Refusal, Stamped};
use toolwright::message::CallId;

use super::case::{Case, RUNS_MAX, Run};
use super::cut::Cut;
use super::lanes::{Lane, Mark, Phase, State, Turn, turns};
use crate::check::Violation;

/// The version of the form.
const VERSION: u32 = 1;
/// The fields of events that may be of any length.
const LONG_FIELDS: [&str; 3] = ["content", "data", "lines"];

#[derive(Serialize)]
struct Report<'a> {
    report: u32,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parting: Option<usize>,
    runs: Vec<RunJson<'a>>,
}

#[derive(Serialize)]
struct RunJson<'a> {
    name: &'a str,
    facts: &'a [(String, String)],
    violations: &'a [Violation],
    turns: Vec<TurnJson>,
    events: Vec<Value>,
}

#[derive(Serialize)]
struct TurnJson {
    turn: u64,
    began: Mark,
    ended: Mark,
    calls: Vec<CallJson>,
}

#[derive(Serialize)]
struct CallJson {
    call: CallId,
    tool: String,
    label: String,
    index: usize,
    batch: usize,
    safe: bool,
    state: State,
    planned: Mark,
    phases: Vec<Phase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Cut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided: Option<DecidedJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<Mark>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished: Option<FinishedJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ResultJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<CallId>,
}

#[derive(Serialize)]
struct DecidedJson {
    at: Mark,
    #[serde(flatten)]
    decided: Decided,
}

#[derive(Serialize)]
struct RefusedJson {
    at: Mark,
    refusal: Refusal,
    reason: String,
}

#[derive(Serialize)]
struct FinishedJson {
    at: Mark,
    outcome: Outcome,
}

#[derive(Serialize)]
struct ResultJson {
    at: Mark,
    is_error: bool,
    #[serde(flatten)]
    text: Cut,
}

/// The report as one line of JSON.
pub(super) fn json(case: &Case) -> String {
    let report = Report {
        report: VERSION,
        title: &case.title,
        parting: case.parting(),
        runs: case.runs.iter().take(RUNS_MAX).map(|run| run_json(run, &case.inputs)).collect(),
    };
    serde_json::to_string(&report).expect("reports serialise: their keys are strings") + "\n"
}

fn run_json<'a>(run: &'a Run, inputs: &BTreeMap<CallId, String>) -> RunJson<'a> {
    let turns = turns(&run.events).into_iter().map(|turn| {
        let Turn { turn, began, ended, lanes } = turn;
        let calls = lanes.into_iter().map(|lane| call(lane, inputs)).collect();
        TurnJson { turn: turn.0, began, ended, calls }
    });
    RunJson {
        name: &run.name,
        facts: &run.facts,
        violations: &run.violations,
        turns: turns.collect(),
        events: run.events.iter().map(event).collect(),
    }
}

fn call(lane: Lane, inputs: &BTreeMap<CallId, String>) -> CallJson {
    CallJson {
        state: lane.state(),
        input: inputs.get(&lane.call).map(|input| Cut::input(input)),
        call: lane.call,
        tool: lane.tool,
        label: lane.label,
        index: lane.index,
        batch: lane.batch,
        safe: lane.is_safe,
        planned: lane.planned,
        phases: lane.phases,
        decided: lane.decided.map(|(at, decided)| DecidedJson { at, decided }),
        refused: lane.refused.map(|(at, refusal, reason)| RefusedJson { at, refusal, reason }),
        started: lane.started,
        finished: lane.finished.map(|(at, outcome)| FinishedJson { at, outcome }),
        result: lane.result.map(|(at, is_error, text)| ResultJson { at, is_error, text }),
        cause: lane.cause,
    }
}

/// An event without what may be long.
fn event(stamped: &Stamped) -> Value {
    let mut value = serde_json::to_value(stamped).expect("events serialise");
    if let Some(fields) = value.as_object_mut() {
        LONG_FIELDS.iter().for_each(|name| drop(fields.remove(*name)));
    }
    value
}
