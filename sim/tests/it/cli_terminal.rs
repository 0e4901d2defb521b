//! A person at a terminal who is asked: they see what a call would change, and just that is done.

use std::io::Write;
use std::process::{Command, Stdio};

use super::cli::Folder;

/// Runs the program at a terminal of its own, on which somebody types this; gives all that stands there in the end.
fn at_terminal(arguments: &[&str], typed: &str) -> String {
    let quoted = |text: &&str| format!("'{}'", text.replace('\'', r"'\''"));
    let words: Vec<String> =
        std::iter::once(&env!("CARGO_BIN_EXE_toolwright")).chain(arguments).map(quoted).collect();
    let terminal = Command::new("script")
        .args(["-qec", &words.join(" "), "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut terminal = terminal.expect("`script` gives a terminal");
    let mut keys = terminal.stdin.take().expect("it is piped");
    keys.write_all(typed.as_bytes()).expect("it takes what is typed");
    let output = terminal.wait_with_output().expect("it ends");
    drop(keys);
    String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")
}

#[test]
fn the_difference_is_shown_with_the_question_and_a_yes_makes_it() {
    let folder = Folder::new("terminal");
    let cwd = folder.0.display().to_string();
    let sed = r#"{"command": "sed -i s/old/new/ a.txt"}"#;
    let write = r#"{"file_path": "b.txt", "content": "new\n"}"#;
    for (calls, typed, text) in [
        (&["Bash", sed][..], "n\n", "old\n"),
        (&["Bash", sed], "y\n", "new\n"),
        (&["Read", r#"{"file_path": "b.txt"}"#, "Write", write], "y\n", "new\n"),
    ] {
        for name in ["a.txt", "b.txt"] {
            folder.put(name, "old\n");
        }
        let shown = at_terminal(&[&["call"], calls, &["--cwd", &cwd]].concat(), typed);
        let question = "\n  @@ -1,1 +1,1 @@\n  -old\n  +new\n(";
        assert!(shown.contains(question) && shown.contains("allow? [y/N]"), "{shown}");
        let name = if calls[0] == "Bash" { "a.txt" } else { "b.txt" };
        assert_eq!(std::fs::read_to_string(folder.0.join(name)).as_deref().ok(), Some(text), "{shown}");
    }
}

#[test]
fn a_terminal_shows_what_a_call_reports_and_takes_it_away() {
    let folder = Folder::new("terminal-progress");
    let cwd = folder.0.display().to_string();
    let command = r#"{"command": "for i in 1 2 3 4; do echo line $i; sleep 0.4; done"}"#;
    let shown = at_terminal(&["call", "Bash", command, "--cwd", &cwd, "--mode", "bypassPermissions"], "");
    assert!(shown.contains("bytes: line"), "{shown:?}");
    let result = shown.rfind("\"tool_result\"").expect("the result stands last");
    assert!(!shown[result..].contains("bytes: line"), "{shown:?}");
}
