//! Writing back: comments and layout stay, nothing is written twice, and what is not understood is left as it is.

use serde_json::json;
use toolwright::permission::{Behavior, Destination, Mode};
use toolwright::settings::{PermissionUpdate, StoreError, UpdateError, save, update};

use super::world::{LOCAL, PROJECT, USER, World, rules};

fn allow(rule: &str) -> PermissionUpdate {
    PermissionUpdate::AddRules(Behavior::Allow, vec![rule.to_owned()])
}

fn changed(text: &str, updates: &[PermissionUpdate]) -> String {
    let changed = update(Some(text), updates, Destination::UserSettings).expect("it is readable");
    changed.unwrap_or_else(|| text.to_owned())
}

#[test]
fn comments_and_layout_stay() {
    let text = r#"// at the top
{
    /* mine */ "model": "m", // and why
    "permissions": {
        "deny": ["Read(./.env)"],
        "allow": [
            "Bash(ls *)", // harmless
            // the build
            "Bash(make *)"
        ]
    }
}
"#;
    let wanted = text.replace("\"Bash(make *)\"\n", "\"Bash(make *)\",\n            \"Bash(git log *)\"\n");
    assert_eq!(changed(text, &[allow("Bash(git log *)")]), wanted);
    let wanted = text.replace("\"deny\": [\"Read(./.env)\"]", "\"deny\": [\"Read(./.env)\", \"WebFetch\"]");
    let deny = PermissionUpdate::AddRules(Behavior::Deny, vec!["WebFetch".to_owned()]);
    assert_eq!(changed(text, &[deny]), wanted);
    let removed =
        changed(text, &[PermissionUpdate::RemoveRules(Behavior::Allow, vec!["Bash(make *)".to_owned()])]);
    assert!(
        removed.contains("// harmless") && removed.contains("// at the top") && !removed.contains("make")
    );
    for odd in ["{\r\n\t\"a\": 1\r\n}\r\n", "{\"a\":1}", "\u{feff}{\n \"a\": 1\n}"] {
        let new = changed(odd, &[allow("X")]);
        assert_eq!(new.starts_with('\u{feff}'), odd.starts_with('\u{feff}'));
        assert_eq!(new.contains("\r\n"), odd.contains("\r\n"), "{new:?}");
        assert!(new.contains("\"a\""), "{new:?}");
        assert_eq!(rules(&World::new(&[(USER, &new)]).load()), ["Allow X"]);
    }
}

#[test]
fn a_file_that_is_not_there_gets_a_readable_layout() {
    let text = update(None, &[allow("Bash(ls *)")], Destination::LocalSettings).expect("it is new");
    let wanted = "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls *)\"\n    ]\n  }\n}\n";
    assert_eq!(text.as_deref(), Some(wanted));
    assert_eq!(
        update(Some(" \n"), &[allow("Bash(ls *)")], Destination::LocalSettings).expect("empty").as_deref(),
        Some(wanted)
    );
}

#[test]
fn what_is_there_already_changes_nothing() {
    let text = "{\"permissions\": {\"allow\": [\"A\", \"A\"], \"defaultMode\": \"plan\", \"additionalDirectories\": [\"x\"]}}";
    let updates = [
        allow("A"),
        PermissionUpdate::SetMode(Mode::Plan),
        PermissionUpdate::AddDirectories(vec!["x".to_owned()]),
        PermissionUpdate::RemoveRules(Behavior::Deny, vec!["A".to_owned()]),
        PermissionUpdate::AddRules(Behavior::Ask, Vec::new()),
    ];
    assert_eq!(update(Some(text), &updates, Destination::UserSettings), Ok(None));
}

#[test]
fn every_form_of_change_does_what_it_says() {
    let text = "{\"permissions\": {\"allow\": [\"A\", \"B\"], \"defaultMode\": \"plan\", \"additionalDirectories\": [\"x\", \"y\"]}}";
    let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
    let cases = [
        (PermissionUpdate::ReplaceRules(Behavior::Allow, list(&["B", "C"])), json!({"allow": ["B", "C"]})),
        (PermissionUpdate::ReplaceRules(Behavior::Allow, list(&[])), json!({"allow": []})),
        (PermissionUpdate::RemoveRules(Behavior::Allow, list(&["A", "Z"])), json!({"allow": ["B"]})),
        (PermissionUpdate::AddRules(Behavior::Ask, list(&["Q", "Q"])), json!({"ask": ["Q"]})),
        (PermissionUpdate::SetMode(Mode::AcceptEdits), json!({"defaultMode": "acceptEdits"})),
        (
            PermissionUpdate::AddDirectories(list(&["y", "z"])),
            json!({"additionalDirectories": ["x", "y", "z"]}),
        ),
        (PermissionUpdate::RemoveDirectories(list(&["x"])), json!({"additionalDirectories": ["y"]})),
    ];
    for (update, wanted) in cases {
        let found: serde_json::Value =
            serde_json::from_str(&changed(text, std::slice::from_ref(&update))).expect("JSON");
        for (name, value) in wanted.as_object().expect("an object") {
            assert_eq!(&found["permissions"][name], value, "{update:?}");
        }
    }
}

