//! Which commands count as reading a file, so that it may be changed afterwards.

use serde_json::json;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::session::Session as Toolwright;

use crate::session::Session;

async fn call(session: &Toolwright, tool: &str, input: serde_json::Value) -> (bool, String) {
    let turn = Turn::new(vec![ToolUse::new("call", tool, input.to_string())]);
    let result = session.run_turn(turn).await.results.remove(0);
    (result.is_error, result.content.to_text())
}

/// Whether a file can be changed once a command has run.
async fn can_be_edited_after(command: &str) -> bool {
    let folder = Session::new();
    folder.put("f", "one\ntwo\n");
    folder.put("g", "one\n");
    std::fs::create_dir(folder.path("d")).expect("folders can be made");
    let session = Toolwright::builder(Env::tokio().expect("inside a runtime"), toolwright_tools::catalogue())
        .context(Context::new(folder.path("")))
        .mode(Mode::BypassPermissions)
        .build();
    let (failed, text) = call(&session, "Bash", json!({"command": command})).await;
    assert!(!failed, "{command}: {text}");
    let edit = json!({"file_path": folder.path("f"), "old_string": "two", "new_string": "2"});
    let (failed, text) = call(&session, "Edit", edit).await;
    assert!(!failed || text.contains("has not been read yet"), "{command}: {text}");
    !failed
}

#[tokio::test]
async fn a_command_that_only_shows_one_file_counts_as_reading_it() {
    for command in [
        "cat f",
        "cat ./f",
        "cat -n f",
        "head -1 f",
        "tail -n 1 f",
        "sed -n 1p f",
        "sed -n '1,2p' ./f",
        "nl f",
        "grep two f",
        "grep -n o f",
    ] {
        assert!(can_be_edited_after(command).await, "{command}");
    }
}

/// What cannot be read as a notebook can be mended all the same, as its error says.
#[tokio::test]
async fn a_broken_notebook_is_seen_by_a_command_and_written_anew() {
    let folder = Session::new();
    let session = Toolwright::builder(Env::tokio().expect("inside a runtime"), toolwright_tools::catalogue())
        .context(Context::new(folder.path("")))
        .mode(Mode::BypassPermissions)
        .build();
    for broken in ["{\"cells\": [\n", "[4, 5, {}, [], []]", "[]"] {
        folder.put("n.ipynb", broken);
        let path = folder.path("n.ipynb");
        let (failed, text) = call(&session, "Read", json!({"file_path": path})).await;
        assert!(
            failed && text.contains("is not a notebook") && text.contains("with `cat`"),
            "{broken}: {text}"
        );
        assert!(!text.contains("struct"), "{text}");
        let write = json!({"file_path": path, "content": "{\"cells\": [], \"nbformat\": 4}"});
        let (failed, text) = call(&session, "Write", write.clone()).await;
        assert!(failed && text.contains("read"), "{text}");
        call(&session, "Bash", json!({"command": "cat n.ipynb"})).await;
        let (failed, text) = call(&session, "Write", write).await;
        assert!(!failed, "{broken}: {text}");
    }
}

#[tokio::test]
async fn a_command_that_does_more_or_shows_something_else_does_not() {
    for command in [
        "cat f | head -1",
        "cat f g",
        "cat g",
        "cat f; true",
        "cat f > g",
        "wc -l f",
        "grep none f",
        "grep -r two .",
        "sed 1d f",
        "echo f",
        "(cat f) | cat",
        // What shows nothing of it.
        "cat f > /dev/null",
        "cat f >/dev/null 2>&1",
        "head -n 0 f",
        "head -c 0 f",
        "tail -n0 f",
        "sed -n '' f",
        "sed -n = f",
        "sed -n '$=' f",
        "grep -q two f",
        "grep -c two f",
        "grep -l two f",
    ] {
        assert!(!can_be_edited_after(command).await, "{command}");
    }
}
