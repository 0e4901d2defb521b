//! Configured hooks around calls: the public decision procedure, the merge, and what failures do.

#![expect(clippy::disallowed_methods, reason = "tests stand outside the runtime")]

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::event::Event;
use toolwright::hooks::HookLayer;
use toolwright::message::Turn;
use toolwright::permission::{Behavior, Profile, Source};

use super::hooks_fake::{Fake, Yes, answers, asked, at, layer, notices, one, pre, virtually, world};
use super::world::{World, probe, text};

#[test]
fn exit_codes_and_output_decide_as_the_public_procedure_has_it() {
    let (allow, deny) = (
        pre(json!({"permissionDecision": "allow"})),
        pre(json!({"permissionDecision": "deny", "permissionDecisionReason": "json says no"})),
    );
    let wrong = r#"{"decision": 3}"#;
    let other = r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"allow"}}"#;
    for (code, out, err, refused, notice) in [
        (0, "", "", None, None),
        (0, "plain text", "", None, None),
        (0, "{not json", "", None, Some("begins as JSON and is none")),
        (2, "", "because", Some("because"), Some("exited with 2")),
        (2, "", "", Some("did not say why"), Some("exited with 2")),
        (2, allow.as_str(), "because", Some("because"), Some("exited with 2")),
        (2, deny.as_str(), "because", Some("json says no"), Some("exited with 2")),
        (2, "{not json", "because", Some("because"), Some("exited with 2")),
        (2, wrong, "because", Some("because"), Some("its JSON was ignored")),
        (1, "", "oops", None, Some("it exited with 1: oops")),
        (1, "plain", "", None, Some("it exited with 1")),
        (127, "", "not found", None, Some("it cannot be started: not found")),
        (137, "", "", None, Some("it exited with 137")),
        (1, deny.as_str(), "", Some("json says no"), None),
        (0, deny.as_str(), "", Some("json says no"), None),
        (0, wrong, "", None, Some("its JSON was ignored")),
        (0, other, "", None, Some("`hookEventName` is `PostToolUse`")),
        (0, r#"{"decision":"block","reason":"old no"}"#, "", Some("old no"), None),
        (0, r#"{"systemMessage":"for the person"}"#, "", None, Some("for the person")),
    ] {
        virtually(async || {
            let fake = Fake::new(&[("it", code, out, err)]);
            let world = world(&fake, at("PreToolUse", &["it"]), |builder| builder);
            let result = one(&world, "ok").await;
            let case = format!("{code} {out} {err}");
            match refused {
                Some(reason) => {
                    assert!(result.is_error && text(&result).contains(reason), "{case}: {result:?}")
                }
                None => assert_eq!(text(&result), "ok", "{case}"),
            }
            let told = notices(&world);
            match notice {
                Some(notice) => assert!(told.iter().any(|text| text.contains(notice)), "{case}: {told:?}"),
                None => assert_eq!(told, Vec::<String>::new(), "{case}"),
            }
        });
    }
}

#[test]
fn a_hook_that_fails_has_said_nothing_with_a_notice_and_denies_where_the_session_says_so() {
    for (command, notice) in [
        ("hangs", "it was stopped after 600s"),
        ("cannot start", "it cannot be started: no such file"),
        ("exits", "it exited with 1"),
        ("wrong", "its JSON was ignored"),
        ("panics", "panic"),
    ] {
        virtually(async || {
            let ends = [("exits", 1, "", ""), ("wrong", 0, "{\"continue\": 3}", "")];
            let open = world(&Fake::new(&ends), at("PreToolUse", &[command]), |builder| builder);
            assert_eq!(text(&one(&open, "ok").await), "ok", "{command}");
            assert!(
                notices(&open).iter().any(|text| text.contains(notice)),
                "{command}: {:?}",
                notices(&open)
            );
            let shown = |event: &Event| match event {
                Event::Rendered { lines, .. } => lines.iter().any(|line| line.contains(notice)),
                _other => false,
            };
            assert_eq!(open.count(shown), 1, "the person sees it: {command}");
            let closed =
                world(&Fake::new(&ends), at("PreToolUse", &[command]), |b| b.hooks_fail_closed(true));
            let result = one(&closed, "ok").await;
            assert!(result.is_error && text(&result).contains("failed, so the call is denied"), "{result:?}");
        });
    }
}

#[test]
fn a_hooks_own_time_limit_counts_and_its_end_is_told() {
    virtually(async || {
        let hooks =
            json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "hangs", "timeout": 0.5}]}]});
        let world = world(&Fake::default(), hooks, |builder| builder);
        let before = world.session.env().now();
        assert_eq!(text(&one(&world, "ok").await), "ok");
        assert_eq!(world.session.env().now().since(before), Duration::from_millis(500));
        assert_eq!(answers(&world), ["timed out"]);
    });
}

