//! Hooks at the moments that are about no single call: prompts, starts and ends, batches, and the end of a turn.

#![expect(clippy::disallowed_methods, reason = "tests stand outside the runtime")]

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use toolwright::event::Event;
use toolwright::hooks::wire::events::agents::AgentEnd;
use toolwright::hooks::wire::events::settings::ConfigChange;
use toolwright::hooks::wire::{EventInput, HookInput, HookOutput};
use toolwright::hooks::{Hook, HookError, HookSession, HookStage};
use toolwright::query::{Budget, End, ModelEvent, Scripted};
use toolwright::session::{STOP_BLOCKS_MAX, SessionBuilder};

use super::hooks_fake::{Fake, at, notices, virtually, world};
use super::world::{World, probe};

fn says(text: &str) -> Vec<ModelEvent> {
    vec![ModelEvent::text(0, text)]
}

fn calls(does: &str) -> Vec<ModelEvent> {
    vec![ModelEvent::call(0, probe(does, does))]
}

fn inputs(fake: &Fake) -> Vec<Value> {
    fake.ran().iter().map(|hook| serde_json::from_str(&hook.input).expect("it is JSON")).collect()
}

fn conversation(world: &World) -> String {
    serde_json::to_string(&*world.session.conversation()).expect("it is JSON")
}

#[test]
fn a_prompt_may_be_blocked_and_added_to() {
    virtually(async || {
        for (code, out, err, end) in [
            (2, "", "not today", Some("not today")),
            (0, r#"{"decision":"block","reason":"json no"}"#, "", Some("json no")),
            (1, "", "oops", None),
            (0, "plain context", "", None),
        ] {
            let fake = Fake::new(&[("it", code, out, err)]);
            let world = world(&fake, at("UserPromptSubmit", &["it"]), |builder| builder);
            let model = Scripted::new([says("hello")]);
            let ended = world.session.run(&model, "the prompt", Budget::default()).await;
            match end {
                Some(reason) => {
                    assert_eq!(ended, End::Blocked(reason.to_owned()));
                    assert_eq!(conversation(&world), "[]", "a blocked prompt never reaches the model");
                }
                None => assert_eq!(ended, End::Answered("hello".to_owned())),
            }
            assert_eq!(conversation(&world).contains("plain context"), out == "plain context");
            assert_eq!(inputs(&fake)[0]["prompt"], "the prompt");
        }
    });
}

#[test]
fn hooks_are_told_who_the_session_is() {
    virtually(async || {
        let fake = Fake::default();
        let known = HookSession { id: "s-7".to_owned(), transcript: "/logs/s-7.jsonl".into() };
        let world =
            world(&fake, at("UserPromptSubmit", &["it"]), |builder| builder.hook_session(known.clone()));
        world.session.moments().prompt("hello").await;
        let told = &inputs(&fake)[0];
        assert_eq!(
            (&told["session_id"], &told["transcript_path"]),
            (&json!("s-7"), &json!("/logs/s-7.jsonl"))
        );
    });
}

#[test]
fn a_hook_at_a_prompt_has_thirty_seconds() {
    virtually(async || {
        let world = world(&Fake::default(), at("UserPromptSubmit", &["hangs"]), |builder| builder);
        let before = world.session.env().now();
        let model = Scripted::new([says("hello")]);
        assert_eq!(
            world.session.run(&model, "x", Budget::default()).await,
            End::Answered("hello".to_owned())
        );
        assert_eq!(world.session.env().now().since(before), Duration::from_secs(30));
        assert!(notices(&world)[0].contains("30s"), "{:?}", notices(&world));
    });
}

#[test]
fn hooks_are_told_once_that_a_session_begins_and_what_they_say_opens_it() {
    virtually(async || {
        let out = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "know this",
            "initialUserMessage": "begin with this"}});
        let out = out.to_string();
        let fake = Fake::new(&[("json", 0, &out, ""), ("plain", 0, "plain words", "")]);
        let mut hooks = at("SessionStart", &["json", "plain"]);
        hooks["SessionStart"][0]["matcher"] = "startup|resume".into();
        let world = world(&fake, hooks, |builder| builder);
        for _ in 0..2 {
            world.session.run(&Scripted::new([says("hello")]), "x", Budget::default()).await;
        }
        assert_eq!(fake.names(), ["json", "plain"]);
        assert_eq!(inputs(&fake)[0]["source"], "startup");
        for wanted in ["know this", "begin with this", "plain words"] {
            assert!(conversation(&world).contains(wanted), "{wanted}");
        }
        world.session.moments().begin("clear").await;
        assert_eq!(fake.ran().len(), 2, "the matcher does not want this one");
        world.session.moments().begin("resume").await;
        assert_eq!(fake.ran().len(), 4);
    });
}

