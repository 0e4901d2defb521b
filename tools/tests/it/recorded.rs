//! Every input that was recorded for these tools parses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;
use toolwright::contract::{Origin, SessionFacts};
use toolwright::message::RawInput;
use toolwright::registry::Pool;
use toolwright_tools::catalogue;

use super::shared::shared;

#[test]
fn every_recorded_input_parses() {
    let Some(folder) = shared("data/transcripts/claude-code") else { return };
    let pool = Pool::new(&catalogue(), &SessionFacts::default(), |_name| true);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    files.sort_unstable();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "jsonl")) {
        let text = std::fs::read_to_string(file).expect("sessions are text");
        for (name, input) in calls(&text) {
            let Ok(tool) = pool.find(&name) else { continue };
            *counts.entry(name.clone()).or_default() += 1;
            let text = input.to_string();
            if let Err(errors) = tool.parse(&RawInput::new(text.as_str()), Origin::Model) {
                failures.push(format!("{}: {name} {text}: {errors}", file.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(counts.keys().collect::<BTreeSet<_>>().len(), 7, "each tool was recorded: {counts:?}");
}

/// The calls of a session's main line, each once: a response is stored in several lines.
fn calls(session: &str) -> Vec<(String, Value)> {
    let mut seen = BTreeSet::new();
    let mut calls = Vec::new();
    // Some lines hold two objects.
    let objects =
        session.lines().flat_map(|line| serde_json::Deserializer::from_str(line).into_iter::<Value>());
    for object in objects.filter_map(Result::ok).filter(|object| object["isSidechain"] != true) {
        for block in object["message"]["content"].as_array().into_iter().flatten() {
            let id = block["id"].as_str().unwrap_or_default();
            if block["type"] == "tool_use" && seen.insert(id.to_owned()) {
                calls.push((block["name"].as_str().unwrap_or_default().to_owned(), block["input"].clone()));
            }
        }
    }
    calls
}
