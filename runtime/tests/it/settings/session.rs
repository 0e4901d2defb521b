//! What settings mean for a session: rules live at its start, and what they close stays closed.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::env::Env;
use toolwright::event::{Event, Recorder};
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{
    Answer, Behavior, Destination, ExplainedAnswer, Grant, Mode, Profile, Prompter, Question, Source,
};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};
use toolwright::settings::SettingsMemory;

use super::world::{LOCAL, MANAGED, PROJECT, USER, World, lines};

/// Reads a file.
#[tool(name = "Read", read_only)]
struct Look {
    /// The file.
    path: String,
}

impl Tool for Look {
    type Output = String;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Read(cx.absolute(&self.path)))
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok("looked".to_owned())
    }
}

/// Runs commands, and tells what they would do without running them.
#[tool(name = "Bash")]
struct Run {
    /// The commands, with `;` between them.
    command: String,
}

impl Tool for Run {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        let commands = self.command.split(';').map(|text| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            let read_only = words.first().is_some_and(|name| name == "ls");
            Effect::Command { text: words.join(" "), words, read_only }
        });
        Effects::Known(commands.collect())
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("{:?}", cx.context().env))
    }
}

fn builder(world: &World, recorder: &Arc<Recorder>) -> SessionBuilder {
    let env = Env::tokio().expect("tests run on tokio").with_sink(recorder.clone());
    let mut catalogue = Catalogue::new();
    catalogue.add::<Look>().add::<Run>();
    let mut context = Context::new("/w/p");
    context.home = Some("/home/me".into());
    Session::builder(env, catalogue).context(context).files(world.files.clone()).settings(world.load())
}

fn session(world: &World) -> Session {
    builder(world, &Arc::default()).build()
}

async fn call(session: &Session, tool: &str, input: Value) -> (bool, String) {
    let turn = Turn::new(vec![ToolUse::new("call", tool, input.to_string())]);
    let result = session.run_turn(turn).await.results.pop().expect("each call has a result");
    (!result.is_error, result.content.to_text())
}

async fn runs(session: &Session, tool: &str, input: Value) -> bool {
    call(session, tool, input).await.0
}

#[tokio::test]
async fn rules_live_at_the_start() {
    let world = World::new(&[(
        USER,
        r#"{"permissions": {"deny": ["Read(**/.env*)", "toString"], "allow": ["Bash(make *)", "Read(//secret/**)"]}}"#,
    )]);
    let session = session(&world);
    assert!(runs(&session, "Read", json!({"path": "/w/p/a"})).await);
    for path in ["/w/p/.env", ".env.local", "sub/.env"] {
        assert!(!runs(&session, "Read", json!({"path": path})).await, "{path}");
    }
    assert!(runs(&session, "Read", json!({"path": "/secret/x"})).await);
    assert!(runs(&session, "Bash", json!({"command": "make all"})).await);
    assert!(!runs(&session, "Bash", json!({"command": "make all; rm x"})).await);
}