#[test]
fn what_a_hook_says_and_nothing_heeds_gives_a_notice() {
    virtually(async || {
        let said = |fields: Value| json!({"hookSpecificOutput": fields}).to_string();
        let start = |field: &str, value: Value| said(json!({"hookEventName": "SessionStart", field: value}));
        let outputs = [
            ("a", start("watchPaths", json!(["/a"])), Some("`watchPaths`")),
            ("b", start("sessionTitle", "x".into()), Some("`sessionTitle`")),
            ("c", start("reloadSkills", true.into()), Some("`reloadSkills`")),
            ("d", json!({"terminalSequence": "x"}).to_string(), Some("`terminalSequence`")),
            ("e", start("additionalContext", "x".into()), None),
        ];
        for (name, output, notice) in &outputs {
            let fake = Fake::new(&[(*name, 0, output, "")]);
            let world = world(&fake, at("SessionStart", &[*name]), |builder| builder);
            world.session.moments().begin("startup").await;
            let told = notices(&world);
            assert_eq!(told.len(), usize::from(notice.is_some()), "{output}: {told:?}");
            assert!(notice.is_none_or(|notice| told[0].contains(notice)), "{output}: {told:?}");
        }
    });
}

#[test]
fn hooks_at_the_sessions_end_share_a_second_and_a_half_unless_they_ask_for_more() {
    for (timeouts, took) in [
        (vec![None, None], 1_500),
        (vec![Some(1.0)], 1_000),
        (vec![Some(5.0), None], 5_000),
        (vec![Some(600.0)], 60_000),
    ] {
        virtually(async || {
            let handlers: Vec<Value> = timeouts
                .iter()
                .enumerate()
                .map(|(at, timeout)| json!({"type": "command", "command": "hangs", "args": [at.to_string()], "timeout": timeout}))
                .collect();
            let world =
                world(&Fake::default(), json!({"SessionEnd": [{"hooks": handlers}]}), |builder| builder);
            let before = world.session.env().now();
            world.session.moments().end("other").await;
            assert_eq!(world.session.env().now().since(before), Duration::from_millis(took), "{timeouts:?}");
            assert_eq!(notices(&world).len(), timeouts.len());
        });
    }
}

#[test]
fn a_turn_that_is_kept_from_ending_goes_on_with_the_reason_eight_times_in_a_row_at_the_most() {
    virtually(async || {
        let fake = Fake::new(&[("never", 2, "", "not done yet")]);
        let world = world(&fake, at("Stop", &["never"]), |builder| builder);
        let model = Scripted::new((0..20).map(|at| says(&format!("answer {at}"))));
        let ended = world.session.run(&model, "x", Budget::default()).await;
        assert_eq!(ended, End::Answered(format!("answer {STOP_BLOCKS_MAX}")));
        assert_eq!(conversation(&world).matches("not done yet").count(), STOP_BLOCKS_MAX);
        let inputs = inputs(&fake);
        assert_eq!(inputs.len(), STOP_BLOCKS_MAX + 1);
        assert_eq!(
            (&inputs[0]["stop_hook_active"], &inputs[1]["stop_hook_active"]),
            (&json!(false), &json!(true))
        );
        assert_eq!(inputs[1]["last_assistant_message"], "answer 1");
    });
}

