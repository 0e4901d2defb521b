//! Configured hooks that answer permission questions, replace outputs, go over HTTP or run in the background; and the
//! switches that choose which of them run.

#![expect(clippy::disallowed_methods, reason = "tests stand outside the runtime")]

use std::sync::PoisonError;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::env::Env;
use toolwright::event::{Event, Verdict};
use toolwright::hooks::HookLayer;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::schema::Schema;
use toolwright::session::Session;

use super::hooks_fake::{Fake, Yes, answers, at, layer, notices, one, pre, virtually, world};
use super::world::{World, probe, text};

fn request(fields: Value) -> String {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": fields}}).to_string()
}

#[test]
fn a_hook_answers_a_permission_question_and_cannot_be_ignored() {
    for (code, out, wanted) in [
        (0, request(json!({"behavior": "allow"})), "is new"),
        (0, request(json!({"behavior": "deny", "message": "not this one"})), "not this one"),
        (0, request(json!({"behavior": "deny"})), "said no"),
        // Exit code 2 means nothing here; what is on stdout does.
        (2, request(json!({"behavior": "allow"})), "is new"),
        (2, String::new(), "nobody answered"),
        (0, request(json!({"behavior": "allow", "updatedInput": {"does": "ok"}})), "ok"),
        (
            0,
            request(json!({"behavior": "allow", "updatedInput": {"does": "is denied by a rule"}})),
            "Probe(forbidden)",
        ),
        (
            0,
            request(json!({"behavior": "allow", "updatedInput": {"does": "is careful"}})),
            "no person to ask",
        ),
        (0, json!({"continue": false, "stopReason": "enough"}).to_string(), "enough"),
        (0, "{}".to_owned(), "nobody answered"),
        (1, String::new(), "nobody answered"),
    ] {
        virtually(async || {
            let fake = Fake::new(&[("it", code, &out, "")]);
            let world = world(&fake, at("PermissionRequest", &["it"]), |builder| {
                builder.rule(Behavior::Ask, Source::Session, "Probe(careful)")
            });
            let result = one(&world, "is new").await;
            assert!(text(&result).contains(wanted), "{out}: {result:?}");
        });
    }
}

#[test]
fn the_first_answer_wins_and_the_hook_that_still_runs_is_stopped() {
    virtually(async || {
        let world =
            world(&Fake::default(), at("PermissionRequest", &["hangs"]), |builder| builder.prompter(Yes));
        assert_eq!(text(&one(&world, "is new").await), "is new");
        tokio::time::sleep(Duration::from_millis(1)).await;
        let decided: Vec<_> = world
            .events()
            .into_iter()
            .filter_map(|stamped| match stamped.event {
                Event::Decided(decided) => Some((decided.by, decided.decision)),
                _other => None,
            })
            .collect();
        assert_eq!(decided, [("person".to_owned(), Verdict::Allow)]);
        // One that never got to start says nothing at all.
        assert!(matches!(answers(&world).as_slice(), [] | ["cancelled"]), "{:?}", answers(&world));
    });
}

#[test]
fn what_a_deciding_answer_brings_with_it_counts_for_the_session() {
    virtually(async || {
        let out = request(json!({"behavior": "allow", "updatedPermissions": [
            {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
            {"type": "addDirectories", "directories": ["/more", "less"], "destination": "session"},
            {"type": "removeDirectories", "directories": ["/less"], "destination": "session"},
            {"type": "setMode", "mode": "bypassPermissions", "destination": "session"},
            {"type": "setMode", "mode": "nonsense", "destination": "session"},
        ]}));
        let world =
            world(&Fake::new(&[("it", 0, &out, "")]), at("PermissionRequest", &["it"]), |builder| builder);
        assert_eq!(text(&one(&world, "is new").await), "is new");
        let context = world.session.context();
        assert_eq!(context.mode.to_string(), "acceptEdits");
        assert_eq!(context.additional_directories, [std::path::PathBuf::from("/more")]);
        let told = notices(&world);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("bypassPermissions") && told[1].contains("nonsense"), "{told:?}");
    });
}

#[test]
fn an_output_is_replaced_only_by_one_that_the_tools_schema_takes() {
    virtually(async || {
        let out =
            json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "other"}})
                .to_string();
        let world = world(&Fake::new(&[("it", 0, &out, "")]), at("PostToolUse", &["it"]), |builder| builder);
        // The probe promises nothing about its output.
        assert_eq!(text(&one(&world, "ok").await), "ok");
        assert!(notices(&world)[0].contains("not as the tool's output is"), "{:?}", notices(&world));
    });
}

