//! The hooks of settings files: what cannot be read is a problem with its place, and the rest applies.

use serde_json::{Value, json};
use toolwright::hooks::{HookAction, HookConfig, HookLayer, HookStage};
use toolwright::permission::Source;

use super::shared::shared;

fn problems(hooks: &Value) -> Vec<(String, String)> {
    let (_config, problems) = HookConfig::from_json(hooks);
    problems.into_iter().map(|problem| (problem.pointer, problem.reason)).collect()
}

fn good() -> Value {
    json!({"type": "command", "command": "true"})
}

#[test]
fn a_whole_configuration_is_read() {
    let (config, problems) = HookConfig::from_json(&json!({
        "PreToolUse": [{"matcher": "Edit|Write", "hooks": [
            {"type": "command", "command": "check", "args": ["-x"], "timeout": 1.5, "if": "Edit(src/**)",
             "statusMessage": "checking", "shell": "bash", "async": true},
            {"type": "http", "url": "https://h.example/x", "headers": {"A": "Bearer $T"}, "allowedEnvVars": ["T"]},
        ]}],
        "Stop": [{"hooks": [good()]}, {"matcher": "", "hooks": []}],
    }));
    assert_eq!(problems, []);
    let handlers = config.handlers();
    assert_eq!(handlers.len(), 3);
    assert_eq!(handlers[0].timeout.map(|timeout| timeout.as_millis()), Some(1_500));
    assert_eq!(handlers[0].condition.as_deref(), Some("Edit(src/**)"));
    assert_eq!(handlers[0].status.as_deref(), Some("checking"));
    assert!(
        matches!(&handlers[0].action, HookAction::Command { args: Some(args), is_async: true, .. } if args == &["-x"])
    );
    assert!(matches!(&handlers[1].action, HookAction::Http { allowed_env, .. } if allowed_env == &["T"]));
    assert_eq!(handlers[2].stage, HookStage::Stop);
}