#[test]
fn a_hook_that_is_cancelled_still_says_that_it_has_ended() {
    virtually(async || {
        let world = world(&Fake::default(), at("PreToolUse", &["hangs"]), |builder| builder);
        let session = Arc::clone(&world.session);
        let aborting = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            session.abort();
        });
        let result = one(&world, "ok").await;
        aborting.await.expect("it ends");
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert!(result.is_error);
        assert_eq!(answers(&world), ["cancelled"]);
    });
}

#[test]
fn a_handler_before_calls_that_cannot_be_run_asks() {
    virtually(async || {
        for handler in [
            json!({"type": "agent", "prompt": "x"}),
            json!({"type": "prompt", "prompt": "x"}),
            json!({"type": "mcp_tool", "server": "s", "tool": "t"}),
            json!({"type": "telepathy"}),
            json!({"type": "command"}),
        ] {
            let (layer, problems) = HookLayer::from_settings(
                Source::UserSettings,
                &json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}),
            );
            assert_eq!(problems.len(), 1);
            let headless = World::new(|builder| {
                builder.hooks_configured([layer.clone()]).hook_transport(Fake::default())
            });
            assert!(one(&headless, "ok").await.is_error, "{handler}");
            let attended = World::new(|builder| {
                builder.hooks_configured([layer]).hook_transport(Fake::default()).prompter(Yes)
            });
            assert_eq!(text(&one(&attended, "ok").await), "ok", "{handler}");
            assert!(asked(&attended), "{handler}");
        }
        // A session without a transport can run none.
        let bare = World::new(|builder| builder.hooks_configured([layer(at("PreToolUse", &["x"]))]));
        assert!(one(&bare, "ok").await.is_error);
        let after = World::new(|builder| builder.hooks_configured([layer(at("PostToolUse", &["x"]))]));
        assert_eq!(text(&one(&after, "ok").await), "ok");
        assert_eq!(notices(&after).len(), 1);
    });
}

#[test]
fn deny_goes_before_defer_before_ask_before_allow_and_a_stop_before_all() {
    let word = |word: &str| {
        pre(json!({"permissionDecision": word, "permissionDecisionReason": format!("{word} it")}))
    };
    let ends = [
        ("allow", 0, word("allow"), ""),
        ("ask", 0, word("ask"), ""),
        ("defer", 0, word("defer"), ""),
        ("deny", 0, word("deny"), ""),
        ("stop", 0, json!({"continue": false, "stopReason": "stop it"}).to_string(), ""),
    ];
    let ends: Vec<_> = ends.iter().map(|(name, code, out, err)| (*name, *code, out.as_str(), *err)).collect();
    for (commands, wanted) in [
        (vec!["allow", "deny"], "deny it"),
        (vec!["deny", "defer"], "deny it"),
        (vec!["defer", "deny"], "deny it"),
        (vec!["defer", "ask", "allow"], "defers this call"),
        (vec!["ask", "allow"], "asked"),
        (vec!["allow", "ask"], "asked"),
        (vec!["deny", "stop"], "stop it"),
        (vec!["stop", "deny"], "stop it"),
        (vec!["allow"], "ran"),
    ] {
        virtually(async || {
            let world =
                world(&Fake::new(&ends), at("PreToolUse", &commands), |builder| builder.prompter(Yes));
            let result = one(&world, "ok").await;
            let found = match (result.is_error, asked(&world)) {
                (true, _) => text(&result),
                (false, true) => "asked".to_owned(),
                (false, false) => "ran".to_owned(),
            };
            assert!(found.contains(wanted), "{commands:?}: {found}");
        });
    }
}

