//! Several hooks at one call: what they say is merged, and what they want the model to know is kept.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use toolwright::event::{Event, Refusal, Verdict};
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PreDecision, PreToolUse};
use toolwright::message::Turn;
use toolwright::permission::{Answer, Behavior, Prompter, Question, Source};
use toolwright::session::SessionBuilder;

use super::world::{Listener, World, input, on_each_runtime, probe, text};

struct Yes;

#[async_trait]
impl Prompter for Yes {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        Some(Answer::Allow { input: None })
    }
}

fn two_hooks() -> World {
    let second = Listener { log: Arc::default(), name: "second" };
    World::new(|builder| builder.hook(second).prompter(Yes))
}

fn decided_by(world: &World) -> Vec<String> {
    let by = |event: &Event| match event {
        Event::Decided(decided) if decided.decision == Verdict::Allow => Some(decided.by.clone()),
        Event::Decided(decided) => Some(format!("no from {}", decided.by)),
        _other => None,
    };
    world.events().iter().filter_map(|stamped| by(&stamped.event)).collect()
}

#[test]
fn deny_goes_before_ask_and_ask_before_allow_whichever_hook_says_it() {
    on_each_runtime(async || {
        for (does, decided) in [
            ("first allows, second denies", "no from hook second"),
            ("first denies, second allows", "no from hook first"),
            ("first asks, second denies", "no from hook second"),
            ("first breaks, second allows", "no from hook first"),
            ("first allows, second asks", "person"),
            ("first asks, second allows", "person"),
            ("first allows", "hook"),
            ("second allows", "hook"),
            ("nobody says a word", "read-only"),
        ] {
            let world = two_hooks();
            world.run(vec![probe("a", does)]).await;
            assert_eq!(decided_by(&world), [decided], "{does}");
        }
    });
}

#[test]
fn a_rewrite_is_checked_again_and_what_was_decided_on_is_what_runs() {
    on_each_runtime(async || {
        let world = two_hooks();
        let calls = [
            "first makes it solitary",
            "second makes it solitary",
            "first makes it good",
            "first has it denied, second makes it good",
            "first makes it good, second has it denied",
        ];
        let results = world.run(calls.iter().map(|does| probe(does, does)).collect()).await;
        let said: Vec<_> = results.iter().map(text).collect();
        assert_eq!(said[..4], ["runs alone", "runs alone", "ok", "ok"], "the last rewrite counts");
        assert!(said[4].contains("Probe(forbidden)"), "{}", said[4]);
        assert_eq!(world.count(|event| matches!(event, Event::Rejudged { safe: false, .. })), 2);
    });
}

#[test]
fn a_rewrite_does_not_escape_a_rule_that_asks() {
    on_each_runtime(async || {
        let careful =
            |builder: SessionBuilder| builder.rule(Behavior::Ask, Source::Session, "Probe(careful)");
        let calls = || vec![probe("a", "is careful, first makes it good")];
        let asked = World::new(|builder| careful(builder).prompter(Yes));
        assert_eq!(text(&asked.run(calls()).await[0]), "ok");
        assert_eq!(decided_by(&asked), ["person"]);
        let headless = World::new(careful);
        assert!(headless.run(calls()).await[0].is_error);
        assert_eq!(decided_by(&headless), ["no from nobody"]);
    });
}

/// Allows everything, with an input that a person would have to be asked about.
struct Sly;

#[async_trait]
impl Hook for Sly {
    fn name(&self) -> &str {
        "sly"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PermissionRequest]
    }

    async fn permission_request(&self, _question: &Question) -> Result<Option<Answer>, HookError> {
        Ok(Some(Answer::Allow { input: Some(input("is careful")) }))
    }
}

/// Never answers.
struct Away;

#[async_trait]
impl Prompter for Away {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        std::future::pending().await
    }
}