#[test]
fn a_stop_is_kept_though_the_tool_fails_or_is_denied() {
    let stop = json!({"continue": false, "stopReason": "enough"}).to_string();
    for (stage, does) in [
        ("PreToolUse", "ok"),
        ("PostToolUse", "ok"),
        ("PostToolUseFailure", "fails"),
        ("PostToolUseFailure", "panic in call"),
        ("PostToolBatch", "fails"),
        ("PermissionRequest", "is new"),
    ] {
        virtually(async || {
            let world = world(&Fake::new(&[("it", 0, &stop, "")]), at(stage, &["it"]), |builder| builder);
            let model = Scripted::new([calls(does), says("never said")]);
            let ended = world.session.run(&model, "x", Budget::default()).await;
            assert_eq!(ended, End::Stopped("enough".to_owned()), "{stage} {does}");
            assert!(conversation(&world).contains("tool_result"), "every call has its result");
            // It stops this run, and no later one.
            let again = world.session.run(&Scripted::new([says("hello")]), "y", Budget::default()).await;
            assert_eq!(again, End::Answered("hello".to_owned()));
        });
    }
}

#[test]
fn hooks_see_a_turns_calls_together_when_all_have_their_results() {
    virtually(async || {
        let out = json!({"hookSpecificOutput": {"hookEventName": "PostToolBatch", "additionalContext": "batch note"}});
        let out = out.to_string();
        let fake = Fake::new(&[("it", 0, &out, "")]);
        let world = world(&fake, at("PostToolBatch", &["it"]), |builder| builder);
        let both = vec![ModelEvent::call(0, probe("a", "ok")), ModelEvent::call(1, probe("b", "fails"))];
        world.session.run(&Scripted::new([both, says("done")]), "x", Budget::default()).await;
        let inputs = inputs(&fake);
        assert_eq!(inputs.len(), 1);
        let told = inputs[0]["tool_calls"].as_array().expect("it is a list");
        assert_eq!((&told[0]["tool_use_id"], &told[0]["tool_response"]), (&json!("a"), &json!("ok")));
        assert_eq!((&told[1]["tool_use_id"], &told[1]["tool_response"]), (&json!("b"), &json!("it failed")));
        assert!(conversation(&world).contains("batch note"));
        let blocking = super::hooks_fake::world(
            &Fake::new(&[("it", 2, "", "no more")]),
            at("PostToolBatch", &["it"]),
            |builder| builder,
        );
        let model = Scripted::new([calls("ok"), says("never said")]);
        let ended = blocking.session.run(&model, "x", Budget::default()).await;
        assert_eq!(ended, End::Stopped("no more".to_owned()));
    });
}

#[test]
fn an_abort_reaches_hooks_at_every_moment() {
    for stage in ["SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop"] {
        virtually(async || {
            let mut hooks = at(stage, &["hangs"]);
            hooks[stage][0]["hooks"][0]["timeout"] = 500.into();
            let world = world(&Fake::default(), hooks, |builder| builder);
            let session = Arc::clone(&world.session);
            let aborting = tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(10)).await;
                session.abort();
            });
            let model = Scripted::new([calls("ok"), says("done")]);
            let ended = world.session.run(&model, "x", Budget::default()).await;
            aborting.await.expect("it ends");
            assert_eq!(ended, End::Aborted, "{stage}");
            tokio::time::sleep(Duration::from_millis(1)).await;
            let cancelled = |event: &Event| matches!(event, Event::HookFinished { answer: "cancelled", .. });
            assert_eq!(world.count(cancelled), 1, "{stage}");
        });
    }
}

