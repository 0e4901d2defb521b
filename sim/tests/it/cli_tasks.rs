//! One call at a time of the tools that go on: the program waits for what they left, and leaves nothing behind.

use crate::cli::{Folder, out, said, toolwright};

fn call(tool: &str, input: &str, more: &[&str]) -> std::process::Output {
    let arguments = ["call", tool, input, "--mode", "bypassPermissions"];
    toolwright(&[arguments.as_slice(), more].concat())
}

#[test]
fn a_command_in_the_background_is_waited_for_and_its_end_told() {
    let output = call("Bash", r#"{"command": "sleep 0.3; echo x; exit 3", "run_in_background": true}"#, &[]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(out(&output).contains("in the background as `bash_"), "{}", out(&output));
    assert!(said(&output).contains("has ended with exit code 3"), "{}", said(&output));
}

#[test]
fn a_monitor_tells_its_lines() {
    let input = r#"{"command": "echo one; sleep 0.5; echo two", "description": "a test"}"#;
    let output = call("Monitor", input, &["--feature", "monitor"]);
    assert!(output.status.success(), "{}", said(&output));
    let lines: Vec<String> = said(&output).lines().map(str::to_owned).collect();
    for line in ["toolwright: one", "toolwright: two"] {
        assert!(lines.iter().any(|said| said == line), "{line}: {lines:?}");
    }
    let off = call("Monitor", input, &[]);
    assert!(!off.status.success() && out(&off).contains("Monitor"), "{}", out(&off));
}

#[test]
fn waiting_and_code_are_calls_like_others() {
    let output = call("Sleep", r#"{"seconds": 0.05}"#, &["--feature", "assistant"]);
    assert!(output.status.success() && out(&output).contains("slept"), "{}", out(&output));
    let folder = Folder::new("repl");
    let cwd = folder.0.display().to_string();
    let output = call("REPL", r#"{"code": "6 * 7"}"#, &["--feature", "repl", "--cwd", &cwd]);
    assert!(out(&output).contains("42") || out(&output).contains("is not installed"), "{}", out(&output));
}

#[test]
fn tasks_of_other_runs_are_unknown() {
    for tool in ["TaskOutput", "TaskStop"] {
        let output = call(tool, r#"{"task_id": "bash_0123456789abcdef"}"#, &[]);
        assert!(!output.status.success() && out(&output).contains("there is no task"), "{}", out(&output));
    }
}
