//! Layers: arrays are joined, objects go key by key, and of everything else the highest word counts.

use toolwright::hooks::HookAction;
use toolwright::permission::{Behavior, Mode, Source};
use toolwright::settings::{ExtraSettings, Layer, McpTransport, SettingsFiles};

use super::world::{LOCAL, MANAGED, PROJECT, USER, World, lines, rules};

#[test]
fn rules_of_all_layers_are_joined_with_their_sources() {
    let world = World::new(&[
        (MANAGED, r#"{"permissions": {"deny": ["A"]}}"#),
        (LOCAL, r#"{"permissions": {"allow": ["B"]}}"#),
        (PROJECT, r#"{"permissions": {"ask": ["C"], "deny": ["A"]}}"#),
        (USER, r#"{"permissions": {"allow": ["/x", "D"]}}"#),
        ("/w/other/extra.json", r#"{"permissions": {"deny": ["E"]}}"#),
    ]);
    let world = world.extra(ExtraSettings::File("/w/other/extra.json".into()));
    let settings = world.load();
    let found: Vec<(Behavior, Source, &str)> = settings
        .rules
        .iter()
        .map(|rule| (rule.rule.behavior, rule.rule.source, rule.rule.text.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (Behavior::Deny, Source::PolicySettings, "A"),
            (Behavior::Deny, Source::CliArg, "E"),
            (Behavior::Allow, Source::LocalSettings, "B"),
            (Behavior::Ask, Source::ProjectSettings, "C"),
            (Behavior::Deny, Source::ProjectSettings, "A"),
            (Behavior::Allow, Source::UserSettings, "/x"),
            (Behavior::Allow, Source::UserSettings, "D"),
        ]
    );
    let folders: Vec<Option<&str>> = settings
        .rules
        .iter()
        .map(|rule| rule.rule.folder.as_ref().and_then(|folder| folder.to_str()))
        .collect();
    assert_eq!(folders[1], Some("/w/other"), "`/x` in a file of the command line hangs on its folder");
    assert_eq!(folders[2], None);
    assert_eq!(folders[5], Some("/home/me/.claude"));
}

#[test]
fn scalars_come_from_the_highest_layer_and_objects_go_key_by_key() {
    let world = World::new(&[
        (MANAGED, r#"{"env": {"A": "managed"}, "sandbox": {"enabled": true}}"#),
        (LOCAL, r#"{"env": {"A": "local", "B": "local"}, "permissions": {"defaultMode": "acceptEdits"}}"#),
        (
            USER,
            r#"{"env": {"B": "user", "C": "user"}, "permissions": {"defaultMode": "plan"}, "model": "m",
                "sandbox": {"enabled": false, "excludedCommands": ["git"], "network": {"deniedDomains": ["x"]}},
                "mcpServers": {"s": {"command": "user"}, "t": {"type": "sse", "url": "https://t"}}}"#,
        ),
        (
            "/w/p/extra.json",
            r#"{"mcpServers": {"s": {"command": "extra", "args": ["-x"]}},
                "sandbox": {"excludedCommands": ["docker", "git"]}, "autoMode": {"hard_deny": ["h"]}}"#,
        ),
    ]);
    let settings = world.extra(ExtraSettings::File("/w/p/extra.json".into())).load();
    let told: Vec<&str> = settings.diagnostics.iter().map(|diagnostic| diagnostic.path.as_str()).collect();
    assert_eq!(told, ["autoMode"], "it does nothing here");
    let env: Vec<(&str, &str)> =
        settings.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(env, [("A", "managed"), ("B", "local"), ("C", "user")]);
    assert_eq!(settings.default_mode, Some((Mode::AcceptEdits, Layer::Local)));
    assert_eq!(settings.sandbox.enabled, Some(true));
    assert_eq!(settings.sandbox.excluded_commands, ["docker", "git"]);
    assert_eq!(settings.sandbox.network.denied_domains, ["x"]);
    assert_eq!(settings.auto_mode.hard_deny, ["h"]);
    assert_eq!(settings.other["model"], "m");
    let (layer, server) = &settings.mcp_servers["s"];
    assert_eq!(*layer, Layer::CommandLine);
    let McpTransport::Stdio { command, args, .. } = &server.transport else { panic!("{server:?}") };
    assert_eq!(
        (command.as_str(), args.as_slice()),
        ("extra", ["-x".to_owned()].as_slice()),
        "no entry is mixed"
    );
    assert!(matches!(settings.mcp_servers["t"].1.transport, McpTransport::Sse(_)));
}

#[test]
fn what_does_nothing_here_is_told() {
    for (text, told) in [
        (r#"{"sandbox": {"enabled": true, "failIfUnavailable": true}}"#, &[][..]),
        (
            r#"{"autoMode": {"soft_deny": ["x"]}, "useAutoModeDuringPlan": true}"#,
            &["autoMode", "useAutoModeDuringPlan"],
        ),
        (r#"{"autoMode": {"allow": []}, "useAutoModeDuringPlan": false, "sandbox": {}}"#, &[]),
    ] {
        let settings = World::new(&[(USER, text)]).load();
        let paths: Vec<&str> =
            settings.diagnostics.iter().map(|diagnostic| diagnostic.path.as_str()).collect();
        assert_eq!(paths, told, "{text}");
        assert!(!settings.is_closed(), "{text}");
    }
}

#[test]
fn managed_settings_come_first_also_before_the_sessions_own_choice() {
    let managed = World::new(&[(MANAGED, r#"{"permissions": {"defaultMode": "plan"}}"#)]).load();
    let user = World::new(&[(USER, r#"{"permissions": {"defaultMode": "plan"}}"#)]).load();
    let chosen = Some(Mode::AcceptEdits);
    assert_eq!((managed.mode(chosen), user.mode(chosen)), (Some(Mode::Plan), chosen));
    assert_eq!((managed.mode(None), user.mode(None)), (Some(Mode::Plan), Some(Mode::Plan)));
}

#[test]
fn managed_drop_ins_are_read_in_the_order_of_their_names_and_the_last_comes_first() {
    let world = World::new(&[
        (MANAGED, r#"{"env": {"A": "main"}, "permissions": {"deny": ["Main"]}}"#),
        ("/etc/claude-code/managed-settings.d/10-a.json", r#"{"env": {"A": "10", "B": "10"}}"#),
        (
            "/etc/claude-code/managed-settings.d/20-b.json",
            r#"{"env": {"A": "20"}, "permissions": {"deny": ["B"]}}"#,
        ),
        ("/etc/claude-code/managed-settings.d/README", "no settings"),
    ]);
    let settings = world.load();
    assert_eq!((settings.env["A"].as_str(), settings.env["B"].as_str()), ("20", "10"));
    assert_eq!(rules(&settings), ["Deny B", "Deny Main"]);
}

#[test]
fn where_managed_settings_want_no_other_rules_every_other_is_told() {
    let world = World::new(&[
        (MANAGED, r#"{"allowManagedPermissionRulesOnly": true, "permissions": {"deny": ["A"]}}"#),
        (USER, r#"{"permissions": {"allow": ["B"], "deny": ["C"]}}"#),
    ]);
    let settings = world.load();
    assert_eq!(rules(&settings), ["Deny A"]);
    assert_eq!(settings.diagnostics.len(), 2, "{:?}", settings.diagnostics);
    let broken = World::new(&[
        (MANAGED, r#"{"allowManagedPermissionRulesOnly": "yes"}"#),
        (USER, r#"{"permissions": {"allow": ["B"]}}"#),
    ]);
    assert_eq!(rules(&broken.load()), Vec::<String>::new(), "a switch that cannot be read is on");
}

#[test]
fn the_hooks_of_every_file_are_kept_with_their_switches_and_their_trust() {
    let hooks = r#""hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}"#;
    let world = World::new(&[
        (MANAGED, &format!("{{{hooks}, \"allowManagedHooksOnly\": true}}")),
        (PROJECT, &format!("{{{hooks}}}")),
        (USER, r#"{"disableAllHooks": true}"#),
    ]);
    let settings = world.load();
    let found: Vec<_> = settings
        .hooks
        .iter()
        .map(|hooks| (hooks.hooks.source, hooks.hooks.config.handlers().len(), hooks.hooks.is_trusted))
        .collect();
    assert_eq!(
        found,
        [
            (Source::PolicySettings, 1, true),
            (Source::ProjectSettings, 1, false),
            (Source::UserSettings, 0, true)
        ]
    );
    assert_eq!(settings.hooks[0].hooks.switches.managed_only, Some(true));
    assert_eq!(settings.hooks[2].hooks.switches.disable_all, Some(true));
}

#[test]
fn an_unknown_hook_event_is_told_with_its_place_and_the_rest_of_the_file_applies() {
    let text = r#"{
  "hooks": {
    "PreToolUs": [],
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}, {"type": "pigeon"}]}]
  },
  "permissions": {"deny": ["toString", "Bash(rm *)"]}
}"#;
    let settings = World::new(&[(USER, text)]).load();
    let said = lines(&settings.diagnostics);
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].contains(":3:18: error: `hooks.PreToolUs`: "), "{said:#?}");
    assert!(said[1].contains("`hooks.PreToolUse[0].hooks[1]"), "{said:#?}");
    let handlers = settings.hooks[0].hooks.config.handlers();
    assert!(handlers.iter().any(|handler| matches!(handler.action, HookAction::Command { .. })));
    assert_eq!(rules(&settings), ["Deny toString", "Deny Bash(rm *)"]);
    assert!(!settings.is_closed());
}

#[test]
fn directories_hang_on_the_directory_the_session_begins_in() {
    let world = World::new(&[(
        USER,
        r#"{"permissions": {"additionalDirectories": ["../docs/", "~/notes", "/abs/./x", "../docs"]}}"#,
    )]);
    let settings = world.load();
    let found: Vec<&str> = settings.additional_directories.iter().filter_map(|path| path.to_str()).collect();
    assert_eq!(found, ["/w/docs", "/home/me/notes", "/abs/x"]);
    let homeless = SettingsFiles { home: None, ..world.places() };
    let settings = toolwright::settings::Settings::load(&homeless, &world.files, Default::default());
    assert!(lines(&settings.diagnostics)[0].contains("[1]`: the home directory is not known"));
}

#[test]
fn local_settings_are_at_the_root_of_the_repository_and_in_the_directory_itself() {
    let world = World::new(&[
        ("/w/.git/HEAD", "ref: refs/heads/main\n"),
        ("/w/.claude/settings.local.json", r#"{"permissions": {"allow": ["A"]}}"#),
        (LOCAL, r#"{"permissions": {"deny": ["B"]}}"#),
    ]);
    assert_eq!(rules(&world.load()), ["Allow A", "Deny B"]);
}

#[test]
fn the_users_folder_may_be_elsewhere() {
    let world =
        World::new(&[("/cfg/settings.json", r#"{"permissions": {"allow": ["Read(/x)"]}}"#), (USER, "{")]);
    let places = SettingsFiles::usual("/w/p", Some("/home/me".into()), Some("/cfg".into()), &world.files);
    let settings = toolwright::settings::Settings::load(&places, &world.files, Default::default());
    assert!(!settings.is_closed());
    assert_eq!(settings.rules[0].rule.folder.as_deref(), Some(std::path::Path::new("/cfg")));
}