#[test]
fn moments_that_others_make_reach_the_hooks_they_are_for() {
    virtually(async || {
        let mut hooks = at("Notification", &["told"]);
        hooks["Notification"][0]["matcher"] = "idle_prompt".into();
        for (stage, matcher) in
            [("SubagentStart", "reviewer"), ("SubagentStop", "reviewer"), ("PreCompact", "auto")]
        {
            hooks[stage] = at(stage, &[stage])[stage].clone();
            hooks[stage][0]["matcher"] = matcher.into();
        }
        hooks["ConfigChange"] = at("ConfigChange", &["config"])["ConfigChange"].clone();
        let note =
            json!({"hookSpecificOutput": {"hookEventName": "SubagentStart", "additionalContext": "for it"}});
        let note = note.to_string();
        let fake = Fake::new(&[
            ("SubagentStart", 0, &note, ""),
            ("SubagentStop", 2, "", "go on"),
            ("PreCompact", 2, "", "not now"),
            ("told", 2, "", "only shown"),
        ]);
        let world = world(&fake, hooks, |builder| builder);
        let moments = world.session.moments();
        assert_eq!(moments.subagent_start("a1", "reviewer", Some("look")).await.context, ["for it"]);
        assert_eq!(moments.subagent_start("a2", "other", None).await.context, Vec::<String>::new());
        let stop = moments.subagent_stop("a1", "reviewer", AgentEnd::default()).await;
        assert_eq!(stop.blocked.as_deref(), Some("go on"));
        assert_eq!(moments.pre_compact("auto", "").await.blocked.as_deref(), Some("not now"));
        assert_eq!(moments.pre_compact("manual", "").await.blocked, None);
        assert_eq!(moments.notify("idle_prompt", "still there?", None).await.blocked, None);
        moments.notify("other", "x", None).await;
        let changed = ConfigChange { source: "user".to_owned(), file_path: None };
        moments.other(EventInput::ConfigChange(changed)).await;
        assert_eq!(fake.names(), ["PreCompact", "SubagentStart", "SubagentStop", "config", "told"]);
        assert_eq!(inputs(&fake)[0]["agent_id"], "a1");
        assert!(notices(&world).iter().any(|text| text == "only shown"), "{:?}", notices(&world));
        assert_eq!(conversation(&world), "[]");
    });
}

/// Code in this process that is asked at every moment.
struct Ours(fn() -> Result<HookOutput, HookError>);

#[async_trait]
impl Hook for Ours {
    fn name(&self) -> &str {
        "ours"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::UserPromptSubmit, HookStage::Stop]
    }

    async fn on(&self, _input: &HookInput) -> Result<HookOutput, HookError> {
        (self.0)()
    }
}

#[test]
fn code_in_this_process_takes_part_and_closes_a_prompt_when_it_fails() {
    fn with(said: fn() -> Result<HookOutput, HookError>) -> impl FnOnce(SessionBuilder) -> SessionBuilder {
        move |builder| builder.hook(Ours(said))
    }
    virtually(async || {
        let model = || Scripted::new([says("hello")]);
        let quiet = World::new(with(|| Ok(HookOutput::default())));
        let ended = quiet.session.run(&model(), "x", Budget::default()).await;
        assert_eq!(ended, End::Answered("hello".to_owned()));
        let broken = World::new(with(|| Err(HookError("written error".to_owned()))));
        let ended = broken.session.run(&model(), "x", Budget::default()).await;
        assert!(matches!(&ended, End::Blocked(reason) if reason.contains("written error")), "{ended:?}");
        let panics = World::new(with(|| panic!("written panic in a hook")));
        let ended = panics.session.run(&model(), "x", Budget::default()).await;
        assert!(matches!(&ended, End::Blocked(reason) if reason.contains("written panic")), "{ended:?}");
        // To keep the agent going for ever is not the closed side.
        assert_eq!(broken.session.moments().stop("done").await.blocked, None);
    });
}
