//! `toolwright run`: a model over HTTP, real tools, a recording, and what a replay of it comes to.

mod allowed;
mod faults;
mod five_tools;
mod late;
mod program;
mod provider;
mod stops;

use serde_json::json;

use super::cli::{out, said, toolwright};
use program::{Place, told};
use provider::{Provider, calls, says};

#[test]
fn a_live_run_is_recorded_and_its_replay_comes_to_the_same() {
    let place = Place::new("live");
    place.put("work/a.txt", "alpha\n");
    let made = [("c1", "Glob", json!({"pattern": "*.txt"})), ("c2", "Read", json!({"file_path": "a.txt"}))];
    let write = json!({"file_path": "new.txt", "content": "written"});
    let forbidden = json!({"command": "rm a.txt"});
    let provider = Provider::new([
        calls("msg_1", &made),
        calls("msg_2", &[("c3", "Write", write), ("c4", "Bash", forbidden), ("c5", "Nothing", json!({}))]),
        says("msg_3", "It is\ndone."),
    ]);
    let output = place.run(&provider, &["--allow", "Edit(new.txt)"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(out(&output), "It is\ndone.\n");
    assert!(said(&output).contains("· Read(a.txt)"), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(place.path("work/new.txt")).expect("it was written"), "written");
    assert!(place.path("work/a.txt").exists(), "nobody was there to allow it");

    let recorded = place.recorded();
    recorded.assert_whole();
    let results = recorded.results();
    assert_eq!(results, told(&provider), "what was recorded is what the model was told");
    assert!(results["c4"].1);
    let turns = recorded.of_type("turn");
    assert_eq!((turns[0]["prompt"].as_str(), turns[0]["model"].as_str()), (Some("do it"), Some("m-1")));
    assert_eq!(turns[0]["mode"], "default");

    let (counts, replayed) = place.replayed();
    assert_eq!((&counts["turns"], &counts["calls"], &counts["repairs"]), (&json!(2), &json!(5), &json!(0)));
    assert_eq!(replayed, results);
}

#[test]
fn agents_and_skills_of_the_usual_folders_are_offered_where_the_project_is_trusted() {
    let place = Place::new("agents");
    place
        .put("work/.claude/agents/scout.md", "---\nname: scout\ndescription: looks\ntools: Read\n---\nLook.");
    place
        .put("work/.claude/skills/greet/SKILL.md", "---\ndescription: greets\n---\nSay hello to $ARGUMENTS.");
    place.put("home/.claude/agents/own.md", "---\nname: own\ndescription: mine\n---\nWork.");
    let task = json!({"description": "look", "prompt": "look", "subagent_type": "scout"});
    let skill = json!({"skill": "greet", "args": "Ann"});
    let answers = || {
        [
            calls("msg_1", &[("c1", "Agent", task.clone())]),
            calls("msg_2", &[("k1", "Read", json!({"file_path": "a.txt"}))]),
            says("msg_3", "found it"),
            calls("msg_4", &[("c2", "Skill", skill.clone())]),
            says("msg_5", "hello Ann"),
        ]
    };
    place.put("work/a.txt", "alpha\n");
    let provider = Provider::new(answers());
    let output = place.run(&provider, &["--trust", "--record", &place.path("other").display().to_string()]);
    assert_eq!(output.status.code(), Some(2), "an option may be given once");
    let output = place.run(&provider, &["--trust"]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(0), "hello Ann\n"), "{}", said(&output));
    let asked = provider.asked();
    assert_eq!(asked[1]["system"][0]["text"].as_str().or(asked[1]["system"].as_str()), Some("Look."));
    let last = asked[4]["messages"].to_string();
    assert!(last.contains("found it") && last.contains("Say hello to Ann."), "{last}");
    let recorded = place.recorded();
    recorded.assert_whole();
    assert_eq!(recorded.of_type("tool_use").len(), 2, "an agent's calls are its own");
    assert_eq!(recorded.0.last().expect("it has lines")["counts"]["sidechain_calls"], 1);
    let (counts, replayed) = place.replayed();
    assert_eq!(counts["sidechain_calls"], 1);
    assert_eq!(replayed, recorded.results());

    std::fs::remove_file(place.recording()).expect("it is there");
    let provider = Provider::new(answers().into_iter().take(1).chain([says("msg_2", "no scout")]));
    let output = place.run(&provider, &[]);
    assert!(said(&output).contains("`--trust` takes them"), "{}", said(&output));
    let tools = provider.asked()[0]["tools"].to_string();
    assert!(tools.contains("own: mine") && !tools.contains("scout"), "{tools}");
    assert!(told(&provider)["c1"].1, "there is no such agent");
}

#[test]
fn a_recording_is_a_script_that_runs_without_a_network() {
    let place = Place::new("script");
    place.put("work/a.txt", "alpha\n");
    place.put(
        "script.twt.jsonl",
        concat!(
            "{\"type\":\"turn\",\"id\":\"t1\",\"text\":\"I look.\"}\n",
            "{\"type\":\"tool_use\",\"turn\":\"t1\",\"id\":\"c1\",\"name\":\"Read\",\"input\":{\"file_path\":\"a.txt\"}}\n",
        ),
    );
    let script = format!("script:{}", place.path("script.twt.jsonl").display());
    let record = place.recording().display().to_string();
    let output = place.bare(&["--model", &script, "--record", &record]).output().expect("it was built");
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(0), "I look.\n"), "{}", said(&output));
    let recorded = place.recorded();
    recorded.assert_whole();
    assert!(recorded.results()["c1"].0.to_string().contains("alpha"));
    assert_eq!(place.replayed().1, recorded.results());
}

#[test]
fn one_call_of_a_tool_that_needs_a_model_says_what_offers_it() {
    for tool in ["Agent", "Task", "Skill", "SendMessage"] {
        let output = toolwright(&["call", tool, "{}"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("toolwright run"), "{tool}: {}", said(&output));
    }
}

#[test]
fn a_run_stops_at_what_it_may_spend_with_every_call_answered() {
    let place = Place::new("budget");
    place.put("work/a.txt", "alpha\n");
    let provider = Provider::new([calls("msg_1", &[("c1", "Read", json!({"file_path": "a.txt"}))])]);
    let output = place.run(&provider, &["--max-turns", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("--max-turns"), "{}", said(&output));
    place.recorded().assert_whole();
}
