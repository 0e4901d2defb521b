//! Who let a call run is recorded, and holds in a replay where the rules are not there.

use serde_json::{Value, json};

use super::super::cli::{out, said, toolwright};
use super::program::Place;
use super::provider::{Provider, calls, says};

fn replayed(arguments: &[&str]) -> (Value, String) {
    let json = toolwright(&[&["replay", "--json"], arguments].concat());
    let text = toolwright(&[&["replay"], arguments].concat());
    assert!(json.status.success(), "{}", said(&json));
    (serde_json::from_str(&out(&json)).expect("a replay prints JSON"), out(&text))
}

#[test]
fn a_replay_asks_nobody_where_a_rule_let_the_call_run_and_says_so() {
    let place = Place::new("allowed");
    place.put("work/a.txt", "alpha\n");
    let write = json!({"file_path": "new.txt", "content": "written"});
    let read = json!({"file_path": "a.txt"});
    let provider = Provider::new([
        calls("msg_1", &[("c1", "Write", write)]),
        calls("msg_2", &[("c2", "Read", read)]),
        says("msg_3", "done"),
    ]);
    let output = place.run(&provider, &["--allow", "Edit(new.txt)"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let recorded = place.recorded();
    let result = |id: &str| {
        let results = recorded.of_type("tool_result");
        results.into_iter().find(|line| line["id"] == id).cloned().expect("it has a result")
    };
    let want = json!({"by": "rule", "rule": "Edit(new.txt)", "source": "cliArg"});
    assert_eq!(result("c1")["allowed"], want);
    assert_eq!(result("c2").get("allowed"), None, "nobody need let it run");

    let record = place.recording().display().to_string();
    let (counts, text) = replayed(&[&record]);
    assert_eq!((&counts["asked"], &counts["allowed_as_recorded"]), (&json!(0), &json!(1)), "{text}");
    assert!(text.contains("1 call let run as recorded: the rules that did so are not here"), "{text}");
    let events = out(&toolwright(&["replay", "--events", &record]));
    assert!(events.contains("let run by rule Edit(new.txt) of cliArg"), "{events}");

    let same = place.path("same.json");
    std::fs::write(&same, r#"{"permissions": {"allow": ["Edit(new.txt)"]}}"#)
        .expect("the folder can be written");
    let (counts, _) = replayed(&[&record, "--settings", &same.display().to_string()]);
    assert_eq!(counts["allowed_as_recorded"], 0, "the rule is here and says so itself");
    assert_eq!(counts["started"], 2);

    let other = r#"{"permissions": {"deny": ["Edit(new.txt)"]}}"#;
    let (counts, _) = replayed(&[&record, "--settings", other]);
    assert_eq!(
        (&counts["denied"], &counts["allowed_as_recorded"]),
        (&json!(1), &json!(0)),
        "a rule of the replay denies"
    );
}
