//! Whose failure cancels whom among real commands and files.

use serde_json::json;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::session::{Session as Toolwright, SiblingPolicy};

use super::session::Session;

fn bash(id: usize, command: &str) -> ToolUse {
    ToolUse::new(format!("c{id}"), "Bash", json!({"command": command}).to_string())
}

fn read(id: usize, path: impl AsRef<std::path::Path>) -> ToolUse {
    ToolUse::new(format!("c{id}"), "Read", json!({"file_path": path.as_ref()}).to_string())
}

async fn run(folder: &Session, policy: SiblingPolicy, calls: Vec<ToolUse>) -> Vec<(bool, String)> {
    let session = Toolwright::builder(Env::tokio().expect("inside a runtime"), toolwright_tools::catalogue())
        .context(Context::new(folder.path("")))
        .mode(Mode::BypassPermissions)
        .siblings(policy)
        .build();
    let results = session.run_turn(Turn::new(calls)).await.results;
    results.into_iter().map(|result| (result.is_error, result.content.to_text())).collect()
}

#[tokio::test]
async fn of_27_calls_one_of_which_finds_nothing_none_is_cancelled() {
    let folder = Session::new();
    let file = folder.put("notes.txt", "one\ntwo\n");
    let call = |id: usize| match id % 3 {
        0 if id == 9 => bash(id, "grep absent notes.txt"),
        0 => bash(id, "grep one notes.txt"),
        1 => read(id, &file),
        _other => bash(id, "cat notes.txt | head -1"),
    };
    for policy in [SiblingPolicy::Marked, SiblingPolicy::Any] {
        let results = run(&folder, policy, (0..27).map(call).collect()).await;
        assert_eq!(results.len(), 27);
        assert!(results.iter().all(|(is_error, _)| !is_error), "{results:#?}");
    }
}

#[tokio::test]
async fn a_read_that_fails_cancels_no_command() {
    let folder = Session::new();
    let calls = vec![bash(0, "sleep 0.3; echo done"), read(1, folder.path("absent")), bash(2, "echo after")];
    let results = run(&folder, SiblingPolicy::Marked, calls).await;
    assert!(results[1].0 && !results[0].0 && !results[2].0, "{results:#?}");
}

#[tokio::test]
async fn a_command_that_fails_cancels_the_others_and_is_named_as_the_cause_unless_the_policy_is_none() {
    let folder = Session::new();
    folder.put("notes.txt", "one\n");
    let calls =
        || vec![bash(0, "cat notes.txt"), bash(1, "cat absent.txt"), bash(2, "echo after > made.txt")];
    let results = run(&folder, SiblingPolicy::Marked, calls()).await;
    assert!(results[1].0, "{results:#?}");
    let cause = "the parallel call Bash(cat absent.txt) failed";
    assert!(results[2].0 && results[2].1.contains(cause), "{results:#?}");
    assert!(!folder.path("made.txt").exists(), "what is cancelled in the line never runs");
    let results = run(&folder, SiblingPolicy::None, calls()).await;
    assert_eq!(results.iter().map(|(is_error, _)| *is_error).collect::<Vec<_>>(), [false, true, false]);
    assert!(folder.path("made.txt").exists());
}