#[test]
fn a_hook_that_answers_a_question_does_not_answer_another_one_with_it() {
    on_each_runtime(async || {
        let sly = |builder: SessionBuilder| {
            builder.rule(Behavior::Ask, Source::Session, "Probe(careful)").hook(Sly)
        };
        for world in [World::new(sly), World::new(|builder| sly(builder).prompter(Away))] {
            let results = world.run(vec![probe("a", "is new")]).await;
            assert!(results[0].is_error, "{results:?}");
            assert_eq!(decided_by(&world), ["hook sly"], "one decision a call");
            let closed = |event: &Event| matches!(event, Event::Refused { step: Refusal::Closed, .. });
            assert_eq!((world.count(closed), world.log.of("a").contains(&"call".to_owned())), (1, false));
        }
    });
}

#[test]
fn what_a_hook_wants_known_is_kept_however_the_call_ends() {
    on_each_runtime(async || {
        for (does, notes) in [
            ("note", 2),
            ("note, fails", 2),
            ("note, panic in call", 2),
            ("note, panic in content", 2),
            ("note, panic in effects", 1),
            ("note, first denies", 1),
            ("note, first makes it invalid", 1),
            ("note, first has it denied", 1),
            ("note, first garbles it", 1),
        ] {
            let world = World::plain();
            let outcome = world.session.run_turn(Turn::new(vec![probe("a", does)])).await;
            assert_eq!(outcome.new_messages.len(), notes, "{does}: {:?}", outcome.new_messages);
        }
    });
}

#[test]
fn a_hook_that_panics_while_it_chooses_its_calls_sees_them() {
    struct Choosy;
    #[async_trait]
    impl Hook for Choosy {
        fn name(&self) -> &str {
            "choosy"
        }

        fn stages(&self) -> &[HookStage] {
            &[HookStage::PreToolUse]
        }

        fn matches(&self, _tool: &str) -> bool {
            panic!("written panic in the matcher")
        }
    }
    on_each_runtime(async || {
        let world = World::new(|builder| builder.hook(Choosy));
        let results = world.run(vec![probe("a", "ok")]).await;
        assert!(!results[0].is_error, "{results:?}");
        let seen = |event: &Event| matches!(event, Event::HookStarted { hook, .. } if hook == "choosy");
        assert_eq!(world.count(seen), 1);
    });
}

#[test]
fn a_hook_that_panics_over_itself_is_asked_all_the_same_at_every_stage() {
    struct Shy(&'static str);
    impl Shy {
        fn panics_over(&self, what: &str) {
            assert_ne!(self.0, what, "written panic over its {what}");
        }
    }
    #[async_trait]
    impl Hook for Shy {
        fn name(&self) -> &str {
            self.panics_over("name");
            "shy"
        }

        fn stages(&self) -> &[HookStage] {
            self.panics_over("stages");
            &[HookStage::PreToolUse, HookStage::PermissionRequest, HookStage::PostToolBatch]
        }

        fn timeout(&self) -> Duration {
            self.panics_over("limit");
            Duration::from_secs(1)
        }

        async fn pre_tool_use(&self, _call: &HookCall) -> Result<PreToolUse, HookError> {
            Ok(PreToolUse {
                decision: Some(PreDecision::Ask("it wants to know".to_owned())),
                ..PreToolUse::default()
            })
        }

        async fn permission_request(&self, _question: &Question) -> Result<Option<Answer>, HookError> {
            Err(HookError("it denies".to_owned()))
        }
    }
    on_each_runtime(async || {
        for (panics_over, name) in [("name", "a hook without a name"), ("stages", "shy"), ("limit", "shy")] {
            let world = World::new(|builder| builder.hook(Shy(panics_over)));
            let results = world.run(vec![probe("a", "ok")]).await;
            assert!(results[0].is_error, "{panics_over}: {results:?}");
            for stage in [HookStage::PreToolUse, HookStage::PostToolBatch] {
                let began = |event: &Event| matches!(event, Event::HookStarted { hook, stage: at, .. } if hook == name && *at == stage);
                assert_eq!(world.count(began), 1, "{panics_over}: {stage:?}");
            }
        }
    });
}