#[test]
fn the_reason_of_an_allow_is_for_the_person_and_that_of_a_denial_for_the_model() {
    let allow = pre(json!({"permissionDecision": "allow", "permissionDecisionReason": "quite harmless"}));
    virtually(async || {
        let world = world(&Fake::new(&[("it", 0, &allow, "")]), at("PreToolUse", &["it"]), |builder| builder);
        let outcome = world.session.run_turn(Turn::new(vec![probe("a", "ok")])).await;
        assert!(!format!("{outcome:?}").contains("quite harmless"));
        let told = |event: &Event| matches!(event, Event::Decided(d) if d.reason == "quite harmless");
        assert_eq!(world.count(told), 1);
    });
}

#[test]
fn a_hooks_allow_or_ask_never_lifts_a_deny_rule() {
    for word in ["allow", "ask"] {
        virtually(async || {
            let out = pre(json!({"permissionDecision": word}));
            let world = world(&Fake::new(&[("it", 0, &out, "")]), at("PreToolUse", &["it"]), |builder| {
                builder.prompter(Yes)
            });
            let result = one(&world, "is denied by a rule").await;
            assert!(result.is_error && text(&result).contains("Probe(forbidden)"), "{word}: {result:?}");
        });
    }
}

#[test]
fn a_rewrite_is_judged_with_the_original_and_needs_no_word_to_count() {
    for (from, to, wanted) in [
        // The rule is asked of what the model sent too.
        ("is denied by a rule", "ok", "Probe(forbidden)"),
        ("ok", "is denied by a rule", "Probe(forbidden)"),
        ("ok", "another", "another"),
        ("ok", "is new", "no one to ask"),
    ] {
        virtually(async || {
            let out = pre(json!({"updatedInput": {"does": to}}));
            let world =
                world(&Fake::new(&[("it", 0, &out, "")]), at("PreToolUse", &["it"]), |builder| builder);
            let result = one(&world, from).await;
            assert!(text(&result).contains(wanted), "{from} to {to}: {result:?}");
        });
    }
}

#[test]
fn differing_rewrites_ask_and_an_allow_counts_only_for_what_was_seen_or_given() {
    let to = |does: &str, word: Option<&str>| {
        let mut fields = json!({"updatedInput": {"does": does}});
        if let Some(word) = word {
            fields["permissionDecision"] = word.into();
        }
        pre(fields)
    };
    let ends = [
        ("to new", to("is new", None)),
        ("to other", to("is newer", None)),
        ("to new, allow", to("is new", Some("allow"))),
        ("to same", to("ok", None)),
        ("allow", pre(json!({"permissionDecision": "allow"}))),
    ];
    let ends: Vec<_> = ends.iter().map(|(name, out)| (*name, 0, out.as_str(), "")).collect();
    for (commands, does_ask, ran) in [
        (vec!["to new", "to other"], true, "is newer"),
        (vec!["to other", "to new"], true, "is new"),
        (vec!["to new, allow", "to new"], false, "is new"),
        (vec!["to new", "to new, allow"], false, "is new"),
        (vec!["allow", "to new"], true, "is new"),
        (vec!["to new", "allow"], true, "is new"),
        (vec!["to same", "allow"], false, "ok"),
        (vec!["to same", "to new, allow"], false, "is new"),
    ] {
        virtually(async || {
            let world =
                world(&Fake::new(&ends), at("PreToolUse", &commands), |builder| builder.prompter(Yes));
            let result = one(&world, "ok").await;
            assert_eq!((asked(&world), text(&result).as_str()), (does_ask, ran), "{commands:?}");
        });
    }
}

