//! A program of one's own tools, through its process: every command knows them. It is the example `program`, which
//! `cargo test` builds; where it was not built the tests are skipped, but for a run in `CI`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::cli::{Folder, out, said};

/// Three bookings and a look, by an agent that had this tool.
const SESSION: &str = r#"{"type":"header","version":1,"cwd":"/work/station"}
{"type":"turn","id":"t1","prompt":"Book two seats to Lisbon.","text":"I look first.","think_ms":900}
{"type":"tool_use","turn":"t1","id":"c1","name":"Book","input":{"to":"Lisbon"},"arrived_ms":0}
{"type":"tool_use","turn":"t1","id":"c2","name":"Book","input":{"to":"Rome"},"arrived_ms":0}
{"type":"tool_use","turn":"t1","id":"c3","name":"Book","input":{"to":"Lisbon","seats":"2"},"arrived_ms":0}
{"type":"tool_result","id":"c1","content":"10","service_ms":12,"ended_ms":12}
{"type":"tool_result","id":"c2","content":"10","service_ms":9,"ended_ms":9}
{"type":"tool_result","id":"c3","content":"8","service_ms":30,"ended_ms":42}
"#;

/// The program, in a home of its own.
struct Own {
    program: PathBuf,
    folder: Folder,
}

impl Own {
    fn new(name: &str) -> Option<Own> {
        let beside = Path::new(env!("CARGO_BIN_EXE_toolwright"));
        let program =
            beside.with_file_name("examples").join(format!("program{}", std::env::consts::EXE_SUFFIX));
        if !program.is_file() {
            assert!(std::env::var_os("CI").is_none(), "`{}` was not built", program.display());
            eprintln!("skipped: `cargo build -p toolwright-sim --example program` was not run");
            return None;
        }
        Some(Own { program, folder: Folder::new(&format!("own-{name}")) })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(&self.folder.0).env("HOME", &self.folder.0);
        command.env_remove("CLAUDE_CONFIG_DIR").stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the example was built")
    }
}