#[test]
fn the_public_form_of_changes_is_read() {
    let value = json!({"type": "addRules", "behavior": "allow", "destination": "localSettings",
        "rules": [{"toolName": "Bash", "ruleContent": "echo (x)"}, {"toolName": "Read"}]});
    let wanted =
        PermissionUpdate::AddRules(Behavior::Allow, vec![r"Bash(echo \(x\))".to_owned(), "Read".to_owned()]);
    assert_eq!(PermissionUpdate::from_json(&value), Ok((wanted, Destination::LocalSettings)));
    let mode = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
    let wanted = (PermissionUpdate::SetMode(Mode::AcceptEdits), Destination::Session);
    assert_eq!(PermissionUpdate::from_json(&mode), Ok(wanted));
    for bad in [
        json!(null),
        json!({"type": "addRules", "destination": "x"}),
        json!({"type": "pray", "destination": "session"}),
        json!({"type": "addRules", "destination": "session", "behavior": "allow"}),
        json!({"type": "addRules", "destination": "session", "behavior": "maybe", "rules": []}),
        json!({"type": "addRules", "destination": "session", "behavior": "allow", "rules": [{}]}),
        json!({"type": "addRules", "destination": "session", "behavior": "allow", "rules": [{"toolName": "A", "ruleContent": 1}]}),
        json!({"type": "setMode", "destination": "session", "mode": "yolo"}),
        json!({"type": "addDirectories", "destination": "session", "directories": [1]}),
    ] {
        assert!(PermissionUpdate::from_json(&bad).is_err(), "{bad}");
    }
}

#[test]
fn what_is_not_understood_is_never_overwritten() {
    for text in [
        "{",
        "[]",
        "{} x",
        "{\"permissions\": []}",
        "{\"permissions\": {\"allow\": {}}}",
        "{\"permissions\": {}, \"permissions\": {}}",
        "{\"permissions\": {\"allow\": [], \"allow\": []}}",
        "// only a comment",
    ] {
        let error = update(Some(text), &[allow("A")], Destination::UserSettings).expect_err(text);
        assert!(matches!(error, UpdateError::Unreadable { .. }), "{text}: {error}");
        let world = World::new(&[(USER, text)]);
        let saved = save(&world.files, &world.places(), Destination::UserSettings, &[allow("A")]);
        assert!(matches!(saved, Err(StoreError::Update { .. })), "{text}");
        let bytes =
            toolwright::permission::Files::read(&world.files, USER.as_ref(), 1_000).expect("it is there");
        assert_eq!(bytes, text.as_bytes());
    }
}

#[test]
fn modes_that_are_never_kept_are_refused() {
    let set =
        |mode, destination| update(Some("{}"), &[PermissionUpdate::SetMode(mode)], destination).is_err();
    assert!(set(Mode::BypassPermissions, Destination::UserSettings));
    assert!(set(Mode::Bubble, Destination::UserSettings));
    assert!(set(Mode::Auto, Destination::LocalSettings) && !set(Mode::Auto, Destination::UserSettings));
    assert!(update(Some("{}"), &[allow(" ")], Destination::UserSettings).is_err());
}

#[test]
fn each_destination_is_a_file_and_links_of_a_project_choose_none() {
    let world = World::default();
    let places = world.places();
    for (destination, path) in [
        (Destination::LocalSettings, LOCAL),
        (Destination::ProjectSettings, PROJECT),
        (Destination::UserSettings, USER),
    ] {
        assert_eq!(save(&world.files, &places, destination, &[allow("A")]).ok(), Some(true), "{path}");
        assert_eq!(save(&world.files, &places, destination, &[allow("A")]).ok(), Some(false), "{path}");
        assert!(toolwright::permission::Files::read(&world.files, path.as_ref(), 1_000).is_ok());
    }
    assert!(matches!(
        save(&world.files, &places, Destination::Session, &[allow("A")]),
        Err(StoreError::NoFile)
    ));
    for path in [LOCAL, PROJECT, USER] {
        world.files.remove(path);
        world.files.put("/elsewhere/settings.json", "{}");
        world.files.link(path, "/elsewhere/settings.json");
    }
    for destination in [Destination::LocalSettings, Destination::ProjectSettings] {
        assert!(matches!(
            save(&world.files, &places, destination, &[allow("A")]),
            Err(StoreError::Link { .. })
        ));
    }
    assert_eq!(save(&world.files, &places, Destination::UserSettings, &[allow("A")]).ok(), Some(true));
    assert_eq!(rules(&world.load()).len(), 1, "a user's link stays, and its target has the rule");
}