#[test]
fn identical_handlers_run_once_and_plugins_keep_their_own() {
    virtually(async || {
        let fake = Fake::default();
        let mut plugin = layer(at("PreToolUse", &["twice"]));
        plugin.plugin = Some("/plugin".into());
        let layers = [
            layer(at("PreToolUse", &["twice", "twice", "other"])),
            layer(at("PreToolUse", &["twice"])),
            plugin,
        ];
        let inner = fake.clone();
        let world = World::new(|builder| builder.hooks_configured(layers).hook_transport(inner));
        assert_eq!(text(&one(&world, "ok").await), "ok");
        assert_eq!(fake.names(), ["other", "twice", "twice"]);
        let ran = fake.ran();
        let roots = ran.iter().filter_map(|hook| hook.variables.get("CLAUDE_PLUGIN_ROOT"));
        assert_eq!(roots.collect::<Vec<_>>(), ["/plugin"]);
        assert!(ran.iter().all(|hook| hook.variables["CLAUDE_PROJECT_DIR"] == "/"));
    });
}

#[test]
fn a_hook_is_given_the_public_input_and_no_other() {
    virtually(async || {
        let fake = Fake::default();
        let hooks = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "it"}]}],
            "PostToolUse": [{"hooks": [{"type": "command", "command": "after"}]}],
            "PostToolUseFailure": [{"hooks": [{"type": "command", "command": "failed"}]}]});
        let world = world(&fake, hooks, |builder| builder);
        one(&world, "ok").await;
        world.run(vec![probe("b", "fails")]).await;
        let inputs: Vec<Value> =
            fake.ran().iter().map(|hook| serde_json::from_str(&hook.input).expect("it is JSON")).collect();
        assert_eq!(inputs[0]["hook_event_name"], "PreToolUse");
        assert_eq!(inputs[0]["tool_name"], "Probe");
        assert_eq!(inputs[0]["tool_input"], json!({"does": "ok"}));
        assert_eq!(inputs[0]["tool_use_id"], "a");
        assert_eq!((&inputs[0]["cwd"], &inputs[0]["permission_mode"]), (&json!("/"), &json!("default")));
        assert!(inputs[0]["session_id"].as_str().is_some_and(|id| id.starts_with("session_")));
        assert_eq!(
            (&inputs[1]["hook_event_name"], &inputs[1]["tool_response"]),
            (&json!("PostToolUse"), &json!("ok"))
        );
        assert!(inputs[1]["duration_ms"].is_u64());
        assert_eq!(inputs[3]["hook_event_name"], "PostToolUseFailure");
        assert_eq!(inputs[3]["error"], "it failed");
    });
}

#[test]
fn what_hooks_want_known_is_kept_when_the_call_fails_and_long_texts_are_stored() {
    virtually(async || {
        let long = "é".repeat(10_001);
        let short = pre(json!({"additionalContext": "short note"}));
        let long = pre(json!({"additionalContext": long}));
        let after = json!({"hookSpecificOutput": {"hookEventName": "PostToolUseFailure", "additionalContext": "after"}});
        let after = after.to_string();
        let fake = Fake::new(&[
            ("short", 0, &short, ""),
            ("long", 0, &long, ""),
            ("after", 0, &after, ""),
            ("tells", 2, "", "from stderr"),
        ]);
        let mut hooks = at("PreToolUse", &["short", "long"]);
        hooks["PostToolUseFailure"] =
            at("PostToolUseFailure", &["after", "tells"])["PostToolUseFailure"].clone();
        let world = world(&fake, hooks, |builder| builder);
        let outcome = world.session.run_turn(Turn::new(vec![probe("a", "fails")])).await;
        assert!(outcome.results[0].is_error);
        let notes: Vec<String> =
            outcome.new_messages.iter().map(|message| format!("{:?}", message.content)).collect();
        assert_eq!(notes.len(), 4, "{notes:?}");
        assert!(
            notes[0].contains("short note") && notes[2].contains("after") && notes[3].contains("from stderr")
        );
        assert!(
            notes[1].contains("10001 characters") && notes[1].contains("all of it is in"),
            "{}",
            notes[1]
        );
        assert!(notes[1].chars().count() < 3_000);
        assert!(outcome.new_messages.iter().all(|message| message.is_meta));
    });
}

