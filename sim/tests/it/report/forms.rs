//! The other forms: the trace by the rules of its format, the rest by what the events say.

use std::process::Command;

use serde_json::Value;

use super::super::cli::{Folder, out, said, toolwright};
use super::HOSTILE;

const SESSION: &str = include_str!("../../../examples/session.twt.jsonl");
/// Judges a trace by the rules of the format, and prints how many events of each phase it has.
const JUDGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/report/chrome_trace.py");

fn report(arguments: &[&str], form: &str) -> String {
    let output = toolwright(&[arguments, &["--report", form]].concat());
    assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {}", said(&output));
    out(&output)
}

/// The phases of a trace and how often each comes, as the judge counted them.
fn judged(folder: &Folder, trace: &str) -> Option<Value> {
    let file = folder.put("trace.json", trace);
    let Ok(output) = Command::new("python3").arg(JUDGE).arg(&file).output() else {
        eprintln!("skipped: no python3 on this machine");
        return None;
    };
    assert!(output.status.success(), "{}{}", out(&output), said(&output));
    Some(serde_json::from_str(&out(&output)).expect("the judge prints JSON"))
}

#[test]
fn a_trace_keeps_the_rules_of_its_format() {
    let folder = Folder::new("trace");
    let session = folder.put("s.twt.jsonl", SESSION);
    let hostile = folder.put("h.twt.jsonl", HOSTILE);
    let of_example = report(&["replay", &session], "chrome");
    let Some(counts) = judged(&folder, &of_example) else { return };
    let asked = of_example.matches("waits for an answer").count();
    assert_eq!(asked, 6, "as the replay counts them");
    assert!(counts["X"].as_u64() > Some(17), "a slice for each call, and for what it did: {counts}");
    let two = report(&["diff", &session, "--seed", "1", "--seed", "2"], "chrome");
    let counts = judged(&folder, &two).expect("the judge was there");
    assert_eq!(counts["processes"], 2);
    let cancelled = report(&["replay", &hostile, "--siblings", "any"], "chrome");
    let counts = judged(&folder, &cancelled).expect("the judge was there");
    assert_eq!(
        (&counts["s"], &counts["f"]),
        (&Value::from(3), &Value::from(3)),
        "an arrow to each: {counts}"
    );
}

