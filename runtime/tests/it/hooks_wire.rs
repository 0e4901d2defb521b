//! What hooks outside the process read and write: its shape is public, and kept in files.

use std::path::Path;

use serde_json::{Value, json};
use toolwright::hooks::HookStage;
use toolwright::hooks::wire::{HookInput, HookOutput, ReadInput, input_schema, output_schema};
use toolwright::testing::BLESS;

use super::hooks_config::recorded;

fn check(name: &str, schema: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hooks").join(name);
    let text = format!("{}\n", serde_json::to_string_pretty(schema).expect("schemas are JSON"));
    if std::env::var_os(BLESS).is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
        std::fs::write(&path, text).expect("the fixture can be written");
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "`{name}` has changed: run the test once with {BLESS}=1, and look at the difference"
    );
}

#[test]
fn the_schemas_are_those_in_the_files() {
    check("input.schema.json", input_schema().as_value());
    check("output.schema.json", output_schema().as_value());
}

/// Every event, with the fields that are its own.
const EVENTS: &str = r#"
SessionStart {"source": "startup"}
Setup {"trigger": "init"}
UserPromptSubmit {"prompt": "x"}
UserPromptExpansion {"command_name": "x", "prompt": "y"}
PreToolUse {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
PermissionRequest {"tool_name": "Bash", "tool_input": {}, "permission_suggestions": [{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls"}], "behavior": "allow", "destination": "session"}, {"type": "setMode", "mode": "plan", "destination": "session"}, {"type": "addDirectories", "directories": ["/x"], "destination": "localSettings"}]}
PermissionDenied {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "t", "reason": "no"}
PostToolUse {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "t", "tool_response": {"a": 1}, "duration_ms": 3}
PostToolUseFailure {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "t", "error": "x", "is_interrupt": false}
PostToolBatch {"tool_calls": [{"tool_name": "A", "tool_input": {}, "tool_use_id": "t", "tool_response": "x"}]}
Notification {"message": "x", "notification_type": "idle_prompt"}
MessageDisplay {"message": "x"}
SubagentStart {"agent_id": "a", "agent_type": "b"}
SubagentStop {"stop_hook_active": false, "last_assistant_message": "", "background_tasks": [], "session_crons": [], "agent_transcript_path": "/t", "agent_id": "a", "agent_type": "b"}
TaskCreated {"task_id": "1", "task_subject": "x"}
TaskCompleted {"task_id": "1", "task_subject": "x"}
Stop {"stop_hook_active": true, "last_assistant_message": "x", "background_tasks": [], "session_crons": []}
StopFailure {"error": "overloaded"}
TeammateIdle {"teammate_name": "x"}
InstructionsLoaded {"file_path": "/x", "load_reason": "start"}
ConfigChange {"source": "user_settings"}
CwdChanged {"old_cwd": "/a", "new_cwd": "/b"}
DirectoryAdded {"directory": "/a", "how": "command"}
FileChanged {"file_path": "/a/b", "event": "modified"}
WorktreeCreate {"name": "x"}
WorktreeRemove {"worktree_path": "/x"}
PreCompact {"trigger": "manual", "custom_instructions": ""}
PostCompact {"trigger": "auto"}
Elicitation {"mcp_server_name": "x", "message": "y"}
ElicitationResult {"mcp_server_name": "x", "action": "accept"}
SessionEnd {"reason": "clear"}
"#;

#[test]
fn every_event_has_an_input_and_its_name_is_told_from_it() {
    let schema = input_schema();
    let validator = jsonschema::validator_for(schema.as_value()).expect("it is a schema");
    let mut events = Vec::new();
    for (event, fields) in EVENTS.trim().lines().map(|row| row.split_once(' ').expect("two columns")) {
        let fields: Value = serde_json::from_str(fields).expect("it is JSON");
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
        events.push(read.event.stage());
    }
    events.sort();
    assert_eq!(events, HookStage::ALL);
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