#[test]
fn a_matcher_chooses_tools_as_the_profile_reads_it() {
    for (matcher, old, new) in [
        ("Probe", 1, 1),
        ("Prob", 0, 0),
        ("Prob.", 1, 1),
        ("Bash|Probe", 1, 1),
        ("Bash,Probe", 0, 1),
        ("pro-be", 0, 0),
    ] {
        for (profile, wanted) in [(Profile::V2_1_88, old), (Profile::Current, new)] {
            virtually(async || {
                let fake = Fake::default();
                let hooks = json!({"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": "it"}]}]});
                let world = world(&fake, hooks, |builder| builder.profile(profile));
                one(&world, "ok").await;
                assert_eq!(fake.ran().len(), wanted, "{matcher} {profile:?}");
            });
        }
    }
}

#[test]
fn a_condition_is_a_rule_over_what_the_call_does_and_runs_when_it_cannot_be_read() {
    for (condition, does, wanted) in [
        ("Probe(careful)", "is careful", 1),
        ("Probe(careful)", "is new", 0),
        ("Probe(careful)", "ok", 0),
        ("Probe", "ok", 1),
        ("Other", "ok", 0),
        ("Probe(", "ok", 1),
        ("", "ok", 1),
        ("((", "ok", 1),
    ] {
        for stage in ["PreToolUse", "PostToolUse"] {
            virtually(async || {
                let fake = Fake::default();
                let hooks =
                    json!({ stage: [{"hooks": [{"type": "command", "command": "it", "if": condition}]}] });
                let world =
                    world(&fake, hooks, |builder| builder.rule(Behavior::Allow, Source::Session, "Probe"));
                one(&world, does).await;
                assert_eq!(fake.ran().len(), wanted, "{stage} {condition} {does}");
            });
        }
    }
}

#[test]
fn what_begins_as_json_and_is_none_is_no_silent_yes() {
    let deny = pre(json!({"permissionDecision": "deny"}));
    let marked = format!("\u{feff}{deny}");
    let (twice, cut) = (format!("{deny}\n{deny}"), deny[..deny.len() - 1].to_owned());
    let trailing = format!("{deny} done");
    for (out, is_whole) in
        [(&deny, true), (&marked, true), (&twice, false), (&cut, false), (&trailing, false)]
    {
        virtually(async || {
            let fake = Fake::new(&[("it", 0, out, "")]);
            let open = world(&fake, at("PreToolUse", &["it"]), |builder| builder);
            assert_eq!(one(&open, "ok").await.is_error, is_whole, "{out}");
            let told = notices(&open);
            assert_eq!(
                told.iter().any(|text| text.contains("begins as JSON and is none")),
                !is_whole,
                "{told:?}"
            );
            let closed = world(&fake, at("PreToolUse", &["it"]), |builder| builder.hooks_fail_closed(true));
            assert!(one(&closed, "ok").await.is_error, "{out}");
        });
    }
}

#[test]
fn a_guard_whose_event_is_misspelt_asks_about_every_call() {
    for name in ["preToolUse", "pretooluse", "PreToolUses", "PreTooluse"] {
        let settings = json!({"hooks": at(name, &["guard"])});
        let (layer, problems) = HookLayer::from_settings(Source::UserSettings, &settings);
        assert!(problems[0].reason.contains("did you mean `PreToolUse`?"), "{problems:?}");
        virtually(async || {
            let headless = World::new(|builder| {
                builder.hooks_configured([layer.clone()]).hook_transport(Fake::default())
            });
            assert!(one(&headless, "ok").await.is_error, "{name}");
        });
    }
    // What is like no event that closes may be of another version.
    let (layer, _) =
        HookLayer::from_settings(Source::UserSettings, &json!({"hooks": at("Whatever", &["x"])}));
    assert!(layer.config.handlers().is_empty());
}