#[test]
fn switches_of_settings_files_choose_the_hooks_that_run() {
    let file = |source: Source, settings: Value| HookLayer::from_settings(source, &settings).0;
    let policy = |mut settings: Value| {
        settings["hooks"] = at("PreToolUse", &["managed"]);
        file(Source::PolicySettings, settings)
    };
    let user = |mut settings: Value| {
        settings["hooks"] = at("PreToolUse", &["user"]);
        file(Source::UserSettings, settings)
    };
    let project = |trusted: bool, mut settings: Value| {
        settings["hooks"] = at("PreToolUse", &["project"]);
        HookLayer { is_trusted: trusted, ..file(Source::ProjectSettings, settings) }
    };
    let off = || json!({"disableAllHooks": true});
    for (layers, wanted) in [
        (vec![policy(json!({})), user(json!({}))], vec!["managed", "user"]),
        (vec![policy(json!({})), user(off())], vec!["managed"]),
        (vec![policy(off()), user(json!({}))], vec![]),
        (vec![policy(json!({"disableAllHooks": false})), user(off())], vec!["managed", "user"]),
        (vec![policy(json!({"allowManagedHooksOnly": true})), user(json!({}))], vec!["managed"]),
        (vec![user(json!({"allowManagedHooksOnly": true}))], vec!["user"]),
        (vec![project(true, json!({})), user(json!({}))], vec!["project", "user"]),
        (vec![project(false, json!({})), user(json!({}))], vec!["user"]),
        // A project that is not trusted switches off nothing.
        (vec![project(false, off()), user(json!({}))], vec!["user"]),
        (vec![project(true, off()), user(json!({}))], vec![]),
    ] {
        virtually(async || {
            let fake = Fake::default();
            let inner = fake.clone();
            let world = World::new(|builder| builder.hooks_configured(layers).hook_transport(inner));
            one(&world, "ok").await;
            assert_eq!(fake.names(), wanted);
        });
    }
}

#[test]
fn a_request_goes_where_it_may_with_the_variables_it_may_name_and_blocks_only_by_json() {
    let deny = pre(json!({"permissionDecision": "deny", "permissionDecisionReason": "json says no"}));
    for (status, body, refused, notice) in [
        (200, deny.as_str(), true, None),
        (204, "", false, None),
        (200, "plain", false, Some("not a JSON object")),
        (200, "[1]", false, Some("not a JSON object")),
        (500, deny.as_str(), false, Some("the status 500")),
        (302, "", false, Some("the status 302")),
    ] {
        virtually(async || {
            let fake = Fake::new(&[("https://h.example/x", status, body, "")]);
            let handler = json!({"type": "http", "url": "https://h.example/x", "allowedEnvVars": ["TOKEN", "OTHER"],
                "headers": {"Authorization": "Bearer $TOKEN", "X": "${SECRET}|$OTHER|$UNSET"}});
            let settings = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]},
                "allowedHttpHookUrls": ["https://h.example/*"], "httpHookAllowedEnvVars": ["TOKEN", "SECRET"]});
            let (layer, problems) = HookLayer::from_settings(Source::UserSettings, &settings);
            assert_eq!(problems, []);
            let inner = fake.clone();
            let world = World::new(|builder| builder.hooks_configured([layer]).hook_transport(inner));
            assert_eq!(one(&world, "ok").await.is_error, refused, "{status} {body}");
            let told = notices(&world);
            assert_eq!(
                told.iter().any(|text| notice.is_some_and(|notice| text.contains(notice))),
                notice.is_some()
            );
            let sent = fake.sent.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let headers: Vec<_> =
                sent[0].headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!(headers, [("Authorization", "Bearer value of TOKEN"), ("X", "||")]);
        });
    }
    virtually(async || {
        let settings = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "https://evil.test/"}]}]},
            "allowedHttpHookUrls": ["https://h.example/*"]});
        let (fake, (layer, _)) = (Fake::default(), HookLayer::from_settings(Source::UserSettings, &settings));
        let inner = fake.clone();
        let world = World::new(|builder| builder.hooks_configured([layer]).hook_transport(inner));
        assert_eq!(text(&one(&world, "ok").await), "ok");
        assert!(fake.sent.lock().unwrap_or_else(PoisonError::into_inner).is_empty());
        assert!(notices(&world)[0].contains("allowedHttpHookUrls"), "{:?}", notices(&world));
    });
}

#[test]
fn nobody_waits_for_a_hook_in_the_background() {
    virtually(async || {
        let fake = Fake::new(&[("slow no", 2, "", "no")]);
        let handler =
            |command: &str| json!({"type": "command", "command": command, "async": true, "timeout": 3});
        let hooks = json!({"PreToolUse": [{"hooks": [handler("slow no"), handler("hangs")]}]});
        let world = world(&fake, hooks, |builder| builder);
        assert_eq!(text(&one(&world, "ok").await), "ok");
        tokio::time::sleep(Duration::from_secs(4)).await;
        let mut ended = answers(&world);
        ended.sort_unstable();
        assert_eq!(ended, ["denied", "timed out"]);
    });
}

