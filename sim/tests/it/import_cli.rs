//! `toolwright import`: its options, and what it says.

use serde_json::Value;

use super::cli::{Folder, out, said, toolwright};
use super::import_fixtures::{Fixture, fixture, fixtures};

#[test]
fn every_format_is_imported_and_replayed_from_the_command_line() {
    for Fixture { path, name, format } in fixtures() {
        let path = path.display().to_string();
        let output = toolwright(&["import", &path]);
        assert!(output.status.success(), "{name}: {}", said(&output));
        let first = out(&output).lines().next().map(str::to_owned).expect("there is a header");
        let header: Value = serde_json::from_str(&first).expect("the header is JSON");
        assert_eq!(header["source"]["format"], format.word(), "{name}");
        let output = toolwright(&["replay", "--json", &path]);
        assert!(output.status.success(), "{name}: {}", said(&output));
        let line: Value = serde_json::from_str(&out(&output)).expect("a replay prints JSON");
        assert_eq!(line["format"], format.to_string(), "{name}");
    }
}

#[test]
fn a_history_for_the_messages_api_is_written_on_request() {
    let output =
        toolwright(&["import", &fixture("codex/rollout.jsonl").display().to_string(), "--to", "messages"]);
    assert!(output.status.success(), "{}", said(&output));
    let history: Value = serde_json::from_str(&out(&output)).expect("a history is JSON");
    assert_eq!(history["messages"][1]["content"][1]["name"], "exec_command");
    assert!(said(&output).contains("one that says so was made up"), "{}", said(&output));
}

#[test]
fn a_file_that_could_be_of_two_formats_needs_to_be_told_which() {
    let folder = Folder::new("import-ambiguous");
    let file = folder.put("talk.json", r#"[{"role":"user","content":"look"}]"#);
    let output = toolwright(&["import", &file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("`--format messages`"), "{}", said(&output));
    let output = toolwright(&["import", &file, "--format", "messages"]);
    assert!(output.status.success(), "{}", said(&output));
    let output = toolwright(&["import", &file, "--format", "pi"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("swe-agent"), "the formats are listed: {}", said(&output));
}

#[test]
fn secrets_are_replaced_on_request_and_the_count_is_said() {
    let folder = Folder::new("import-redact");
    let secret = format!("ghp_{}", "Q".repeat(36));
    let text = format!(
        r#"{{"messages":[{{"role":"user","content":"use {secret}"}},{{"role":"assistant","tool_calls":[{{"id":"k","function":{{"name":"find","arguments":"{{\"key\":\"{secret}\"}}"}}}}]}}]}}"#
    );
    let file = folder.put("log.json", text);
    for target in ["twt", "messages"] {
        let output = toolwright(&["import", &file, "--redact", "--to", target]);
        assert!(output.status.success(), "{}", said(&output));
        assert!(!out(&output).contains(&secret), "{}", out(&output));
        assert!(said(&output).contains("2 places redacted: github-token 2"), "{}", said(&output));
    }
    assert!(out(&toolwright(&["import", &file])).contains(&secret), "nothing is replaced unless asked");
}