/// A row each: the hooks, the place of the problem, and words of it. `GOOD` is a handler.
const BROKEN: &str = r#"
{"PreTolUse": [{"hooks": [GOOD]}]} => /PreTolUse => did you mean `PreToolUse`?
{"Stop": [{"hooks": [{"type": "command", "command": "x", "once": true}]}]} => /Stop/0/hooks/0/once => runs every time
{"a/b~c": []} => /a~1b~0c => there is no hook event
{"PreToolUse": {}} => /PreToolUse => not an array
{"PreToolUse": [3]} => /PreToolUse/0 => not an object
{"PreToolUse": [{"matcher": "(", "hooks": [GOOD]}]} => /PreToolUse/0/matcher => run for every tool
{"PostToolUse": [{"matcher": "(", "hooks": [GOOD]}]} => /PostToolUse/0/matcher => never run
{"PreToolUse": [{"matcher": 3, "hooks": [GOOD]}]} => /PreToolUse/0/matcher => not a string
{"PreToolUse": [{"matcher": "Bash"}]} => /PreToolUse/0/hooks => no array
{"PreToolUse": [{"hooks": ["x"]}]} => /PreToolUse/0/hooks/0 => asked about
{"Stop": [{"hooks": [{}]}]} => /Stop/0/hooks/0 => no `type`
{"Stop": [{"hooks": [{"type": "mail"}]}]} => /Stop/0/hooks/0/type => no handler type `mail`
{"Stop": [{"hooks": [{"type": 1}]}]} => /Stop/0/hooks/0/type => not a string
{"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]} => /Stop/0/hooks/0/type => cannot be run
{"Stop": [{"hooks": [{"type": "command"}]}]} => /Stop/0/hooks/0 => no `command`
{"Stop": [{"hooks": [{"type": "command", "command": 1}]}]} => /Stop/0/hooks/0/command => not a string
{"Stop": [{"hooks": [{"type": "command", "command": " "}]}]} => /Stop/0/hooks/0/command => empty
{"Stop": [{"hooks": [{"type": "command", "command": "x", "args": [1]}]}]} => /Stop/0/hooks/0/args => array
{"Stop": [{"hooks": [{"type": "command", "command": "x", "shell": "fish"}]}]} => /Stop/0/hooks/0/shell => neither
{"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": -1}]}]} => /Stop/0/hooks/0/timeout => usual time
{"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": "5"}]}]} => /Stop/0/hooks/0/timeout => usual time
{"Stop": [{"hooks": [{"type": "command", "command": "x", "async": 1}]}]} => /Stop/0/hooks/0/async => false
{"Stop": [{"hooks": [{"type": "http"}]}]} => /Stop/0/hooks/0 => no `url`
{"Stop": [{"hooks": [{"type": "http", "url": "u", "headers": {"a": 1}}]}]} => /Stop/0/hooks/0/headers => `a`
{"Stop": [{"hooks": [{"type": "http", "url": "u", "headers": 1}]}]} => /Stop/0/hooks/0/headers => not an object
{"Stop": [{"hooks": [{"type": "http", "url": "u", "allowedEnvVars": "T"}]}]} => /Stop/0/hooks/0/allowedEnvVars => array
{"Stop": [{"hooks": [{"type": "command", "command": "x", "if": "Bash(a)"}]}]} => /Stop/0/hooks/0/if => never runs
{"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "if": 1}]}]} => /PreToolUse/0/hooks/0/if => not a string
{"Stop": [{"matcher": "Bash", "hooks": [GOOD]}]} => /Stop/0/matcher => run always
[] =>  => every call is asked about
"#;

#[test]
fn every_broken_entry_is_told_with_its_place_and_the_rest_applies() {
    for row in BROKEN.trim().lines() {
        let columns: Vec<&str> = row.split("=>").map(str::trim).collect();
        let [hooks, pointer, words] = columns[..] else { panic!("{row}: not three columns") };
        let hooks: Value =
            serde_json::from_str(&hooks.replace("GOOD", &good().to_string())).expect("it is JSON");
        let found = problems(&hooks);
        assert_eq!(found.len(), 1, "{hooks}: {found:?}");
        assert_eq!(found[0].0, pointer, "{hooks}");
        assert!(found[0].1.contains(words), "{hooks}: {}", found[0].1);
        let mut with_rest = hooks.clone();
        let Some(stages) = with_rest.as_object_mut() else { continue };
        stages.insert("SessionEnd".to_owned(), json!([{"hooks": [good()]}]));
        let (config, _) = HookConfig::from_json(&with_rest);
        assert!(config.handlers().iter().any(|handler| handler.stage == HookStage::SessionEnd), "{hooks}");
    }
}

#[test]
fn a_handler_before_calls_that_cannot_be_run_is_kept_to_ask() {
    for hooks in [
        json!([]),
        json!({"PreToolUse": 3}),
        json!({"PreToolUse": [null]}),
        json!({"PreToolUse": [{"matcher": "Bash"}]}),
        json!({"PreToolUse": [{"hooks": [7]}]}),
        json!({"PreToolUse": [{"hooks": [{"type": "agent", "prompt": "x"}]}]}),
        json!({"PreToolUse": [{"hooks": [{"type": "command"}]}]}),
    ] {
        let (config, problems) = HookConfig::from_json(&hooks);
        assert_eq!(problems.len(), 1, "{hooks}");
        assert!(
            matches!(config.handlers(), [one] if matches!(one.action, HookAction::Unrunnable(_))),
            "{hooks}"
        );
    }
}

#[test]
fn switches_that_cannot_be_read_close() {
    let settings = json!({
        "hooks": {"Nope": []},
        "disableAllHooks": "yes", "allowManagedHooksOnly": 1,
        "allowedHttpHookUrls": "https://x", "httpHookAllowedEnvVars": ["A", 1],
    });
    let (layer, problems) = HookLayer::from_settings(Source::UserSettings, &settings);
    assert_eq!(layer.switches.disable_all, None);
    assert_eq!(layer.switches.managed_only, Some(true));
    assert_eq!(layer.switches.http_urls, Some(Vec::new()));
    assert_eq!(layer.switches.http_env, Some(vec!["A".to_owned()]));
    let places: Vec<&str> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
    let wanted = [
        "/hooks/Nope",
        "/disableAllHooks",
        "/allowManagedHooksOnly",
        "/allowedHttpHookUrls",
        "/httpHookAllowedEnvVars",
    ];
    assert_eq!(places, wanted);
    assert!(problems[0].to_string().contains("there is no hook event"), "{}", problems[0]);
}

pub(crate) fn recorded(folder: &str) -> Vec<(String, String)> {
    let Some(shared) = shared(&format!("data/{folder}")) else { return Vec::new() };
    let mut files: Vec<_> = std::fs::read_dir(shared).expect("it can be read").flatten().collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    let read = |file: std::fs::DirEntry| {
        let text = std::fs::read_to_string(file.path()).expect("it is text");
        (file.file_name().to_string_lossy().into_owned(), text)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn recorded_settings_are_read_without_a_problem() {
    let mut handlers = 0;
    let files = recorded("settings");
    for (name, text) in &files {
        let settings: Value = serde_json::from_str(text).expect("it is JSON");
        let (layer, problems) = HookLayer::from_settings(Source::ProjectSettings, &settings);
        handlers += layer.config.handlers().len();
        // `Stop` and its like take no matcher, and `*` and the empty one are none.
        assert_eq!(problems, [], "{name}");
    }
    assert!(files.is_empty() || handlers > 50, "{handlers}");
}