#[test]
fn the_judge_of_traces_refuses_what_breaks_a_rule() {
    let folder = Folder::new("trace-judge");
    let named = r#"{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0,"args":{"name":"p"}},{"ph":"M","name":"thread_name","pid":1,"tid":1,"ts":0,"args":{"name":"t"}}"#;
    for (broken, why) in [
        (r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":0}"#, "no duration"),
        (r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":"0","dur":1}"#, "a time that is a text"),
        (r#"{"ph":"Q","name":"a","pid":1,"tid":1,"ts":0}"#, "an unknown phase"),
        (r#"{"ph":"B","name":"a","pid":1,"tid":1,"ts":0}"#, "a beginning without end"),
        (r#"{"ph":"X","name":"a","pid":1,"tid":7,"ts":0,"dur":1}"#, "a track without name"),
        (r#"{"ph":"s","name":"a","id":"1","cat":"c","pid":1,"tid":1,"ts":5}"#, "an arrow to nowhere"),
        (
            r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5},{"ph":"X","name":"b","pid":1,"tid":1,"ts":3,"dur":5}"#,
            "slices that overlap",
        ),
    ] {
        let file = folder.put("broken.json", format!("{{\"traceEvents\":[{named},{broken}]}}"));
        let Ok(output) = Command::new("python3").arg(JUDGE).arg(&file).output() else { return };
        assert!(!output.status.success(), "{why}");
    }
}

#[test]
fn json_has_what_is_documented_and_agrees_with_the_counts() {
    let json: Value = serde_json::from_str(&report(&["replay"], "json")).expect("JSON");
    assert_eq!(json["report"], 1);
    let run = &json["runs"][0];
    let counts: Value = serde_json::from_str(&out(&toolwright(&["replay", "--json"]))).expect("JSON");
    let calls: Vec<&Value> = run["turns"]
        .as_array()
        .expect("turns")
        .iter()
        .flat_map(|turn| turn["calls"].as_array().expect("calls"))
        .collect();
    let having = |name: &str| calls.iter().filter(|call| call.get(name).is_some()).count();
    assert_eq!(Value::from(calls.len()), counts["calls"]);
    assert_eq!(Value::from(having("started")), counts["started"]);
    assert_eq!(Value::from(having("refused")), counts["refused"]);
    let denied = calls.iter().filter(|call| call["decided"]["decision"] == "deny").count();
    assert_eq!(Value::from(denied), counts["denied"]);
    let errors = calls.iter().filter(|call| call["result"]["is_error"] == true).count();
    assert_eq!(Value::from(errors), counts["error_results"]);
    let call = calls.iter().find(|call| call["call"] == "c10").expect("the call is there");
    for key in "call tool label index batch safe state planned phases input decided result".split(' ') {
        assert!(call.get(key).is_some(), "{key}: {call}");
    }
    assert_eq!(
        call["input"]["head"],
        r#"{"command":"rm -rf target/old-reports","description":"Remove stale reports"}"#
    );
    let events = run["events"].as_array().expect("events");
    for call in &calls {
        let at = usize::try_from(call["planned"]["step"].as_u64().expect("a step")).expect("a small number");
        assert_eq!((&events[at]["event"], &events[at]["call"]), (&Value::from("planned"), &call["call"]));
    }
}

#[test]
fn a_chart_has_a_row_for_each_call_and_nothing_of_a_name_is_mermaids() {
    let folder = Folder::new("mermaid");
    let hostile = folder.put("h.twt.jsonl", HOSTILE);
    let chart = report(&["replay", &hostile], "mermaid");
    assert!(chart.starts_with("gantt\n    title "), "{chart}");
    let rows: Vec<&str> = chart.lines().filter(|line| line.contains(" :")).collect();
    let calls = rows.iter().filter(|row| !row.contains(". asked "));
    assert_eq!(calls.count(), 4, "{chart}");
    for row in &rows {
        let (name, facts) = row.split_once(" :").expect("a row");
        assert!(name.chars().all(|c| !"<>\":;#{}%[]`&\\".contains(c)), "{row}");
        let numbers: Vec<&str> = facts.rsplit(", ").take(2).collect();
        assert!(numbers.iter().all(|number| number.parse::<u64>().is_ok()), "{row}");
    }
}

#[test]
fn reports_are_written_where_they_shall_and_over_nothing() {
    let folder = Folder::new("report-files");
    let path = folder.0.join("r.html").display().to_string();
    let write = |more: &[&str]| toolwright(&[&["replay", "--report", "html", "-o", &path], more].concat());
    assert!(write(&[]).status.success());
    let again = write(&[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(said(&again).contains("is there already: `--force` overwrites it"), "{}", said(&again));
    assert!(write(&["--force"]).status.success());
    let full = toolwright(&["replay", "--report", "json", "-o", "/dev/full"]);
    assert_eq!(full.status.code(), Some(2));
    assert!(said(&full).contains("No space left"), "{}", said(&full));
    let wrong = toolwright(&["replay", "--report", "pdf"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(said(&wrong).contains("html, chrome, mermaid, json and text"), "{}", said(&wrong));
    let two = toolwright(&["replay", &path, &path, "--report", "json"]);
    assert!(said(&two).contains("`--report` takes one file"), "{}", said(&two));
}

#[cfg(feature = "mutants")]
#[test]
fn a_mutants_failure_is_reported_by_each_command_beside_a_run_that_holds() {
    let folder = Folder::new("report-failing");
    let file = folder.put("s.twt.jsonl", SESSION);
    let bug = ["--mutant", "DoubleClaim", "--swarm"];
    let given = |command: &[&str], more: &[&str]| -> Value {
        let text = report(&[command, &[file.as_str()], &bug, more].concat(), "json");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    let explored = given(&["explore"], &["--seeds", "300"]);
    let fact = |json: &Value, name: &str| {
        let facts = json["runs"][0]["facts"].as_array().expect("facts").clone();
        let found = facts.into_iter().find(|fact| fact[0] == name).expect("the fact is told");
        found[1].as_str().expect("a text").to_owned()
    };
    let token = fact(&explored, "token");
    let shrunk = folder.0.join("small.twt.jsonl").display().to_string();
    let reports =
        [explored, given(&["why", &token], &["--runs", "20"]), given(&["shrink", &token], &["-o", &shrunk])];
    for json in &reports {
        let broken = json["runs"][0]["violations"].as_array().expect("violations");
        assert!(broken.iter().any(|violation| violation["invariant"] == "one claim"), "{broken:?}");
        assert_eq!(json["runs"].as_array().map(Vec::len), Some(2), "one that holds stands beside it");
        assert_eq!(json["runs"][1]["violations"], serde_json::json!([]));
        assert!(json["parting"].is_u64(), "they part somewhere");
    }
    assert!(
        fact(&reports[1], "why").contains("could not be avoided")
            || fact(&reports[1], "why").contains("whatever")
    );
    let surprise = fact(&reports[2], "surprise");
    assert!(
        surprise.starts_with("choice") || surprise.starts_with("changed from the recording"),
        "{surprise}"
    );
    let calls = |json: &Value| -> usize {
        let turns = json["runs"][0]["turns"].as_array().expect("turns");
        turns.iter().map(|turn| turn["calls"].as_array().map_or(0, Vec::len)).sum()
    };
    assert!((1..=2).contains(&calls(&reports[2])), "and it is small: {}", calls(&reports[2]));
}
