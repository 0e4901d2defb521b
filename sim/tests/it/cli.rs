//! The program: what it prints, and with which code it ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use toolwright::contract::SessionFacts;
use toolwright::registry::Pool;

/// A folder of one test, removed at its end.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        Folder(path)
    }

    pub(super) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("the folder can be written");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

pub(super) fn toolwright(arguments: &[&str]) -> Output {
    let program =
        Command::new(env!("CARGO_BIN_EXE_toolwright")).args(arguments).stdin(Stdio::null()).output();
    program.expect("the program was built for this test")
}

pub(super) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(super) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A session with two reads side by side and a command, and one line that is broken.
const SESSION: &str = r#"{"type":"user","uuid":"u1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","message":{"role":"user","content":"look"}}
{"type":"assistant","uuid":"a1","timestamp":"2026-01-01T00:00:01.000Z","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/w/a"}}]}}
{"type":"assistant","uuid":"a2","timestamp":"2026-01-01T00:00:01.200Z","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/w/b"}}]}}
{"type": broken
{"type":"user","uuid":"r2","timestamp":"2026-01-01T00:00:01.300Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"b"}]}}
{"type":"user","uuid":"r1","timestamp":"2026-01-01T00:00:01.400Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}
{"type":"assistant","uuid":"a3","timestamp":"2026-01-01T00:00:02.000Z","message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"t3","name":"Bash","input":{"command":"make"}}]}}
"#;

#[test]
fn the_bundled_example_is_replayed_with_a_timeline_and_a_summary() {
    let output = toolwright(&["replay"]);
    let text = out(&output);
    assert!(output.status.success(), "{}", said(&output));
    for piece in ["turn 1: 4 calls in 1 batch", "█", "denied by person", "refused:", "every invariant held"]
    {
        assert!(text.contains(piece), "{piece}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "no colours where nobody looks");
}

#[test]
fn the_readable_rest_of_a_broken_recording_is_replayed_and_every_repair_said() {
    let folder = Folder::new("broken");
    let file = folder.put("session.jsonl", SESSION);
    let output = toolwright(&["replay", &file]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(text.contains("2 turns, 3 calls in 2 batches, at most 2 side by side"), "{text}");
    assert!(text.contains("line 4: "), "the broken line: {text}");
    assert!(text.contains("has no result"), "the unanswered call: {text}");
}

#[test]
fn counts_come_as_one_object_a_file_with_every_promised_key() {
    let folder = Folder::new("json");
    let (one, two) = (folder.put("one.jsonl", SESSION), folder.put("two.jsonl", SESSION));
    let output = toolwright(&["replay", "--json", "--seed", "7", &one, &two]);
    let lines: Vec<Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    let keys = "file turns calls max_calls_in_a_turn sidechain_turns sidechain_calls error_results calls_without_result \
                results_without_call batches max_side_by_side stand_ins repairs violations virtual_ms digest results_digest";
    for key in keys.split_whitespace() {
        assert!(lines[0].get(key).is_some(), "{key}");
    }
    assert_eq!(lines[0]["digest"], lines[1]["digest"], "the name of the file is no part of the trace");
    assert_eq!(lines[0]["calls"], 3);
    assert_eq!(lines[0]["error_results"], 1);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_the_same_results() {
    let folder = Folder::new("seeds");
    let file = folder.put("session.jsonl", SESSION);
    let events = |seed: &str| out(&toolwright(&["replay", "--events", "--seed", seed, &file]));
    assert_eq!(events("1"), events("1"));
    let results = |seed: &str| {
        let line: Value =
            serde_json::from_str(&out(&toolwright(&["replay", "--json", "--seed", seed, &file])))
                .expect("JSON");
        line["results_digest"].clone()
    };
    assert_eq!(results("1"), results("2"));
    assert!((2..20).any(|seed| events(&seed.to_string()) != events("1")), "some seed gives another schedule");
}

#[test]
fn what_cannot_be_read_ends_with_2_and_a_message_that_names_it() {
    let folder = Folder::new("unreadable");
    let cases = [
        (folder.put("empty.jsonl", ""), "is empty"),
        (folder.put("bytes.jsonl", [0xff, 0xfe, 0x00, 0x80]), "not UTF-8"),
        (folder.put("lines.jsonl", "nonsense\nmore\n"), "lines.jsonl"),
        (folder.put("other.json", "{\"a\":1}"), "other.json"),
        (folder.0.display().to_string(), "is a directory"),
        (folder.0.join("missing").display().to_string(), "does not exist"),
    ];
    for (file, piece) in cases {
        let output = toolwright(&["replay", &file]);
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(said(&output).contains(piece), "{file}: {}", said(&output));
    }
}

#[test]
fn one_unreadable_file_among_several_does_not_stop_the_others() {
    let folder = Folder::new("some");
    let file = folder.put("session.jsonl", SESSION);
    let output = toolwright(&["replay", "--json", "missing.jsonl", &file]);
    assert_eq!((output.status.code(), out(&output).lines().count()), (Some(1), 1), "{}", said(&output));
}

#[test]
fn bad_usage_ends_with_2() {
    for arguments in [
        &["replay", "--seed", "x"][..],
        &["replay", "--mode", "nonsense"],
        &["replay", "--events", "a", "b"],
        &["replay", "--json", "--events"],
        &["call", "Read"],
        &["call", "Read", "{}", "--cwd", "/does/not/exist"],
        &["nonsense"],
        &[],
    ] {
        assert_eq!(toolwright(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn an_import_replays_like_its_source_and_overwrites_nothing() {
    let folder = Folder::new("import");
    let file = folder.put("session.jsonl", SESSION);
    let target = folder.0.join("session.twt.jsonl").display().to_string();
    assert_eq!(toolwright(&["import", &file, "-o", &target]).status.code(), Some(0));
    let results = |file: &str| {
        let line: Value = serde_json::from_str(&out(&toolwright(&["replay", "--json", file]))).expect("JSON");
        (line["results_digest"].clone(), line["digest"].clone())
    };
    assert_eq!(results(&file), results(&target));
    assert_eq!(toolwright(&["import", &file, "-o", &target]).status.code(), Some(2), "it is there already");
}

#[test]
fn a_call_goes_through_the_whole_pipeline() {
    let folder = Folder::new("call");
    folder.put("note.txt", "one\ntwo\n");
    let cwd = folder.0.display().to_string();
    let call = |more: &[&str]| {
        let output = toolwright(&[&["call"], more, &["--cwd", &cwd, "--json"]].concat());
        let lines: Vec<Value> =
            out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let events: Vec<String> =
            lines.iter().filter_map(|line| line["event"].as_str().map(str::to_owned)).collect();
        (output.status.code(), events, lines.last().cloned().unwrap_or_default())
    };
    let (code, events, result) = call(&["Read", r#"{"file_path":"note.txt","limit":"1"}"#]);
    assert_eq!(code, Some(0), "{result}");
    assert_eq!(
        events,
        [
            "turn_started",
            "planned",
            "coerced",
            "decided",
            "started",
            "finished",
            "rendered",
            "result",
            "turn_ended"
        ]
    );
    assert!(result["content"].as_str().is_some_and(|text| text.contains("one")), "{result}");

    let write = ["Write", r#"{"file_path":"new.txt","content":"x"}"#];
    let (code, events, _) = call(&write);
    assert_eq!(code, Some(1), "nobody can be asked");
    assert!(!events.contains(&"started".to_owned()));
    let (code, ..) = call(&[&write[..], &["--allow", "Edit(new.txt)", "--deny", "Edit(*.txt)"]].concat());
    assert_eq!(code, Some(1), "a deny of the same source wins");
    assert!(!folder.0.join("new.txt").exists());
    let (code, ..) = call(&[&write[..], &["--allow", "Edit(new.txt)"]].concat());
    assert_eq!(code, Some(0));
    assert_eq!(std::fs::read_to_string(folder.0.join("new.txt")).expect("it was written"), "x");
}

#[test]
fn the_tools_come_as_the_model_gets_them() {
    let output = toolwright(&["tools", "--json"]);
    let tools: Vec<Value> = serde_json::from_str(&out(&output)).expect("a JSON array");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let pool = Pool::new(&toolwright_tools::catalogue(), &SessionFacts::default(), |_form| true);
    let listed: Vec<&str> = pool.tools().iter().map(|tool| &*tool.form().name).collect();
    assert_eq!(names, listed);
    assert!(names.is_sorted() && ["Bash", "Edit", "Read"].iter().all(|name| names.contains(name)));
    assert!(tools.iter().all(|tool| tool["input_schema"]["type"] == "object"));
    assert_eq!(out(&output), out(&toolwright(&["tools", "--json"])), "the same bytes each time");
}

#[test]
fn a_call_is_judged_under_the_settings_it_is_given_and_their_hooks_run() {
    let folder = Folder::new("call-settings");
    let cwd = folder.0.display().to_string();
    let settings = |hook: &str| {
        let handler = serde_json::json!({"type": "command", "command": hook});
        serde_json::json!({"permissions": {"allow": ["Bash(echo *)"], "deny": ["Bash(rm *)"]},
            "hooks": {"PreToolUse": [{"hooks": [handler]}]}})
        .to_string()
    };
    for (hook, command, code, text) in [
        ("exit 0", "echo ran", 0, "ran"),
        ("echo 'the hook says no' >&2; exit 2", "echo ran", 1, "the hook says no"),
        ("exit 0", "rm x", 1, "permission denied by the rule"),
        ("exit 0", "make", 1, "there is no one to ask"),
    ] {
        let input = serde_json::json!({ "command": command }).to_string();
        let output = toolwright(&["call", "Bash", &input, "--cwd", &cwd, "--settings", &settings(hook)]);
        assert_eq!(output.status.code(), Some(code), "{hook} {command}: {}", said(&output));
        assert!(out(&output).contains(text), "{hook} {command}: {}", out(&output));
    }
    let output = toolwright(&["call", "Bash", r#"{"command":"echo ran"}"#, "--cwd", &cwd, "--settings", "{"]);
    assert_eq!(output.status.code(), Some(1), "what may have lost a denial allows nothing");
    assert!(said(&output).contains("is not closed"), "{}", said(&output));
}

#[test]
fn a_hook_that_fails_is_told_though_the_call_runs() {
    let folder = Folder::new("call-notices");
    let cwd = folder.0.display().to_string();
    for (hook, wanted) in [
        ("echo oops >&2; exit 1", "it exited with 1: oops"),
        ("exec /does/not/exist", "it cannot be started"),
        ("echo '{broken'", "begins as JSON and is none"),
    ] {
        let settings =
            serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": hook}]}]}});
        let input = r#"{"command":"echo ran"}"#;
        let output = toolwright(&["call", "Bash", input, "--cwd", &cwd, "--settings", &settings.to_string()]);
        assert_eq!(output.status.code(), Some(0), "{hook}: {}", said(&output));
        assert!(out(&output).contains("ran"), "{hook}: {}", out(&output));
        assert!(said(&output).contains("PreToolUse hook `"), "{hook}: {}", said(&output));
        assert!(said(&output).contains(wanted), "{hook}: {}", said(&output));
    }
}

#[test]
fn a_replay_says_that_it_runs_no_hooks() {
    let settings = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#;
    let output = toolwright(&["replay", "--settings", settings]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        said(&output).contains("a replay starts nothing: 1 hook of the settings left out"),
        "{}",
        said(&output)
    );
    assert!(!said(&toolwright(&["replay", "--settings", "{}"])).contains("left out"));
}
