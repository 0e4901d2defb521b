//! What an answer is tied to, what it keeps, and what becomes of the questions that wait beside it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use toolwright::env::{Cancellation, Cause, Env};
use toolwright::event::Event;
use toolwright::hooks::{Hook, HookError, HookStage};
use toolwright::permission::{
    Answer, Behavior, Destination, Grant, Mode, NotRemembered, Prompter, Question, Remember, Source, Why,
};

use super::probe::{Dialogs, Probes, yes};
use super::world::Person;

fn always(rule: &str, destination: Destination) -> Answer {
    Answer::Always { input: None, grants: vec![Grant::allow(rule, destination)] }
}

fn is_remembered(event: &Event) -> bool {
    matches!(event, Event::Remembered { .. })
}

fn not_remembered(event: &Event) -> bool {
    matches!(event, Event::NotRemembered { .. })
}

#[tokio::test(start_paused = true)]
async fn always_lets_the_waiting_questions_go_that_the_rule_answers_and_no_other() {
    let mut dialogs = None;
    let probes = Probes::new(|builder, env| {
        let answers = vec![("make a", 1, always("Bash(make *)", Destination::Session)), ("other", 9, yes())];
        builder.prompter(dialogs.insert(Dialogs::new(env, answers)).clone())
    });
    let done = probes.run(&["make a", "make b", "make c", "other"]).await;
    let dialogs = dialogs.expect("the session was built");
    assert_eq!(done.texts, ["ran make a", "ran make b", "ran make c", "ran other"]);
    assert_eq!(done.by(), ["person", "rule", "rule", "person"]);
    assert_eq!(dialogs.withdrawn(), [r#"{"command":"make b"}"#, r#"{"command":"make c"}"#]);
    assert_eq!(dialogs.shown().len(), 4, "the one that no rule answers was not asked again");
    assert_eq!((done.count(is_remembered), done.count(not_remembered)), (1, 0));
    let later = probes.run(&["make d", "remake"]);
    let (later, ()) = futures_util::future::join(later, async {
        probes.session.env().sleep(Duration::from_secs(1)).await;
        probes.session.abort();
    })
    .await;
    assert_eq!((later.ran(), later.by()), (1, vec!["rule"]), "later calls are not asked about");
}

#[tokio::test]
async fn a_yes_to_what_no_rule_can_answer_is_not_kept() {
    for (command, why, rule) in [
        ("rm -rf /etc", Why::Killswitch, (Behavior::Allow, "Bash(rm *)")),
        ("x", Why::BrokenRule, (Behavior::Deny, "Bash(broken")),
    ] {
        let person = Person::saying(always("Bash", Destination::Session));
        let probes = Probes::new(|builder, _| {
            builder.prompter(person.clone()).rule(rule.0, Source::UserSettings, rule.1)
        });
        for times in 1..=2 {
            let done = probes.run(&[command]).await;
            assert_eq!((done.ran(), done.by()), (1, vec!["person"]), "{command}");
            assert_eq!((done.count(is_remembered), done.count(not_remembered)), (0, 1), "{command}");
            assert_eq!(person.count(), times, "it is asked each time");
        }
        let asked = person.asked.lock().expect("nothing panics while it is held");
        assert!(asked.iter().all(|question| question.why == why && question.suggestions.is_empty()));
        let names_it = |reason: &str| why != Why::BrokenRule || reason.contains("the rule `Bash(broken`");
        assert!(asked.iter().all(|question| names_it(&question.reason)), "{asked:?}");
    }
}

#[tokio::test]
async fn what_is_suggested_can_be_kept_and_answers_the_next_time() {
    let person = Person::yes();
    let probes = Probes::new(|builder, _| builder.prompter(person.clone()));
    assert_eq!(probes.run(&["make a"]).await.by(), ["person"]);
    let suggested = person.asked.lock().expect("nothing panics while it is held")[0].suggestions.clone();
    assert!(!suggested.is_empty(), "a rule could have answered");
    let grants = suggested.iter().map(|one| Grant::of(one, Destination::Session)).collect();
    let person = Person::saying(Answer::Always { input: None, grants });
    let probes = Probes::new(|builder, _| builder.prompter(person.clone()));
    assert_eq!(probes.run(&["make a"]).await.by(), ["person"]);
    assert_eq!(probes.run(&["make a"]).await.by(), ["rule"]);
}

#[tokio::test]
async fn a_rule_that_cannot_be_read_is_not_kept_and_the_yes_counts_once() {
    let person = Person::saying(always("Bash(broken", Destination::Session));
    let probes = Probes::new(|builder, _| builder.prompter(person.clone()));
    for times in 1..=2 {
        let done = probes.run(&["x"]).await;
        assert_eq!((done.ran(), done.count(is_remembered), done.count(not_remembered)), (1, 0, 1));
        assert_eq!(person.count(), times);
    }
}

/// Keeps rules in memory, or says that it cannot.
#[derive(Clone, Default)]
struct Keeper {
    kept: Arc<Mutex<Vec<Grant>>>,
    is_broken: bool,
}

impl Remember for Keeper {
    fn remember(&self, grant: &Grant) -> Result<(), NotRemembered> {
        assert_ne!(grant.destination, Destination::Session, "that is not for it");
        if self.is_broken {
            return Err(NotRemembered("the disk is full".to_owned()));
        }
        self.kept.lock().expect("nothing panics while it is held").push(grant.clone());
        Ok(())
    }
}

#[tokio::test]
async fn a_rule_goes_where_the_person_wants_it_or_counts_for_the_session_and_says_so() {
    for (keeper, refusals) in
        [(Some(Keeper::default()), 0), (Some(Keeper { is_broken: true, ..Keeper::default() }), 1), (None, 1)]
    {
        for destination in [
            Destination::Session,
            Destination::LocalSettings,
            Destination::ProjectSettings,
            Destination::UserSettings,
        ] {
            let person = Person::saying(always("Bash(make *)", destination));
            let probes = Probes::new(|builder, _| {
                let builder = builder.prompter(person.clone());
                if let Some(keeper) = keeper.clone() { builder.remember(keeper) } else { builder }
            });
            let done = probes.run(&["make a"]).await;
            let is_session = destination == Destination::Session;
            let refused = if is_session { 0 } else { refusals };
            assert_eq!(
                (done.count(is_remembered), done.count(not_remembered)),
                (1, refused),
                "{destination:?}"
            );
            assert_eq!(probes.run(&["make b"]).await.by(), ["rule"], "it is in force either way");
            assert_eq!(person.count(), 1);
            let kept = keeper.as_ref().map(|keeper| {
                std::mem::take(&mut *keeper.kept.lock().expect("nothing panics while it is held"))
            });
            let expected = if is_session || refusals > 0 {
                Vec::new()
            } else {
                vec![Grant::allow("Bash(make *)", destination)]
            };
            assert_eq!(kept.unwrap_or_default(), expected);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_mode_withdraws_the_question_and_the_new_mode_judges() {
    for (mode, ran, by, asked) in [
        (Mode::BypassPermissions, 1, "mode", 1),
        (Mode::DontAsk, 0, "mode", 1),
        (Mode::AcceptEdits, 1, "person", 2),
    ] {
        let mut dialogs = None;
        let probes = Probes::new(|builder, env| {
            builder.prompter(dialogs.insert(Dialogs::new(env, vec![("make", 10, yes())])).clone())
        });
        let change = async {
            probes.session.env().sleep(Duration::from_secs(5)).await;
            probes.session.change(move |context| context.mode = mode);
        };
        let (done, ()) = futures_util::future::join(probes.run(&["make"]), change).await;
        let dialogs = dialogs.expect("the session was built");
        assert_eq!((done.ran(), done.by()), (ran, vec![by]), "{mode} {:?}", done.texts);
        assert_eq!(done.count(|event| matches!(event, Event::Withdrawn { .. })), 1, "{mode}");
        assert_eq!((dialogs.shown().len(), dialogs.withdrawn().len()), (asked, 1), "{mode}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_directory_is_no_new_question_where_it_changes_nothing() {
    let mut dialogs = None;
    let probes = Probes::new(|builder, env| {
        builder.prompter(dialogs.insert(Dialogs::new(env, vec![("make", 10, yes())])).clone())
    });
    let change = async {
        probes.session.env().sleep(Duration::from_secs(5)).await;
        probes.session.change(|context| context.additional_directories.push("/w/new".into()));
    };
    let (done, ()) = futures_util::future::join(probes.run(&["make"]), change).await;
    assert_eq!((done.ran(), done.by()), (1, vec!["person"]));
    assert_eq!(dialogs.expect("the session was built").shown().len(), 1);
}

#[tokio::test]
async fn an_answer_goes_to_the_call_it_was_given_for() {
    let probes = Probes::new(|builder, env| {
        let no = Answer::Deny { message: Some("use the other one".to_owned()) };
        builder.prompter(Dialogs::new(env, vec![("b", 0, no), ("a", 0, yes()), ("c", 0, yes())]))
    });
    let done = probes.run(&["a", "b", "c"]).await;
    // What the person says with a no is what the model reads.
    assert_eq!(done.texts, ["ran a", "use the other one", "ran c"]);
    assert_eq!(done.ran(), 2);
}

/// Somebody whose dialog is never shown.
struct Background;

#[async_trait]
impl Prompter for Background {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        None
    }
}

#[tokio::test]
async fn a_question_that_nobody_saw_is_not_told_as_a_persons_no() {
    let done = Probes::new(|builder, _| builder.prompter(Background)).run(&["make"]).await;
    assert_eq!((done.ran(), done.by()), (0, vec!["nobody"]));
    assert!(
        done.texts[0].contains("nobody answered") && !done.texts[0].contains("person said"),
        "{:?}",
        done.texts
    );
}

/// A hook that answers and keeps a rule.
struct Granter;

#[async_trait]
impl Hook for Granter {
    fn name(&self) -> &str {
        "granter"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PermissionRequest]
    }

    async fn permission_request(&self, _question: &Question) -> Result<Option<Answer>, HookError> {
        Ok(Some(always("Bash(make *)", Destination::Session)))
    }
}

#[tokio::test]
async fn a_hook_may_keep_a_rule_with_its_yes() {
    let probes = Probes::new(|builder, _| builder.hook(Granter));
    assert_eq!(probes.run(&["make a"]).await.by(), ["hook granter"]);
    assert_eq!(probes.run(&["make b"]).await.by(), ["rule"]);
}

#[tokio::test(start_paused = true)]
async fn a_sub_agents_question_reaches_the_parents_person_and_says_whose_it_is() {
    let person = Person::yes();
    let parent = Probes::new(|builder, _| builder.prompter(person.clone()));
    let cancellation = Cancellation::new();
    let bubble = parent.session.bubble("reviewer", cancellation.clone()).expect("a person is there");
    let child = Probes::new(|builder, _| builder.mode(Mode::Bubble).prompter(bubble));
    let inner = child.session.bubble("tester", Cancellation::new()).expect("the parent is there");
    let grandchild = Probes::new(|builder, _| builder.mode(Mode::Bubble).prompter(inner));
    assert_eq!(child.run(&["make"]).await.by(), ["person"]);
    assert_eq!(grandchild.run(&["make"]).await.by(), ["person"]);
    let agents: Vec<Vec<String>> = {
        let asked = person.asked.lock().expect("nothing panics while it is held");
        asked.iter().map(|question| question.agents.clone()).collect()
    };
    assert_eq!(agents, [vec!["reviewer".to_owned()], vec!["reviewer".to_owned(), "tester".to_owned()]]);
    cancellation.cancel(Cause::Aborted);
    let done = child.run(&["make"]).await;
    assert_eq!((done.ran(), done.by()), (0, vec!["nobody"]), "a cancelled agent asks nobody");
    assert!(Probes::new(|builder, _| builder).session.bubble("x", Cancellation::new()).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_sub_agents_dialog_is_withdrawn_with_it() {
    let mut dialogs = None;
    let parent = Probes::new(|builder, env: &Env| {
        builder.prompter(dialogs.insert(Dialogs::new(env, Vec::new())).clone())
    });
    let cancellation = Cancellation::new();
    let bubble = parent.session.bubble("reviewer", cancellation.clone()).expect("a person is there");
    let child = Probes::new(|builder, _| builder.mode(Mode::Bubble).prompter(bubble));
    let cancel = async {
        child.session.env().sleep(Duration::from_secs(1)).await;
        cancellation.cancel(Cause::Aborted);
    };
    let (done, ()) = futures_util::future::join(child.run(&["make"]), cancel).await;
    assert_eq!((done.ran(), done.by()), (0, vec!["nobody"]));
    assert_eq!(dialogs.expect("the session was built").withdrawn().len(), 1);
}

#[tokio::test]
async fn a_tools_own_rewrite_is_what_runs_and_may_set_what_the_model_may_not() {
    let probes = Probes::new(|builder, _| builder);
    let call = |text: &str| vec![("Stream", json!({"text": text}))];
    let done = probes.turn(call("plain")).await;
    // It is not validated: the model itself could not have sent it.
    assert_eq!((done.texts[0].as_str(), done.by()), (r#"own plain Some("done")"#, vec!["tool"]));
    assert!(probes.turn(call("own plain")).await.texts[0].contains("the tool's own"));
    let set = probes.turn(vec![("Stream", json!({"text": "x", "worked_out": "y"}))]).await;
    assert_eq!(set.ran(), 0, "{:?}", set.texts);
    // A tool that would rewrite without end is asked once.
    assert_eq!(probes.turn(call("again")).await.texts[0], r#"again Some("again")"#);
    let broken = probes.turn(call("broken")).await;
    assert!(broken.ran() == 0 && broken.texts[0].contains("does not fit"), "{:?}", broken.texts);
}

#[tokio::test]
async fn rules_that_close_look_at_what_a_tool_makes_of_an_input_and_at_what_it_was() {
    for (rule, text) in
        [("Stream(own closed)", "closed"), ("Stream(closed)", "closed"), ("Stream(plain)", "plain")]
    {
        for (behavior, by) in [(Behavior::Deny, "rule"), (Behavior::Ask, "person")] {
            for mode in [Mode::Default, Mode::BypassPermissions] {
                let person = Person::yes();
                let probes = Probes::new(|builder, _| {
                    builder.mode(mode).prompter(person.clone()).rule(behavior, Source::UserSettings, rule)
                });
                let done = probes.turn(vec![("Stream", json!({"text": text}))]).await;
                assert_eq!(done.by(), [by], "{rule} {text}");
                assert_eq!(done.ran(), usize::from(by == "person"));
                let asked = person.asked.lock().expect("nothing panics while it is held");
                let shown = asked.first().map(|question| question.input.as_str().contains("own"));
                assert_eq!(shown, (by == "person").then_some(true), "the person sees what would run");
            }
        }
    }
}
