//! Recorded turns with several calls, run again as they arrived: the streaming executor is done no later than what was
//! recorded.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use toolwright::event::{Event, Stamped};
use toolwright::permission::Mode;
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright_sim::replay::{Arrivals, ModeChoice, Options, replay};
use toolwright_sim::transcript::{Call, Content, Input, Json, Outcome, Transcript, Turn};

use super::shared::shared;

#[derive(Deserialize)]
struct Recorded {
    calls: Vec<RecordedCall>,
}

#[derive(Deserialize)]
struct RecordedCall {
    tool: String,
    use_ms: u64,
    result_ms: u64,
    service_ms: u64,
    outcome: String,
    command: Option<String>,
}

/// Stands for `Grep`, with its flags.
#[tool(name = "Grep", read_only, concurrency_safe)]
struct Grep {
    /// What to look for.
    #[expect(dead_code, reason = "the body is recorded")]
    pattern: String,
}

/// Stands for `WebFetch`, with its flags.
#[tool(name = "WebFetch", read_only, concurrency_safe)]
struct WebFetch {
    /// What to look at.
    #[expect(dead_code, reason = "the body is recorded")]
    url: String,
}

macro_rules! never_runs {
    ($($tool:ty),*) => {$(
        impl Tool for $tool {
            type Output = String;

            async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
                Err(ToolError::new("its body is the recording's"))
            }
        }
    )*};
}

never_runs!(Grep, WebFetch);

/// The tools of this project, whose flags are judged from the input, and two that it does not have yet. All others that
/// are named in the recordings are closed: they run alone.
fn catalogue() -> Catalogue {
    let mut catalogue = toolwright_tools::catalogue();
    if !catalogue.built_in().iter().any(|tool| tool.form().name == "Grep") {
        catalogue.add::<Grep>();
    }
    if !catalogue.built_in().iter().any(|tool| tool.form().name == "WebFetch") {
        catalogue.add::<WebFetch>();
    }
    catalogue
}

/// An input that the tool takes; only that of Bash is recorded.
fn input(call: &RecordedCall) -> String {
    let command = call.command.as_deref().unwrap_or("true");
    let input = match call.tool.as_str() {
        "Bash" => json!({"command": command}),
        "Read" => json!({"file_path": "/recorded/file"}),
        "Edit" => json!({"file_path": "/recorded/file", "old_string": "a", "new_string": "b"}),
        "Write" => json!({"file_path": "/recorded/file", "content": ""}),
        "Glob" | "Grep" => json!({"pattern": "x"}),
        "WebFetch" => json!({"url": "https://example.com"}),
        _closed => json!({}),
    };
    input.to_string()
}

fn transcript(recorded: &Recorded) -> Transcript {
    let call = |(index, call): (usize, &RecordedCall)| Call {
        id: format!("c{index}"),
        name: call.tool.clone(),
        input: Input::Json(Json::parse(&input(call)).expect("it is JSON")),
        arrived_ms: Some(call.use_ms),
        service_ms: Some(call.service_ms),
        ended_ms: Some(call.result_ms),
        outcome: Outcome::Answered {
            content: Content::Text("done".to_owned()),
            is_error: call.outcome != "ok",
        },
        allowed: None,
    };
    let calls = recorded.calls.iter().enumerate().map(call).collect();
    Transcript { turns: vec![Turn { id: "t".to_owned(), calls, ..Turn::default() }], ..Transcript::default() }
}

fn read() -> Option<Vec<Recorded>> {
    let file = shared("data/derived/parallel-turns.jsonl")?;
    let text = std::fs::read_to_string(file).expect("the turns are text");
    let turn = |line: &str| serde_json::from_str(line).expect("each line is a turn");
    Some(text.lines().filter(|line| !line.trim().is_empty()).map(turn).collect())
}

/// A turn that took longer than recorded.
struct Slower {
    number: usize,
    recorded_ms: u64,
    ours_ms: u64,
    why: String,
}

#[test]
fn at_least_nineteen_of_twenty_recorded_turns_are_done_no_later_than_recorded() {
    let Some(turns) = read() else { return };
    let options = Options {
        mode: ModeChoice::Fixed(Mode::BypassPermissions),
        arrivals: Arrivals::AsRecorded,
        ..Options::default()
    };
    let (mut slower, mut ours, mut theirs) = (Vec::new(), 0, 0);
    for (number, recorded) in turns.iter().enumerate() {
        let report = replay(&transcript(recorded), &catalogue(), &options);
        assert!(report.violations.is_empty(), "turn {number}: {:#?}", report.violations);
        assert_eq!(report.counts.calls, recorded.calls.len());
        let ours_ms = makespan(&report.events);
        let recorded_ms = recorded.calls.iter().map(|call| call.result_ms).max().unwrap_or(0);
        (ours, theirs) = (ours + ours_ms, theirs + recorded_ms);
        if ours_ms > recorded_ms {
            let why = why(recorded, &report.events);
            slower.push(Slower { number, recorded_ms, ours_ms, why });
        }
    }
    println!(
        "{} turns: {theirs} ms recorded, {ours} ms here, {} later than recorded",
        turns.len(),
        slower.len()
    );
    for Slower { number, recorded_ms, ours_ms, why } in &slower {
        println!("  turn {:>4}: {recorded_ms} ms recorded, {ours_ms} ms here: {why}", number + 1);
    }
    assert!(slower.len() * 20 <= turns.len(), "{} of {} turns are later", slower.len(), turns.len());
}

/// When the last result was handed over, after the first call's arrival.
fn makespan(events: &[Stamped]) -> u64 {
    let given = events.iter().filter(|stamped| matches!(stamped.event, Event::Result { .. }));
    given.map(|stamped| stamped.at.millis()).max().unwrap_or(0)
}

/// The calls that started later than they could have in the recording, and whom they waited for.
fn why(recorded: &Recorded, events: &[Stamped]) -> String {
    let started: BTreeMap<&str, u64> = events
        .iter()
        .filter_map(|stamped| match &stamped.event {
            Event::Started { call, .. } => Some((call.as_str(), stamped.at.millis())),
            _other => None,
        })
        .collect();
    let safe: BTreeMap<&str, bool> = events
        .iter()
        .filter_map(|stamped| match &stamped.event {
            Event::Planned { call, safe, .. } => Some((call.as_str(), *safe)),
            _other => None,
        })
        .collect();
    let never: Vec<String> = (0..recorded.calls.len())
        .filter(|index| !started.contains_key(format!("c{index}").as_str()))
        .map(|index| format!("{} never started", recorded.calls[index].tool))
        .collect();
    let late = recorded.calls.iter().enumerate().filter_map(|(index, call)| {
        let id = format!("c{index}");
        let start = *started.get(id.as_str())?;
        let recorded_start = call.result_ms.saturating_sub(call.service_ms);
        (start > recorded_start).then(|| {
            let waits = if safe[id.as_str()] { "safe" } else { "alone" };
            let before = recorded.calls[..index].iter().enumerate().rfind(|(earlier, before)| {
                let begun = started.get(format!("c{earlier}").as_str());
                begun.is_some_and(|begun| begun + before.service_ms == start)
            });
            let whom = before.map_or_else(String::new, |(_, before)| format!(" behind {}", named(before)));
            format!("{} ({waits}) started {} ms later{whom}", named(call), start - recorded_start)
        })
    });
    never.into_iter().chain(late).collect::<Vec<_>>().join("; ")
}

fn named(call: &RecordedCall) -> String {
    match &call.command {
        Some(command) => format!("{}({})", call.tool, command.chars().take(40).collect::<String>()),
        None => call.tool.clone(),
    }
}
