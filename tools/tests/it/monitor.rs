//! Monitors tell the lines of commands and files as they come, and never more than can be read.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::contract::{Context, SessionFacts, ToolForm};
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::registry::{Catalogue, Pool};
use toolwright::session::Session;
use toolwright_tools::shell::ShellState;
use toolwright_tools::tasks::monitor::Monitor;
use toolwright_tools::tasks::{TaskLimits, Tasks};
use toolwright_tools::{MONITOR, catalogue, catalogue_with};

use crate::living::Living;
use crate::processes::{dies, starts};

fn append(living: &Living, name: &str, text: &str) {
    let mut options = std::fs::File::options();
    let mut file = options.append(true).create(true).open(living.path(name)).expect("files can be written");
    file.write_all(text.as_bytes()).expect("files can be written");
}

async fn watch(living: &Living, mut input: Value) -> String {
    input["description"] = json!("a test");
    living.begin("Monitor", input).await
}

#[tokio::test]
async fn the_lines_of_a_command_are_told_as_they_come_and_then_its_end() {
    let living = Living::new();
    let id = watch(
        &living,
        json!({"command": "echo one; until [ -e go ]; do sleep 0.02; done; printf 'two\\nthree'; exit 2"}),
    )
    .await;
    let first = living.noted("one").await;
    assert!(first.contains(&format!("from the monitor `{id}` (a test):\none")), "{first}");
    assert!(!first.contains("two"));
    std::fs::write(living.path("go"), "").expect("files can be written");
    let rest = living.noted("has ended").await;
    assert!(rest.contains("two\nthree"), "also a line without an end: {rest}");
    assert!(rest.find("three") < rest.find("has ended with exit code 2"), "{rest}");
    let shown = living.call("TaskOutput", json!({"task_id": id})).await.expect("it is known");
    assert!(shown.ends_with("one\ntwo\nthree"), "{shown}");
}

#[tokio::test]
async fn of_a_flood_the_number_is_told_and_one_that_never_stops_is_stopped() {
    let limits = TaskLimits { output_bytes_max: u64::MAX, ..TaskLimits::default() };
    let living = Living::with(Tasks::builder().limits(limits).build());
    let id = watch(
        &living,
        json!({"command": "while :; do seq 91250 91299; sleep 0.05; done", "persistent": true}),
    )
    .await;
    let notes = living.noted("was stopped").await;
    assert!(notes.contains("more lines came at once and are left out"), "{notes}");
    assert!(notes.contains("never stopped flooding"), "{notes}");
    let longest = notes.split("from the monitor").map(|note| note.lines().count()).max().unwrap_or(0);
    assert!(longest < 30, "{longest} lines at once");
    let shown = living.call("TaskOutput", json!({"task_id": id})).await.expect("it is known");
    assert!(shown.contains("flooding"), "{shown}");
}

#[tokio::test]
async fn a_monitor_ends_when_its_time_is_over() {
    let living = Living::new();
    watch(&living, json!({"command": "sleep 92.25", "timeout_ms": 300})).await;
    starts("sleep 92.25").await;
    let notes = living.noted("was stopped").await;
    assert!(notes.contains("its 300 ms are over"), "{notes}");
    assert!(dies("sleep 92.25").await);
}

#[tokio::test]
async fn a_monitor_is_stopped_like_any_task_and_ends_with_the_session() {
    let living = Living::new();
    let id = watch(&living, json!({"command": "sleep 93.25", "persistent": true})).await;
    watch(&living, json!({"command": "sleep 94.25", "persistent": true})).await;
    starts("sleep 94.25").await;
    let said = living.call("TaskStop", json!({"task_id": id})).await.expect("it runs");
    assert!(said.contains("the monitor") && said.contains("was stopped"), "{said}");
    drop(living);
    assert!(dies("sleep 93.25").await && dies("sleep 94.25").await);
}

#[tokio::test]
async fn a_file_is_followed_from_its_end_through_cuts_and_changes_of_its_name() {
    let living = Living::new();
    append(&living, "log", "old\n");
    let id = watch(&living, json!({"file_path": "log", "persistent": true})).await;
    append(&living, "log", "new\n");
    let notes = living.noted("new").await;
    assert!(!notes.contains("old"), "{notes}");
    // At no moment is there no file of that name.
    std::fs::hard_link(living.path("log"), living.path("log.1")).expect("files can have two names");
    append(&living, "log.1", "last of the old one\n");
    append(&living, "log.2", "first of the new one\n");
    std::fs::rename(living.path("log.2"), living.path("log")).expect("files can be renamed");
    let notes = living.noted("first of the new one").await;
    assert!(notes.contains("last of the old one") && notes.contains("another file has its name"), "{notes}");
    std::fs::write(living.path("log"), "cut\n").expect("files can be written");
    let notes = living.noted("cut\n").await;
    assert!(notes.contains("the file was cut"), "{notes}");
    std::fs::remove_file(living.path("log")).expect("files can be removed");
    living.noted("the file is gone").await;
    append(&living, "log", "back\n");
    living.noted("back").await;
    living.call("TaskStop", json!({"task_id": id})).await.expect("it runs");
}

