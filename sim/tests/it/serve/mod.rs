//! `toolwright serve`, driven by the official Python client, and what its command line refuses. `TOOLWRIGHT_PEERS` names
//! the folder that the client is installed in; without it the client's test is skipped.

mod conformance;
mod drops;

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::cli::{Folder, toolwright};

#[test]
fn the_official_client_lists_calls_is_asked_and_told_of_errors() {
    let Some(peers) =
        std::env::var_os("TOOLWRIGHT_PEERS").map(PathBuf::from).filter(|folder| folder.is_dir())
    else {
        eprintln!("skipped: `TOOLWRIGHT_PEERS` names no folder with the client");
        return;
    };
    let folder = Folder::new("serve");
    folder.put("a.txt", "one\ntwo\n");
    let path = folder.0.canonicalize().expect("it is there");
    let here = path.display().to_string();
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/serve/client.py");
    let ran = Command::new(peers.join("py/bin/python"))
        .args([
            client,
            env!("CARGO_BIN_EXE_toolwright"),
            &here,
            "serve",
            "--cwd",
            &here,
            "--tools",
            "Read,Write,Edit,Glob",
        ])
        .output()
        .expect("the client starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    let seen: Value = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&ran.stderr)));
    assert_eq!(seen["tools"], serde_json::json!(["Edit", "Glob", "Read", "Write"]));
    assert_eq!(seen["read_only"], serde_json::json!(["Glob", "Read"]));
    assert!(
        seen["read"][0] == false && seen["read"][1].as_str().is_some_and(|text| text.contains("one")),
        "{seen}"
    );
    assert_eq!((&seen["yes"][0], &seen["no"][0]), (&Value::Bool(false), &Value::Bool(true)), "{seen}");
    assert_eq!(std::fs::read_to_string(path.join("no.txt")).ok(), None, "what was refused was not written");
    assert_eq!(seen["edit"][0], false, "what one request wrote another may edit: {seen}");
    assert_eq!(std::fs::read_to_string(path.join("yes.txt")).expect("it was written"), "11");
    assert!(
        seen["wrong"][0] == true && seen["wrong"][1].as_str().is_some_and(|text| text.contains("file_path")),
        "{seen}"
    );
    assert_eq!(seen["together"], serde_json::to_value([false; 8]).expect("it is JSON"), "{seen}");
    let asked = seen["asked"].as_array().expect("it is a list");
    assert!(asked.iter().any(|text| text.as_str().is_some_and(|text| text.contains("no.txt"))), "{seen}");
}

#[test]
fn a_tool_that_there_is_not_and_a_wrong_address_are_told() {
    let unknown = toolwright(&["serve", "--tools", "Read,Reed"]);
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(
        unknown.status.code() == Some(2) && said.contains("no tool `Reed`") && said.contains("Grep"),
        "{said}"
    );
    let address = toolwright(&["serve", "--http", "nowhere"]);
    assert_eq!(address.status.code(), Some(2));
    let closed = toolwright(&["serve"]);
    assert!(closed.stdout.is_empty(), "a client that has gone is told nothing");
}

#[test]
fn tools_explains_at_which_stage_each_fell_and_what_the_others_cost() {
    let output =
        toolwright(&["tools", "--explain", "--json", "--deny", "Write", "--feature", "embedded_search"]);
    let explained: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let tool = |name: &str| {
        let all = explained["tools"].as_array().expect("it is a list");
        all.iter()
            .find(|tool| tool["name"] == name)
            .unwrap_or_else(|| panic!("no {name}: {explained}"))
            .clone()
    };
    assert!(
        tool("Write")["fell_at"] == "rules"
            && tool("Write")["why"].as_str().is_some_and(|why| why.contains("Write"))
    );
    assert!(tool("Grep")["fell_at"] == "listed" && tool("Glob")["stayed"] == false, "{explained}");
    let all = explained["tools"].as_array().expect("it is a list");
    let sent: u64 =
        all.iter().filter(|tool| tool["sent"] == true).filter_map(|tool| tool["tokens"].as_u64()).sum();
    assert!(sent > 0 && explained["tokens_sent"] == sent, "{explained}");
    let shown = toolwright(&["tools", "--explain", "--deny", "Write"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.lines().any(|line| line.starts_with("Write") && line.contains("rules")), "{shown}");
    assert!(shown.contains("tokens sent"), "{shown}");
    let whole = toolwright(&["tools", "--json", "--deny", "Write"]);
    let whole: Vec<Value> = serde_json::from_slice(&whole.stdout).expect("it is JSON");
    assert!(whole.iter().all(|tool| tool["name"] != "Write"), "what is denied as a whole is not sent");
}

#[test]
fn tools_of_servers_in_settings_are_deferred_and_a_server_that_fails_is_told() {
    let folder = Folder::new("servers");
    let settings = serde_json::json!({"mcpServers": {
        "missing": {"command": "/nonexistent/server", "args": ["${TOOLWRIGHT_TEST_UNSET}"]},
        "old": {"type": "sse", "url": "http://127.0.0.1:9/"},
    }});
    let file = folder.put("settings.json", settings.to_string());
    let output = toolwright(&["tools", "--explain", "--json", "--settings", &file]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("`missing`") && said.contains("could not be started"), "{said}");
    assert!(said.contains("TOOLWRIGHT_TEST_UNSET") && said.contains("`sse` is not supported"), "{said}");
    let explained: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let names: Vec<&str> = explained["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(names.contains(&"ToolSearch") && names.contains(&"ReadMcpResource"), "{names:?}");
}

/// Both sides at once: a run searches for, loads and calls a tool that another of our processes serves.
#[test]
fn a_run_finds_loads_and_calls_what_another_process_serves_and_ends_it() {
    let folder = Folder::new("both-sides");
    let file = folder.put("a.txt", "one\ntwo\n");
    let here = folder.0.display().to_string();
    let lines = [
        serde_json::json!({"type": "header", "version": 1, "source": {"format": "toolwright"}}),
        serde_json::json!({"type": "turn", "id": "t1"}),
        serde_json::json!({"type": "tool_use", "turn": "t1", "id": "c1", "name": "mcp__us__Read", "input": {}}),
        serde_json::json!({"type": "turn", "id": "t2"}),
        serde_json::json!({"type": "tool_use", "turn": "t2", "id": "c2", "name": "ToolSearch", "input": {"query": "+us read"}}),
        serde_json::json!({"type": "turn", "id": "t3"}),
        serde_json::json!({"type": "tool_use", "turn": "t3", "id": "c3", "name": "mcp__us__Read",
            "input": {"file_path": file, "limit": "1"}}),
    ];
    let script = folder.put("script.twt.jsonl", lines.map(|line| line.to_string() + "\n").concat());
    let settings = serde_json::json!({"mcpServers": {"us": {
        "command": env!("CARGO_BIN_EXE_toolwright"), "args": ["serve", "--tools", "Read", "--cwd", here]}}});
    let record = folder.0.join("record.twt.jsonl").display().to_string();
    let ran = toolwright(&[
        "run",
        "go",
        "--model",
        &format!("script:{script}"),
        "--headless",
        "--cwd",
        &here,
        "--allow",
        "mcp__us",
        "--settings",
        &settings.to_string(),
        "--record",
        &record,
    ]);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let recorded = std::fs::read_to_string(&record).unwrap_or_else(|_| panic!("{said}"));
    assert!(recorded.contains("select:mcp__us__Read"), "the first call says how to load it: {recorded}");
    assert!(recorded.contains("lines 1 to 1 of 2"), "the number came as one: {recorded}");
    let left = std::fs::read_dir("/proc").map(|processes| {
        let works_there = |process: &std::fs::DirEntry| {
            std::fs::read(process.path().join("cmdline"))
                .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&*here))
        };
        processes.flatten().filter(works_there).count()
    });
    assert_eq!(left.unwrap_or(0), 0, "the server has ended with the run");
}
