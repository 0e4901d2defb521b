//! Servers that answer only when the run is under way: over real streams, with our own server at the other end.

use serde_json::{Value, json};

use super::super::cli::Folder;
use super::program::Place;
use super::provider::{Provider, begin, call, calls, end, gate, says};

/// A server that fails when it is started first, and then waits for the file `go` before it serves.
fn late(place: &Place) -> Value {
    let wait = r#"if mkdir "$0/was"; then exit 1; fi; until [ -e "$0/go" ]; do sleep 0.05; done; exec "$@""#;
    let work = place.path("work").display().to_string();
    let serve = [env!("CARGO_BIN_EXE_toolwright"), "serve", "--tools", "Read", "--cwd", &work];
    let arguments = [&["-c", wait, &work][..], &serve[..]].concat();
    json!({"command": "sh", "args": arguments})
}

fn names(request: &Value) -> Vec<&str> {
    let tools = request["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn tools_of_a_server_that_answers_late_are_announced_found_and_called_behind_all_others() {
    let place = Place::new("late");
    place.put("work/a.txt", "one\ntwo\n");
    let (open, wait) = gate();
    let (glob, load) = (json!({"pattern": "*.txt"}), json!({"query": "select:mcp__late__Read"}));
    let read = json!({"file_path": place.path("work/a.txt"), "limit": "1"});
    let provider = Provider::new([
        calls("msg_1", &[("c1", "Bash", json!({"command": "touch go"}))]),
        vec![begin("msg_2"), wait, call(0, "c2", "Glob", &glob), end("tool_use")],
        calls("msg_3", &[("c3", "ToolSearch", load)]),
        calls("msg_4", &[("c4", "mcp__late__Read", read)]),
        says("msg_5", "done"),
    ]);
    let settings = json!({"mcpServers": {"late": late(&place)}}).to_string();
    let more =
        ["--settings", &settings, "--allow", "mcp__late", "--allow", "Bash(touch go)", "--allow", "Edit(go)"];
    let mut started = place.start(&provider, &more);
    started.until_said("tools have arrived: `mcp__late__Read`");
    open.send(()).expect("the provider waits");
    let (code, said) = started.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the server `late` is still being started"), "{said}");
    let asked = provider.asked();
    assert!(!asked[0].to_string().contains("mcp__late"), "nobody knows of it at first");
    let notes = asked[2]["messages"].to_string();
    assert!(notes.contains("mcp__late__Read") && notes.contains("select:"), "it is announced: {notes}");
    assert_eq!(asked[0]["tools"], asked[2]["tools"], "what was sent stays as it was");
    let last = names(&asked[3]);
    assert_eq!(last.last(), Some(&"mcp__late__Read"), "what is loaded is behind all others");
    assert_eq!(names(&asked[0]), last[..last.len() - 1]);
    let results = place.recorded().results();
    let (content, is_error) = &results["c4"];
    assert!(!is_error && content.to_string().contains("lines 1 to 1 of 2"), "{content}");
    place.recorded().assert_whole();
}

/// In the native way all definitions are sent with a mark, and a result refers to what was found.
#[test]
fn a_provider_that_keeps_definitions_back_is_sent_them_with_the_mark() {
    let folder = Folder::new("native");
    let place = Place::new("native");
    let here = folder.0.display().to_string();
    let serve = ["serve", "--tools", "Read", "--cwd", &here];
    let settings =
        json!({"mcpServers": {"us": {"command": env!("CARGO_BIN_EXE_toolwright"), "args": serve}}});
    let load = json!({"query": "select:mcp__us__Read"});
    let answers = || [calls("msg_1", &[("c1", "ToolSearch", load.clone())]), says("msg_2", "done")];
    for (more, is_marked) in [(&["--backend", "native"][..], true), (&[], false)] {
        let provider = Provider::new(answers());
        let settings = settings.to_string();
        let more = [&["--settings", &settings, "--force"], more].concat();
        let output = place.run(&provider, &more);
        assert_eq!(output.status.code(), Some(0), "{}", super::said(&output));
        let asked = provider.asked();
        let marked = asked[0]["tools"].as_array().into_iter().flatten();
        let marked: Vec<&str> = marked
            .filter(|tool| tool["defer_loading"] == true)
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(marked.contains(&"mcp__us__Read"), is_marked, "{marked:?}");
        assert!(
            !is_marked || marked.contains(&"SendMessage"),
            "what need not be there is deferred: {marked:?}"
        );
        let told = asked[1]["messages"].to_string();
        assert_eq!(
            told.contains("tool_reference"),
            is_marked,
            "an unknown address is no such provider: {told}"
        );
        assert_eq!(
            asked[0]["tools"] == asked[1]["tools"],
            is_marked,
            "else the definition is sent behind the others"
        );
    }
}
