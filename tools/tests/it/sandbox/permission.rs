//! Which questions a sandbox answers, and which it does not.

use serde_json::json;
use toolwright::permission::{Behavior, Mode, Source};
use toolwright::settings::SandboxSettings;
use toolwright_tools::shell::ShellState;
use toolwright_tools::shell::sandbox::Backend;

use super::world::{KEPT, World, backends, call, run};

const WRITE: &str = "echo x >> src/a.txt";

fn one() -> Option<Backend> {
    backends().into_iter().next()
}

#[tokio::test]
async fn a_confined_command_runs_without_a_question_and_one_that_leaves_asks() {
    let Some(backend) = one() else { return };
    let world = World::new();
    let session = world.session(&backend);
    assert!(!run(&session, WRITE).await.0);
    assert!(!run(&session, "eval \"$(echo true)\"").await.0, "what cannot be told is confined all the same");
    assert_eq!(world.person.asked(), 0);
    let outside = "echo x > ../outside/new";
    assert!(run(&session, outside).await.0, "refused, and the report tells how to ask");
    assert_eq!(world.person.asked(), 0);
    let (failed, text) = call(&session, json!({"command": outside, "dangerouslyDisableSandbox": true})).await;
    assert!(!failed && world.path("outside/new").exists(), "{text}");
    assert_eq!(world.person.asked(), 1, "the second try asks");
}

#[tokio::test]
async fn where_settings_let_none_leave_a_call_that_asks_to_is_refused() {
    let Some(backend) = one() else { return };
    let world = World::new();
    let said = SandboxSettings { allow_unsandboxed_commands: Some(false), ..SandboxSettings::default() };
    let session = world.builder(&world.path("repo"), &ShellState::confined_by(Ok(backend)), said).build();
    let (failed, text) = call(&session, json!({"command": WRITE, "dangerouslyDisableSandbox": true})).await;
    assert!(failed && text.contains("settings let no command run outside the sandbox"), "{text}");
    assert_eq!((world.person.asked(), world.text("repo/src/a.txt").as_deref()), (0, Some(KEPT)));
    let (_failed, text) = run(&session, "echo x > ../outside/new").await;
    assert!(
        text.contains("settings let no command run outside") && !text.contains("if it must be"),
        "{text}"
    );
}

#[tokio::test]
async fn a_sandbox_opens_no_rule_no_protected_path_and_no_plan() {
    let Some(backend) = one() else { return };
    let state = ShellState::confined_by(Ok(backend));
    let world = World::new();
    let root = world.path("repo");
    let builder = || world.builder(&root, &state, SandboxSettings::default());
    let session = builder().rule(Behavior::Deny, Source::UserSettings, "Bash(echo *)").build();
    let (failed, text) = run(&session, WRITE).await;
    assert!(failed && text.contains("Bash(echo *)") && world.person.asked() == 0, "{text}");
    let session = builder().rule(Behavior::Ask, Source::UserSettings, "Bash(echo *)").build();
    assert!(!run(&session, WRITE).await.0);
    assert_eq!(world.person.asked(), 1, "an ask rule asks");
    let session = builder().build();
    assert!(run(&session, "echo x >> .envrc").await.0);
    assert_eq!(world.person.asked(), 2, "a protected path asks, and is closed in the sandbox all the same");
    let session = builder().mode(Mode::Plan).build();
    let (failed, text) = run(&session, WRITE).await;
    assert!(failed && text.contains("planning"), "{text}");
    let said = SandboxSettings { auto_allow_bash_if_sandboxed: Some(false), ..SandboxSettings::default() };
    assert!(!run(&world.builder(&root, &state, said).build(), WRITE).await.0);
    assert_eq!(world.person.asked(), 3, "settings want questions");
}

#[tokio::test]
async fn excluded_commands_run_outside_and_ask_as_ever() {
    let Some(backend) = one() else { return };
    let world = World::new();
    let said =
        SandboxSettings { excluded_commands: vec!["touch *".to_owned()], ..SandboxSettings::default() };
    let session = world.builder(&world.path("repo"), &ShellState::confined_by(Ok(backend)), said).build();
    assert!(!run(&session, "cd src && touch ../../outside/new").await.0);
    assert!(world.path("outside/new").exists());
    assert_eq!(world.person.asked(), 1);
    assert!(run(&session, "touch ../outside/other; mkdir ../outside/third").await.0, "all of it or none");
    assert!(!world.path("outside/other").exists() && world.person.asked() == 1);
}

#[tokio::test]
async fn where_nobody_confines_it_is_said_once_and_commands_ask_or_by_settings_do_not_run() {
    let world = World::new();
    let unavailable =
        || ShellState::confined_by(Err(toolwright_tools::shell::sandbox::Unavailable::new("for a test")));
    let root = world.path("repo");
    let session = world.builder(&root, &unavailable(), SandboxSettings::default()).build();
    let (failed, text) = run(&session, "echo one; echo x >> src/a.txt").await;
    assert!(!failed && text.contains("no sandbox works here: for a test"), "{text}");
    assert_eq!(world.person.asked(), 1, "nothing is answered by a sandbox that is not there");
    assert_eq!(run(&session, "echo two").await, (false, "two".to_owned()), "it is said once");
    let said = SandboxSettings { fail_if_unavailable: Some(true), ..SandboxSettings::default() };
    let session = world.builder(&root, &unavailable(), said).build();
    let (failed, text) = run(&session, "echo three").await;
    assert!(failed && text.contains("let no command run without one"), "{text}");
}

#[tokio::test]
async fn without_the_setting_nothing_is_confined() {
    let world = World::new();
    let said = SandboxSettings::default();
    let state = ShellState::default();
    let builder = world.builder(&world.path("repo"), &state, said);
    let session = builder.settings(toolwright::settings::Settings::default()).build();
    assert!(!run(&session, "echo x > ../outside/new").await.0);
    assert!(world.path("outside/new").exists() && world.person.asked() == 1);
}