#[tokio::test]
async fn what_may_be_lost_closes_everything_in_every_mode() {
    for broken in ["{", r#"{"permissions": {"deny": "x"}}"#, r#"{"permissions": {"ask": [1]}}"#, ""] {
        for mode in [Mode::Default, Mode::AcceptEdits, Mode::BypassPermissions, Mode::DontAsk] {
            let world =
                World::new(&[(PROJECT, broken), (USER, r#"{"permissions": {"allow": ["Read", "Bash"]}}"#)]);
            let session = builder(&world, &Arc::default()).mode(mode).build();
            assert!(!runs(&session, "Read", json!({"path": "/w/p/a"})).await, "{broken} in {mode}");
            assert!(!runs(&session, "Bash", json!({"command": "ls"})).await, "{broken} in {mode}");
        }
    }
}

#[tokio::test]
async fn a_directory_that_is_taken_away_ends_access_at_once() {
    let world = World::new(&[(USER, r#"{"permissions": {"additionalDirectories": ["../docs"]}}"#)]);
    let session = session(&world);
    assert!(runs(&session, "Read", json!({"path": "/w/docs/a"})).await);
    session.change(|context| context.additional_directories.clear());
    assert!(!runs(&session, "Read", json!({"path": "/w/docs/a"})).await);
}

#[tokio::test]
async fn variables_are_in_the_context_of_tools() {
    let world = World::new(&[(USER, r#"{"env": {"A": "1"}, "permissions": {"allow": ["Bash(env)"]}}"#)]);
    let (is_fine, text) = call(&session(&world), "Bash", json!({"command": "env"})).await;
    assert!(is_fine && text.contains(r#""A": "1""#), "{text}");
}

#[tokio::test]
async fn a_mode_that_is_switched_off_is_not_entered_at_the_start_nor_later() {
    let off = r#"{"permissions": {"disableBypassPermissionsMode": "disable"}}"#;
    for file in [MANAGED, PROJECT, USER] {
        let world = World::new(&[(file, off)]);
        let session = builder(&world, &Arc::default()).mode(Mode::BypassPermissions).build();
        assert_eq!(session.context().mode, Mode::Default);
        assert!(lines(session.settings_problems())[0].contains("the mode bypassPermissions is switched off"));
        session.change(|context| context.mode = Mode::Plan);
        session.change(|context| context.mode = Mode::BypassPermissions);
        assert_eq!(session.context().mode, Mode::Plan);
    }
}

#[tokio::test]
async fn the_mode_to_begin_in_is_managed_then_chosen_then_the_settings() {
    let plan = |file: &str| World::new(&[(file, r#"{"permissions": {"defaultMode": "plan"}}"#)]);
    let mode = |world: &World, chosen: Option<Mode>| {
        let builder = builder(world, &Arc::default());
        let builder = chosen.map_or_else(|| builder_of(world), |mode| builder.mode(mode));
        builder.build().context().mode
    };
    fn builder_of(world: &World) -> SessionBuilder {
        builder(world, &Arc::default())
    }
    assert_eq!(mode(&plan(USER), None), Mode::Plan);
    assert_eq!(mode(&plan(USER), Some(Mode::AcceptEdits)), Mode::AcceptEdits);
    assert_eq!(mode(&plan(MANAGED), Some(Mode::AcceptEdits)), Mode::Plan);
    assert_eq!(mode(&World::default(), None), Mode::Default);
}

#[tokio::test]
async fn where_managed_settings_want_no_other_rules_none_counts_wherever_it_comes_from() {
    let world = World::new(&[
        (MANAGED, r#"{"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Bash(make)"]}}"#),
        (USER, r#"{"permissions": {"allow": ["Bash(rm *)"]}}"#),
    ]);
    let builder = builder(&world, &Arc::default());
    let session = builder.rule(Behavior::Allow, Source::CliArg, "Bash(touch *)").build();
    assert!(runs(&session, "Bash", json!({"command": "make"})).await);
    assert!(!runs(&session, "Bash", json!({"command": "rm x"})).await);
    assert!(!runs(&session, "Bash", json!({"command": "touch x"})).await);
    let said = lines(session.settings_problems());
    assert!(
        said.iter().any(|line| line.contains("the rule `Bash(touch *)` (cliArg) does not count")),
        "{said:?}"
    );
}

#[tokio::test]
async fn what_a_rule_set_says_of_a_rule_is_told_at_its_place() {
    let text = "{\n  \"permissions\": {\n    \"deny\": [\"Bash(rm *)\", \"Bash(a\"],\n    \"ask\": [\"Reed\"]\n  }\n}";
    let session = session(&World::new(&[(USER, text)]));
    let said = lines(session.settings_problems());
    let has = |piece: &str| said.iter().any(|line| line.contains(piece));
    // The part of the rule that is at fault, not only the entry.
    assert!(has(":3:33: error: `permissions.deny[1]`: the deny rule `Bash(a`: "), "{said:#?}");
    assert!(has(":4:14: warning: `permissions.ask[0]`: the ask rule `Reed`"), "{said:#?}");
    assert!(
        !runs(&session, "Bash", json!({"command": "ls"})).await,
        "a deny rule that cannot be read closes its tool"
    );
}

#[tokio::test]
async fn space_around_a_rule_hides_nothing_that_is_wrong_with_it() {
    let text =
        "{\n\"permissions\": {\n\"deny\": [\"  Reed(x) \", \" Bash(a \"],\n\"allow\": [\" Bash(*) \"]\n}}";
    let session = session(&World::new(&[(USER, text)]));
    let said = lines(session.settings_problems());
    let has = |piece: &str| said.iter().any(|line| line.contains(piece));
    assert!(has(":3:13: warning: `permissions.deny[0]`: the deny rule `Reed(x)`: "), "{said:#?}");
    assert!(has(":3:30: error: `permissions.deny[1]`: the deny rule ` Bash(a `: "), "{said:#?}");
}

#[tokio::test]
async fn answers_are_explained_with_rule_source_and_parts() {
    let world = World::new(&[
        (LOCAL, r#"{"permissions": {"allow": ["Bash(make *)"]}}"#),
        (USER, r#"{"permissions": {"deny": ["Bash(rm *)"], "ask": ["Bash(git push *)"]}}"#),
    ]);
    let session =
        builder(&world, &Arc::default()).profile(Profile::Current).prompter(Asked::default()).build();
    let explain = async |command: &str| {
        let call = ToolUse::new("call", "Bash", json!({ "command": command }).to_string());
        session.explain(call).await.expect("it parses")
    };
    let said = explain("make all").await;
    assert_eq!((said.answer, said.by.as_str()), (ExplainedAnswer::Allow, "rule"));
    assert_eq!((said.rule.as_deref(), said.source), (Some("Bash(make *)"), Some(Source::LocalSettings)));
    let said = explain("ls; make all; rm x; touch y").await;
    let parts: Vec<_> = said.effects.iter().map(|part| (part.what.as_str(), part.answer)).collect();
    assert_eq!((said.answer, said.rule.as_deref()), (ExplainedAnswer::Deny, Some("Bash(rm *)")));
    assert_eq!(
        parts,
        [
            ("ls", ExplainedAnswer::Allow),
            ("make all", ExplainedAnswer::Allow),
            ("rm x", ExplainedAnswer::Deny),
            ("touch y", ExplainedAnswer::Ask)
        ]
    );
    let said = explain("git push").await;
    assert_eq!((said.answer, said.source), (ExplainedAnswer::Ask, Some(Source::UserSettings)));
    assert!(said.by == "a person" && said.rule.as_deref() == Some("Bash(git push *)"), "{said:?}");
    let unknown = session.explain(ToolUse::new("call", "Nope", "{}")).await;
    assert!(unknown.expect_err("there is no such tool").0.contains("Nope"));
}

/// Says yes, and keeps a rule.
#[derive(Clone, Default)]
struct Asked(Vec<Grant>);

#[toolwright::async_trait]
impl Prompter for Asked {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        Some(Answer::Always { input: None, grants: self.0.clone() })
    }
}

#[tokio::test]
async fn a_rule_that_a_person_grants_is_in_the_file_it_was_granted_for_and_in_the_next_session() {
    let world = World::new(&[(LOCAL, "{\n  // mine\n  \"permissions\": {\"allow\": []}\n}\n")]);
    let recorder = Arc::<Recorder>::default();
    let grants = vec![
        Grant::allow("Bash(touch *)", Destination::LocalSettings),
        Grant::allow("Bash(mv *)", Destination::UserSettings),
    ];
    let memory = SettingsMemory::new(world.files.clone(), world.places());
    let session = builder(&world, &recorder).prompter(Asked(grants)).remember(memory).build();
    assert!(runs(&session, "Bash", json!({"command": "touch x"})).await);
    let kept =
        recorder.take().into_iter().filter(|event| matches!(event.event, Event::Remembered { .. })).count();
    assert_eq!(kept, 2);
    let next = builder(&world, &Arc::default()).build();
    assert!(runs(&next, "Bash", json!({"command": "touch y"})).await);
    assert!(runs(&next, "Bash", json!({"command": "mv a b"})).await);
    assert!(!runs(&next, "Bash", json!({"command": "rm y"})).await);
}

#[tokio::test]
async fn where_managed_settings_want_no_other_rules_a_yes_counts_once() {
    let world = World::new(&[(MANAGED, r#"{"allowManagedPermissionRulesOnly": true}"#)]);
    let recorder = Arc::<Recorder>::default();
    let grants = vec![Grant::allow("Bash(touch *)", Destination::Session)];
    let session = builder(&world, &recorder).prompter(Asked(grants)).build();
    assert!(runs(&session, "Bash", json!({"command": "touch x"})).await);
    let events = recorder.take();
    assert!(events.iter().any(
        |event| matches!(&event.event, Event::NotRemembered { reason, .. } if reason.contains("managed"))
    ));
}

#[tokio::test]
async fn a_sandbox_is_what_settings_say_joined_with_the_rules_that_close() {
    let world = World::new(&[(
        USER,
        r#"{"sandbox": {"enabled": true, "failIfUnavailable": true, "excludedCommands": ["docker *"],
             "filesystem": {"allowWrite": ["~/cache/**", "/data"], "denyWrite": ["dist", "**/*.lock"], "denyRead": ["~/.ssh"]},
             "network": {"allowedDomains": ["*"]}},
            "permissions": {"deny": ["Read(./secret/**)", "Edit(//etc/x)", "Edit(/own)", "Read(.env)", "WebFetch"],
                            "allow": ["Edit(//tmp/**)"]}}"#,
    )]);
    let session = session(&world);
    let context = session.context();
    let policy = context.sandbox.as_ref().expect("it is switched on");
    assert!(policy.is_required && policy.is_answer && policy.may_be_left && policy.network);
    assert_eq!(policy.excluded, ["docker *"]);
    let texts = |paths: &[std::path::PathBuf]| -> Vec<String> {
        paths.iter().map(|path| path.display().to_string()).collect()
    };
    assert_eq!(texts(&policy.writable), ["/home/me/cache", "/data"]);
    let closed = ["/w/p/dist", "/w/p/secret", "/etc/x", "/home/me/.claude/own", "/w/p/.env"];
    assert_eq!(texts(&policy.unwritable), closed);
    assert_eq!(texts(&policy.unreadable), ["/home/me/.ssh", "/w/p/secret", "/w/p/.env"]);
    let told = lines(session.settings_problems()).join("\n");
    assert!(told.contains("`**/*.lock` in sandbox.filesystem.denyWrite is not held"), "{told}");
    assert!(
        told.contains("`.env` in the deny rules is held by the sandbox in the session's own folder"),
        "{told}"
    );
}

#[tokio::test]
async fn a_sandbox_opens_the_network_only_where_hosts_need_not_be_told_apart() {
    for (network, rules, is_open) in [
        ("{}", "[]", false),
        (r#"{"allowedDomains": ["*"]}"#, "[]", true),
        (r#"{"allowedDomains": ["x.org"]}"#, "[]", false),
        (r#"{"allowedDomains": ["*"], "deniedDomains": ["x.org"]}"#, "[]", false),
        (r#"{"allowedDomains": ["*"]}"#, r#"["WebFetch(domain:x.org)"]"#, false),
    ] {
        let text = format!(
            r#"{{"sandbox": {{"enabled": true, "network": {network}}}, "permissions": {{"deny": {rules}}}}}"#
        );
        let session = session(&World::new(&[(USER, &text)]));
        let context = session.context();
        assert_eq!(context.sandbox.as_ref().map(|policy| policy.network), Some(is_open), "{text}");
        let is_told = lines(session.settings_problems()).join("").contains("cannot tell hosts apart");
        assert_eq!(is_told, !is_open && network != "{}", "{text}");
    }
    let off = session(&World::new(&[(USER, r#"{"sandbox": {"network": {"allowedDomains": ["*"]}}}"#)]));
    assert_eq!(off.context().sandbox, None, "it is off unless it is switched on");
    let untrusted = session(&World::new(&[(PROJECT, r#"{"sandbox": {"enabled": true}}"#)]));
    assert_eq!(untrusted.context().sandbox, None, "a project that is not trusted opens nothing by it");
}
