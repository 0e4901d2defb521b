//! What a person who is asked is shown of a call's effect on a file, and that just that is allowed.

use serde_json::{Value, json};
use toolwright::contract::Context;
use toolwright::message::RawInput;
use toolwright_tools::{Preview, preview};

use crate::session::Session;

fn shown(folder: &Session, tool: &str, input: Value) -> Option<Preview> {
    preview(tool, &RawInput::new(input.to_string()), &Context::new(folder.path("")))
}

#[tokio::test]
async fn the_difference_that_a_call_makes_is_shown_and_nothing_is_written() {
    let folder = Session::new();
    folder.put("f", "one\ntwo\nthree\n");
    let difference = ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"];
    let edit = json!({"file_path": "f", "old_string": "two", "new_string": "2"});
    let write = json!({"file_path": folder.path("f"), "content": "one\n2\nthree\n"});
    let sed = json!({"command": "sed -i s/two/2/ f", "description": "a test"});
    for (tool, input) in [("Edit", edit), ("Write", write), ("Bash", sed.clone())] {
        let preview = shown(&folder, tool, input).unwrap_or_else(|| panic!("{tool}"));
        assert_eq!(preview.lines, difference, "{tool}");
        assert_eq!(preview.input.is_some(), tool == "Bash", "{tool}");
    }
    let allowed = shown(&folder, "Bash", sed).and_then(|preview| preview.input).expect("it is plain");
    let allowed: Value = serde_json::from_str(allowed.as_str()).expect("it is JSON");
    assert_eq!(
        (&allowed["command"], &allowed["description"]),
        (&json!("sed -i s/two/2/ f"), &json!("a test"))
    );
    let prepared = json!({"filePath": folder.path("f"), "oldContent": "one\ntwo\nthree\n", "newContent": "one\n2\nthree\n"});
    assert_eq!(allowed["_simulatedSedEdit"], prepared);
    let new = shown(&folder, "Write", json!({"file_path": "new", "content": "a\n"})).expect("it is text");
    assert_eq!(new.lines, ["@@ -1,0 +1,1 @@", "+a"]);
    let same = shown(&folder, "Write", json!({"file_path": "f", "content": "one\ntwo\nthree\n"}));
    assert_eq!(same.expect("it is text").lines, ["nothing would change"]);
    assert_eq!(folder.bytes("f"), b"one\ntwo\nthree\n");
    assert!(!folder.path("new").exists());
}

#[tokio::test]
async fn a_large_difference_is_shown_in_part_and_says_so() {
    let folder = Session::new();
    folder.put("f", "one\n".repeat(1_000));
    let large = shown(&folder, "Bash", json!({"command": "sed -i s/one/2/ f"})).expect("it is plain");
    assert_eq!(large.lines.len(), 41);
    assert!(large.lines[40].contains("more lines"), "{}", large.lines[40]);
}

#[tokio::test]
async fn what_cannot_be_told_is_not_shown() {
    let folder = Session::new();
    folder.put("f", "one\n");
    folder.put("binary", b"one\0");
    crate::session::make_pipe(&folder.path("pipe"));
    for (tool, input) in [
        ("Bash", json!({"command": "sed -i s/one/2/ f; rm f"})),
        ("Bash", json!({"command": "ls"})),
        ("Bash", json!({"command": 1})),
        ("Bash", json!([])),
        ("Edit", json!({"file_path": "f", "old_string": "none", "new_string": "2"})),
        ("Edit", json!({"file_path": "f", "old_string": "", "new_string": "2"})),
        ("Edit", json!({"file_path": "absent", "old_string": "a", "new_string": "2"})),
        ("Edit", json!({"file_path": "f"})),
        ("Write", json!({"file_path": "binary", "content": "a"})),
        ("Write", json!({"file_path": "pipe", "content": "a"})),
        ("Write", json!({"file_path": ".", "content": "a"})),
        ("Read", json!({"file_path": "f"})),
    ] {
        assert_eq!(shown(&folder, tool, input.clone()), None, "{tool} {input}");
    }
}