#[test]
fn what_a_hook_in_the_background_wants_known_is_told_once_at_the_next_moment() {
    virtually(async || {
        let known = pre(json!({"permissionDecision": "deny", "additionalContext": "by the way"}));
        let fake = Fake::new(&[("late", 0, &known, ""), ("late no", 2, "", "not so")]);
        let handler = |command: &str| json!({"type": "command", "command": command, "async": true});
        let hooks = json!({"PreToolUse": [{"hooks": [handler("late"), handler("late no")]}]});
        let world = world(&fake, hooks, |builder| builder);
        let wanted = ["a hook in the background objects: not so", "by the way"];
        assert_eq!(text(&one(&world, "ok").await), "ok");
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut told = world.session.moments().prompt("go on").await.context;
        told.sort_unstable();
        assert_eq!(told, wanted);
        assert!(world.session.moments().prompt("go on").await.context.is_empty());
        // While the agent goes on by itself, the end of a turn is such a moment.
        one(&world, "ok").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let outcome = world.session.run_turn(Turn::new(vec![probe("b", "ok")])).await;
        let notes = format!("{:?}", outcome.new_messages);
        assert!(wanted.iter().all(|text| notes.contains(text)), "{notes}");
    });
}

#[test]
fn a_hook_is_told_which_rules_would_answer_the_question() {
    virtually(async || {
        let fake = Fake::default();
        let world = world(&fake, at("PermissionRequest", &["it"]), |builder| builder);
        one(&world, "is new").await;
        let input: Value = serde_json::from_str(&fake.ran()[0].input).expect("it is JSON");
        let wanted = json!([{"type": "addRules", "behavior": "allow", "destination": "session",
            "rules": [{"toolName": "Probe", "ruleContent": "new"}]}]);
        assert_eq!(input["permission_suggestions"], wanted);
    });
}

#[test]
fn rules_that_a_deciding_answer_adds_count_from_then_on_and_no_others_are_taken() {
    virtually(async || {
        let rule = |content: &str| json!([{"toolName": "Probe", "ruleContent": content}]);
        let out = request(json!({"behavior": "allow", "updatedPermissions": [
            {"type": "addRules", "rules": rule("new"), "behavior": "allow", "destination": "session"},
            {"type": "addRules", "rules": rule("careful"), "behavior": "deny", "destination": "session"},
            {"type": "addRules", "rules": rule("br(oken"), "behavior": "allow", "destination": "session"},
            {"type": "replaceRules", "rules": rule("*"), "behavior": "allow", "destination": "session"},
            {"type": "removeRules", "rules": rule("forbidden"), "behavior": "deny", "destination": "session"},
        ]}));
        let fake = Fake::new(&[("it", 0, &out, "")]);
        let world = world(&fake, at("PermissionRequest", &["it"]), |builder| builder);
        assert_eq!(text(&one(&world, "is new").await), "is new");
        assert_eq!(fake.ran().len(), 1);
        assert_eq!(text(&one(&world, "is new").await), "is new");
        assert_eq!(fake.ran().len(), 1, "the rule answers, and nobody is asked again");
        assert!(one(&world, "is careful").await.is_error, "a rule that closes counts as well");
        assert!(one(&world, "is denied by a rule").await.is_error, "no rule is taken away by a hook");
        let told = notices(&world);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told.iter().all(|notice| notice.contains("only new rules are taken")), "{told:?}");
    });
}

/// Weighs a thing.
#[tool(concurrency_safe, read_only)]
struct Weigh {
    /// What is weighed.
    what: String,
}

/// What a thing weighs.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Weighed {
    grams: u32,
}

impl Tool for Weigh {
    type Output = Weighed;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    fn output_schema() -> Option<Schema> {
        Some(Schema::of_output::<Weighed>())
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<Weighed, ToolError> {
        Ok(Weighed { grams: u32::try_from(self.what.len()).unwrap_or(u32::MAX) })
    }
}

#[test]
fn an_output_that_fits_the_tools_schema_is_what_the_model_reads() {
    virtually(async || {
        for (output, read) in [
            (json!({"grams": 7}), r#"{"grams":7}"#),
            (json!({"grams": -7}), r#"{"grams":5}"#),
            (json!({"grams": "7"}), r#"{"grams":5}"#),
            (json!({"ounces": 7}), r#"{"grams":5}"#),
            (json!("7"), r#"{"grams":5}"#),
            (json!(null), r#"{"grams":5}"#),
        ] {
            let out =
                json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}});
            let fake = Fake::new(&[("it", 0, &out.to_string(), "")]);
            let mut catalogue = Catalogue::new();
            catalogue.add::<Weigh>();
            let session = Session::builder(Env::tokio().expect("tests run in a runtime"), catalogue)
                .hooks_configured([layer(at("PostToolUse", &["it"]))])
                .hook_transport(fake)
                .build();
            let call = ToolUse::new("a", "Weigh", r#"{"what":"stone"}"#);
            let outcome = session.run_turn(Turn::new(vec![call])).await;
            assert_eq!(text(&outcome.results[0]), read, "{output}");
        }
    });
}