#[tokio::test]
async fn what_can_never_be_watched_is_refused() {
    let living = Living::new();
    std::fs::create_dir(living.path("folder")).expect("folders can be made");
    for (input, reason) in [
        (json!({"command": "ls", "file_path": "x"}), "one monitor watches one of them"),
        (json!({}), "nothing is to be watched"),
        (json!({"command": " "}), "`command` is empty"),
        (json!({"command": "ls\0"}), "zero byte"),
        (json!({"command": "x".repeat(140_000)}), "too long"),
        (json!({"command": "ls", "timeout_ms": 0}), "`timeout_ms` is 0"),
        (json!({"file_path": "folder"}), "is a folder"),
        (json!({"file_path": "/dev/zero"}), "it is no file"),
    ] {
        let mut input = input;
        input["description"] = json!("a test");
        let refused = living.call("Monitor", input).await.expect_err(reason);
        assert!(refused.contains(reason), "{reason}: {refused}");
    }
    let silent = json!({"command": "ls", "description": " "});
    assert!(living.call("Monitor", silent).await.expect_err("why?").contains("`description` is empty"));
}

#[tokio::test]
async fn its_command_is_judged_by_the_rules_for_commands_and_its_file_by_those_for_reading() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().canonicalize().expect("the folder exists");
    let session = Session::builder(Env::tokio().expect("tests run on tokio"), catalogue_with(&Tasks::new()))
        .context(Context::new(root))
        .feature(MONITOR)
        .rule(Behavior::Deny, Source::CliArg, "Bash(touch:*)")
        .rule(Behavior::Deny, Source::CliArg, "Read(secret/**)")
        .rule(Behavior::Allow, Source::CliArg, "Monitor(true)")
        .build();
    for (input, is_allowed) in [
        (json!({"command": "true"}), true),
        (json!({"command": "cat log"}), true),
        (json!({"command": "touch x"}), false),
        (json!({"command": "make"}), false),
        (json!({"file_path": "secret/log"}), false),
        (json!({"file_path": "log"}), true),
    ] {
        let mut input = input;
        input["description"] = json!("a test");
        let turn = Turn::new(vec![ToolUse::new("a", "Monitor", input.to_string())]);
        let result = session.run_turn(turn).await.results.remove(0);
        assert_eq!(!result.is_error, is_allowed, "{input}: {}", result.content.to_text());
    }
}

#[tokio::test]
async fn a_socket_of_the_web_is_no_source_and_the_refusal_says_what_is() {
    let living = Living::new();
    for input in [
        json!({"ws": {"url": "ws://127.0.0.1:1/events"}, "description": "a test"}),
        json!({"ws": {"url": "wss://a.test", "protocols": ["x"]}, "command": "echo a", "description": "a test"}),
    ] {
        let refused = living.call("Monitor", input).await.expect_err("there is no such source");
        assert!(refused.contains("`ws`") && refused.contains("command"), "{refused}");
    }
    assert!(living.tasks.running_in(living.session.ties()).is_empty(), "nothing was begun");
}

#[test]
fn it_is_there_only_where_the_switch_is_on() {
    let with = SessionFacts { features: [MONITOR.to_owned()].into(), ..SessionFacts::default() };
    for (facts, is_there) in [(SessionFacts::default(), false), (with, true)] {
        assert_eq!(Pool::new(&catalogue(), &facts, |_| true).find("Monitor").is_ok(), is_there);
    }
}

#[tokio::test]
async fn the_examples_watch_something() {
    let living = Living::new();
    std::fs::write(living.path("ready"), "").expect("files can be written");
    append(&living, "app.log", "old\n");
    let examples = &Monitor::form().examples;
    assert!(examples.len() >= 3);
    for example in examples.iter() {
        let input = serde_json::from_str(example).expect("examples are JSON");
        living.begin("Monitor", input).await;
    }
    append(&living, "app.log", "a line\n");
    let mut notes = living.noted("a line").await;
    for words in ["event 1\nevent 2", "ready"] {
        if !notes.contains(words) {
            notes = living.noted(words).await;
        }
    }
    tokio::time::sleep(Duration::from_millis(10)).await;
}

#[test]
fn models_see_the_same_bytes_of_it_each_time() {
    let mut catalogue = Catalogue::new();
    catalogue.add_with::<Monitor>(ShellState::default());
    toolwright::testing::check_golden(&catalogue, "tests/it/golden/monitor.jsonl");
}
