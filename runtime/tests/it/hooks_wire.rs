//! What hooks outside the process read and write: its shape is public, and kept in files.

use std::path::Path;

use serde_json::{Value, json};
use toolwright::hooks::HookStage;
use toolwright::hooks::wire::{HookInput, HookOutput, ReadInput, input_schema, output_schema};
use toolwright::testing::check_golden_text;

use super::hooks_config::recorded;

fn check(name: &str, schema: &Value) {
    let text = format!("{}\n", serde_json::to_string_pretty(schema).expect("schemas are JSON"));
    check_golden_text(&text, format!("tests/fixtures/hooks/{name}"));
}

#[test]
fn the_schemas_are_those_in_the_files() {
    check("input.schema.json", input_schema().as_value());
    check("output.schema.json", output_schema().as_value());
}

/// Every event, with the fields that are its own: a file each, named as the event is.
fn events() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hooks/events");
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let event = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("the folder can be listed").path();
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        (name, serde_json::from_str(&text).expect("it is JSON"))
    };
    entries.map(event).collect()
}

#[test]
fn every_event_has_an_input_and_its_name_is_told_from_it() {
    let schema = input_schema();
    let validator = jsonschema::validator_for(schema.as_value()).expect("it is a schema");
    let mut known = Vec::new();
    for (event, fields) in events() {
        let mut input =
            json!({"session_id": "s", "transcript_path": "/t", "cwd": "/w", "hook_event_name": event});
        let all = input.as_object_mut().expect("it is an object");
        all.extend(fields.as_object().expect("it is an object").clone());
        assert!(
            validator.is_valid(&input),
            "{event}: {:?}",
            validator.iter_errors(&input).collect::<Vec<_>>()
        );
        let read = HookInput::read(&input.to_string()).expect("it is an input");
        let ReadInput::Known(read) = read else { panic!("{event} is not known") };
        assert_eq!(
            serde_json::to_value(&read).expect("inputs are JSON"),
            input,
            "{event} comes back as it was"
        );
        assert_eq!(read.event.stage().name(), event);
        known.push(read.event.stage());
    }
    known.sort();
    assert_eq!(known, HookStage::ALL);
    assert!(HookStage::ALL.iter().all(|stage| HookStage::named(stage.name()) == Some(*stage)));
}

#[test]
fn recorded_inputs_are_read_also_those_of_events_to_come() {
    let files = recorded("hook-inputs");
    let mut unknown = 0;
    for (name, text) in &files {
        match HookInput::read(text) {
            Ok(ReadInput::Known(_)) => {}
            Ok(ReadInput::Unknown { event, .. }) => {
                assert!(name.contains("unknown"), "{name}: {event}");
                unknown += 1;
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert!(files.is_empty() || unknown == 1, "{unknown}");
}

#[test]
fn what_is_no_input_is_refused() {
    for text in ["", "[]", "{}", r#"{"hook_event_name": 3}"#, r#"{"hook_event_name": "PreToolUse"}"#] {
        assert!(HookInput::read(text).is_err(), "{text}");
    }
}

#[test]
fn an_output_is_read_with_what_is_new_in_it_and_refused_where_it_is_wrong() {
    let schema = output_schema();
    let validator = jsonschema::validator_for(schema.as_value()).expect("it is a schema");
    for (output, is_good) in [
        (json!({}), true),
        (
            json!({"continue": false, "stopReason": "x", "suppressOutput": true, "systemMessage": "y", "new": 1}),
            true,
        ),
        (json!({"decision": "approve", "reason": "x"}), true),
        (json!({"decision": "maybe"}), false),
        (json!({"continue": "no"}), false),
        (json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}}), true),
        (
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "perhaps"}}),
            false,
        ),
        (json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": [1]}}), false),
        (json!({"hookSpecificOutput": {"permissionDecision": "allow"}}), false),
        (json!({"hookSpecificOutput": {"hookEventName": "Nope"}}), false),
        (
            json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow",
            "updatedInput": {}, "updatedPermissions": [{"type": "setMode", "mode": "plan", "destination": "session"}]}}}),
            true,
        ),
        (
            json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "interrupt": true}}}),
            true,
        ),
        (
            json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "ask"}}}),
            false,
        ),
        (
            json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {"a": 1}, "updatedMCPToolOutput": "x"}}),
            true,
        ),
        (
            json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x", "watchPaths": ["/a"]}}),
            true,
        ),
    ] {
        assert_eq!(serde_json::from_value::<HookOutput>(output.clone()).is_ok(), is_good, "{output}");
        assert_eq!(validator.is_valid(&output), is_good, "{output}");
    }
}