#[test]
fn the_gate_is_asked_about_ones_own_tool_and_its_rules() {
    let Some(own) = Own::new("check") else { return };
    let code = |arguments: &[&str]| own.run(arguments).status.code();
    let rules = r#"{"permissions": {"allow": ["Book(Lisbon)"], "deny": ["Book(Rome)"]}}"#;
    assert_eq!(code(&["check", "Book(Lisbon)", "--settings", rules]), Some(0));
    assert_eq!(code(&["check", "Book(Rome)", "--settings", rules]), Some(3));
    assert_eq!(code(&["check", "Book", r#"{"to": "Porto", "seats": 2}"#, "--settings", rules]), Some(1));
    assert_eq!(code(&["check", "Bash(ls)"]), Some(0), "the built-in tools are there too");
    let unknown = own.run(&["check", "Boook(Lisbon)"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert_eq!(said(&unknown).trim_end(), "program: there is no tool `Boook`; did you mean `Book`?");
}

#[test]
fn lints_know_ones_own_tool_and_its_parameters() {
    let Some(own) = Own::new("lint") else { return };
    let fine = own.folder.put("fine.json", r#"{"permissions": {"deny": ["Book(Rome)", "Book(to:Oslo)"]}}"#);
    let output = own.run(&["check", "--lint", &fine]);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    assert!(!out(&output).contains("no tool"), "{}", out(&output));
    let wrong = own.folder.put("wrong.json", r#"{"permissions": {"deny": ["Bok", "Book(from:Oslo)"]}}"#);
    let output = own.run(&["check", "--lint", &wrong]);
    assert_eq!(output.status.code(), Some(1));
    for piece in ["there is no tool `Bok` here", "did you mean `Book`?", "`from`"] {
        assert!(out(&output).contains(piece), "{piece}\n{}", out(&output));
    }
}

#[test]
fn calls_run_for_real_and_share_the_state() {
    let Some(own) = Own::new("call") else { return };
    let call = |seats: u32| format!(r#"{{"to": "Lisbon", "seats": {seats}}}"#);
    let output =
        own.run(&["call", "Book", &call(3), "Book", &call(4), "Book", &call(4), "--allow", "Book", "--json"]);
    assert_eq!(output.status.code(), Some(1), "the last asks for more than there is: {}", said(&output));
    let text = out(&output);
    let results = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let results = results.filter(|line| line["type"] == "tool_result");
    let told: Vec<String> = results.map(|line| line["content"].to_string()).collect();
    assert_eq!(told.len(), 3, "{text}");
    assert!(
        told[0].contains('7') && told[1].contains('3') && told[2].contains("only 3 are left"),
        "{told:?}"
    );
}

#[test]
fn the_list_has_ones_own_tool_as_the_model_gets_it() {
    let Some(own) = Own::new("tools") else { return };
    let list: Value = serde_json::from_str(&out(&own.run(&["tools", "--json"]))).expect("it is JSON");
    let names: Vec<&str> =
        list.as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"Book") && names.contains(&"Bash"), "{names:?}");
}

#[test]
fn served_it_is_called_by_a_client() {
    let Some(own) = Own::new("serve") else { return };
    let mut server = own.command(&["serve", "--tools", "Book", "--allow", "Book"]);
    server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = server.spawn().expect("the example was built");
    let mut input = server.stdin.take().expect("it is piped");
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let call = json!({"name": "Book", "arguments": {"to": "Lisbon", "seats": 4}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}),
    ];
    let mut answers = std::io::BufReader::new(server.stdout.take().expect("it is piped"));
    for line in &lines {
        writeln!(input, "{line}").expect("it reads");
    }
    let mut told = std::collections::BTreeMap::new();
    while told.len() < 3 {
        let mut line = String::new();
        let read = std::io::BufRead::read_line(&mut answers, &mut line).expect("it answers");
        assert!(read > 0, "it ended too early: {told:?}");
        let answer: Value = serde_json::from_str(&line).expect("it is JSON");
        if let Some(id) = answer["id"].as_u64() {
            told.insert(id, answer["result"].clone());
        }
    }
    drop(input);
    assert!(server.wait().expect("it ends").success());
    assert_eq!(told[&1]["serverInfo"]["name"], "program", "the program's own name: {told:?}");
    assert_eq!(told[&2]["tools"].as_array().map(Vec::len), Some(1), "{told:?}");
    assert_eq!(told[&2]["tools"][0]["name"], "Book");
    assert_eq!(told[&3]["content"][0]["text"], "6", "{told:?}");
}

#[test]
fn recordings_of_it_are_replayed_explored_and_swept_with_its_own_flags() {
    let Some(own) = Own::new("replay") else { return };
    let file = own.folder.put("s.twt.jsonl", SESSION);
    let replayed = own.run(&["replay", &file, "--json"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", said(&replayed));
    let line: Value = serde_json::from_str(&out(&replayed)).expect("it is JSON");
    let numbers = [&line["stand_ins"], &line["batches"], &line["max_side_by_side"]];
    assert_eq!(
        numbers,
        [&json!(0), &json!(2), &json!(2)],
        "two looks run side by side, the booking alone: {line}"
    );
    for command in [["explore", "--seeds", "40"].as_slice(), &["sweep", "--seeds", "40", "--jobs", "2"]] {
        let output = own.run(&[&command[..1], &[&file, "--json"], &command[1..]].concat());
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", said(&output));
        let found: Value = serde_json::from_str(&out(&output)).expect("it is JSON");
        assert_eq!(found["runs"], 40, "{command:?}: {found}");
    }
}

#[test]
fn it_is_called_by_its_own_name() {
    let Some(own) = Own::new("name") else { return };
    let usage = said(&own.run(&["check"]));
    assert!(usage.contains("Usage: program check") && !usage.contains("toolwright check"), "{usage}");
    let version = out(&own.run(&["--version"]));
    assert_eq!(version.trim(), format!("program, on toolwright {}", env!("CARGO_PKG_VERSION")));
    let loops = said(&own.run(&["call", "Agent", "{}"]));
    assert!(loops.contains("`program run PROMPT --model …`"), "{loops}");
    let plain = super::cli::toolwright(&["--version"]);
    assert_eq!(out(&plain).trim(), format!("toolwright {}", env!("CARGO_PKG_VERSION")));
}
