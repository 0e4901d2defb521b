//! Inputs that are much too long: what is said of them is short all the same.

use serde_json::json;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::session::Session as Toolwright;

use crate::session::Session;

/// How long an error may be.
const CHARS_MAX: usize = 700;

#[tokio::test]
async fn no_error_repeats_a_text_that_is_much_too_long() {
    let folder = Session::new();
    folder.put("f", "one\n");
    folder.put("n.ipynb", r#"{"cells": [], "nbformat": 4}"#);
    let long = "x".repeat(100_000);
    let calls = [
        ("Read", json!({"file_path": long})),
        ("Read", json!({"file_path": "n.pdf", "pages": long})),
        ("Write", json!({"file_path": long, "content": ""})),
        ("Edit", json!({"file_path": long, "old_string": "a", "new_string": "b"})),
        ("Edit", json!({"file_path": "f", "old_string": long, "new_string": "b"})),
        ("NotebookEdit", json!({"notebook_path": format!("{long}.ipynb"), "new_source": "", "cell_id": "a"})),
        ("NotebookEdit", json!({"notebook_path": "n.ipynb", "new_source": "", "cell_id": long})),
        ("Glob", json!({"pattern": "*", "path": long})),
        ("Glob", json!({"pattern": format!("{long}/*")})),
        ("Glob", json!({"pattern": format!("{long}[")})),
        ("Grep", json!({"pattern": "x", "path": long})),
        ("Grep", json!({"pattern": format!("{long}(")})),
        ("Grep", json!({"pattern": "x", "type": long})),
        ("Bash", json!({"command": format!("touch {long}")})),
        ("TaskOutput", json!({"task_id": long})),
        ("TaskStop", json!({"task_id": long})),
        (long.as_str(), json!({})),
        ("Read", json!({long.as_str(): 1})),
    ];
    for mode in [Mode::Default, Mode::BypassPermissions] {
        let session =
            Toolwright::builder(Env::tokio().expect("inside a runtime"), toolwright_tools::catalogue())
                .context(Context::new(folder.path("")))
                .mode(mode)
                .build();
        for path in ["f", "n.ipynb"] {
            let read = json!({"file_path": path}).to_string();
            let turn = Turn::new(vec![ToolUse::new("read", "Read", read)]);
            assert!(!session.run_turn(turn).await.results[0].is_error);
        }
        for (tool, input) in &calls {
            let turn = Turn::new(vec![ToolUse::new("call", *tool, input.to_string())]);
            let result = session.run_turn(turn).await.results.remove(0);
            let text = result.content.to_text();
            let (name, chars) = (tool.get(..12).unwrap_or(tool), text.chars().count());
            assert!(result.is_error, "{name}: {}", &text[..text.len().min(200)]);
            assert!(chars <= CHARS_MAX, "{name} says {chars} characters in {mode:?}: {}", &text[..200]);
        }
    }
}
