//! The race for a question: one claim, late answers dropped, dialogs withdrawn, failures closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use toolwright::env::Env;
use toolwright::event::{Event, Verdict};
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PreDecision, PreToolUse};
use toolwright::permission::{Answer, Behavior, Mode, Prompter, Question, Source};

use super::world::{MODES, PROFILES, Person, World};

/// What somebody does when asked, after some seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    Allow,
    Deny,
    Abstain,
    Err,
    Panic,
    Never,
}

/// Somebody who answers as told, and of whom it is known how often the question was dropped.
#[derive(Clone)]
struct Racer {
    env: Env,
    does: Does,
    after_secs: u64,
    dropped: Arc<AtomicUsize>,
}

struct OnDrop<'a>(&'a AtomicUsize);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Racer {
    fn new(env: &Env, does: Does, after_secs: u64) -> Racer {
        Racer { env: env.clone(), does, after_secs, dropped: Arc::default() }
    }

    async fn answer(&self) -> Result<Option<Answer>, HookError> {
        let withdrawn = OnDrop(&self.dropped);
        if self.after_secs > 0 {
            self.env.sleep(Duration::from_secs(self.after_secs)).await;
        }
        let answer = match self.does {
            Does::Allow => Ok(Some(Answer::Allow { input: None })),
            Does::Deny => Ok(Some(Answer::Deny { message: Some("told no".to_owned()) })),
            Does::Abstain => Ok(None),
            Does::Err => Err(HookError("broken".to_owned())),
            Does::Panic => panic!("on purpose"),
            Does::Never => std::future::pending().await,
        };
        std::mem::forget(withdrawn);
        answer
    }
}

#[async_trait]
impl Prompter for Racer {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        self.answer().await.unwrap_or_else(|error| panic!("{error}"))
    }
}

#[async_trait]
impl Hook for Racer {
    fn name(&self) -> &str {
        "racer"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PermissionRequest]
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(100)
    }

    async fn permission_request(&self, _question: &Question) -> Result<Option<Answer>, HookError> {
        self.answer().await
    }
}

/// A call that the rules leave open, in a race of a hook and a person.
async fn race(hook: (Does, u64), person: (Does, u64)) -> (super::world::Done, usize, usize) {
    let mut dropped = None;
    let world = World::new(|builder, env| {
        let (hook, person) = (Racer::new(env, hook.0, hook.1), Racer::new(env, person.0, person.1));
        dropped = Some((Arc::clone(&hook.dropped), Arc::clone(&person.dropped)));
        builder.hook(hook).prompter(person)
    });
    let done = world.call("Bash", json!({"command": "make"})).await;
    // Tasks that were told to stop are dropped by the executor.
    world.session.env().sleep(Duration::from_millis(1)).await;
    let (hook, person) = dropped.expect("the session was built");
    (done, hook.load(Ordering::SeqCst), person.load(Ordering::SeqCst))
}

#[tokio::test(start_paused = true)]
async fn the_first_answer_decides_once_and_the_other_is_withdrawn() {
    for first in [Does::Allow, Does::Deny] {
        for second in [Does::Allow, Does::Deny, Does::Abstain, Does::Err, Does::Panic, Does::Never] {
            for hook_first in [true, false] {
                let (hook, person) =
                    if hook_first { ((first, 1), (second, 2)) } else { ((second, 2), (first, 1)) };
                let (done, hook_dropped, person_dropped) = race(hook, person).await;
                let decided = done.decided();
                assert_eq!(decided.len(), 1, "{first:?} {second:?}");
                assert_eq!(decided[0].decision == Verdict::Allow, first == Does::Allow);
                assert_eq!(decided[0].by, if hook_first { "hook racer" } else { "person" });
                assert_eq!((done.ran(), done.is_error), (first == Does::Allow, first == Does::Deny));
                assert_eq!((hook_dropped, person_dropped), if hook_first { (0, 1) } else { (1, 0) });
                assert!(done.late().is_empty());
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_answers_at_once_one_decides_and_one_is_late() {
    for after_secs in [0, 5] {
        for (hook, person) in
            [(Does::Allow, Does::Deny), (Does::Deny, Does::Allow), (Does::Allow, Does::Allow)]
        {
            let (done, ..) = race((hook, after_secs), (person, after_secs)).await;
            let decided = done.decided();
            assert_eq!(decided.len(), 1);
            let (winner, loser) = (decided[0].by.as_str(), done.late());
            assert!(loser.len() <= 1 && !loser.contains(&winner), "{done:?}");
            let won = if winner == "person" { person } else { hook };
            assert_eq!(done.ran(), won == Does::Allow, "{done:?}");
            if after_secs == 0 {
                assert_eq!((winner, loser), ("hook racer", vec!["person"]));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn where_nobody_answers_the_answer_is_no() {
    for (hook, person, by) in [
        (Does::Abstain, Does::Abstain, "nobody"),
        (Does::Abstain, Does::Panic, "nobody"),
        (Does::Abstain, Does::Allow, "person"),
        (Does::Err, Does::Never, "hook racer"),
        (Does::Panic, Does::Never, "hook racer"),
        (Does::Panic, Does::Panic, "hook racer"),
        (Does::Err, Does::Abstain, "hook racer"),
        (Does::Deny, Does::Panic, "hook racer"),
        // A hook that takes too long says no.
        (Does::Never, Does::Never, "hook racer"),
        (Does::Never, Does::Panic, "hook racer"),
    ] {
        let (done, ..) = race((hook, 2), (person, 1)).await;
        assert_eq!(done.decided().len(), 1, "{hook:?} {person:?}");
        assert_eq!((done.decided()[0].by.as_str(), done.ran()), (by, by == "person"), "{hook:?} {person:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_person_hooks_may_answer_and_else_the_answer_is_no() {
    for (does, ran) in [
        (Does::Allow, true),
        (Does::Deny, false),
        (Does::Abstain, false),
        (Does::Err, false),
        (Does::Panic, false),
        (Does::Never, false),
    ] {
        let world = World::new(|builder, env| builder.hook(Racer::new(env, does, 1)));
        let done = world.call("Bash", json!({"command": "make"})).await;
        assert_eq!((done.ran(), done.decided().len()), (ran, 1), "{does:?}");
    }
    let done = World::new(|builder, _| builder).call("Bash", json!({"command": "make"})).await;
    assert!(!done.ran() && !done.asked());
    assert_eq!(done.decided()[0].by, "nobody");
}

#[tokio::test(start_paused = true)]
async fn where_a_person_is_needed_hooks_are_not_asked() {
    for (tool, input, rule) in [
        ("Bash", json!({"command": "make"}), (Behavior::Ask, "Bash(make)")),
        ("Bash", json!({"command": "make"}), (Behavior::Deny, "Bash(broken")),
        ("Bash", json!({"command": "rm -rf /"}), (Behavior::Allow, "Bash")),
        ("Question", json!({}), (Behavior::Allow, "Question")),
    ] {
        let person = Person::yes();
        let world = World::new(|builder, env| {
            let builder = builder.hook(Racer::new(env, Does::Allow, 0)).prompter(person.clone());
            builder.rule(rule.0, Source::UserSettings, rule.1)
        });
        let done = world.call(tool, input.clone()).await;
        assert_eq!((person.count(), done.decided()[0].by.as_str()), (1, "person"), "{tool} {rule:?}");
        let racers = done.events.iter().find_map(|event| match event {
            Event::Asked { racers, .. } => Some(racers.clone()),
            _other => None,
        });
        assert_eq!(racers, Some(vec!["person".to_owned()]));

        let alone = World::new(|builder, env| {
            builder.hook(Racer::new(env, Does::Allow, 0)).rule(rule.0, Source::UserSettings, rule.1)
        });
        let done = alone.call(tool, input).await;
        assert!(!done.ran() && !done.asked(), "{tool} {rule:?}");
    }
}

/// A hook before the call.
struct Before {
    env: Env,
    does: Does,
}

#[async_trait]
impl Hook for Before {
    fn name(&self) -> &str {
        "before"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PreToolUse]
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(1)
    }

    async fn pre_tool_use(&self, _call: &HookCall) -> Result<PreToolUse, HookError> {
        let racer = Racer::new(&self.env, self.does, 0);
        let decision = racer.answer().await?.map(|answer| match answer {
            Answer::Allow { .. } | Answer::Always { .. } => PreDecision::Allow("fine".to_owned()),
            Answer::Deny { .. } => PreDecision::Deny("told no".to_owned()),
        });
        Ok(PreToolUse { decision, ..PreToolUse::default() })
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_before_the_call_that_fails_denies_in_every_mode() {
    for mode in MODES {
        for profile in PROFILES {
            for does in [Does::Deny, Does::Err, Does::Panic, Does::Never] {
                let world = World::new(|builder, env| {
                    let builder = builder.mode(mode).profile(profile).prompter(Person::yes());
                    let builder = builder.rule(Behavior::Allow, Source::CliArg, "Bash");
                    // Another hook's allow lifts nothing.
                    let allows = Before { env: env.clone(), does: Does::Allow };
                    builder.hook(allows).hook(Before { env: env.clone(), does })
                });
                let done = world.call("Bash", json!({"command": "ls"})).await;
                assert!(!done.ran() && done.is_error, "{mode} {does:?}");
                assert_eq!((done.decided().len(), done.decided()[0].by.as_str()), (1, "hook before"));
            }
        }
    }
}

#[tokio::test]
async fn a_hooks_allow_lifts_no_denial_and_answers_the_rest() {
    for (rule, expected) in [
        ((Behavior::Deny, "Bash(make)"), "rule"),
        ((Behavior::Ask, "Bash(make)"), "person"),
        ((Behavior::Deny, "Bash(broken"), "person"),
        ((Behavior::Allow, "Bash(other)"), "hook"),
    ] {
        let world = World::new(|builder, env| {
            let builder =
                builder.hook(Before { env: env.clone(), does: Does::Allow }).prompter(Person::yes());
            builder.rule(rule.0, Source::UserSettings, rule.1)
        });
        let done = world.call("Bash", json!({"command": "make"})).await;
        assert_eq!(done.decided()[0].by, expected, "{rule:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_abort_withdraws_the_dialog_and_nothing_runs() {
    let mut dropped = None;
    let world = World::new(|builder, env| {
        let person = Racer::new(env, Does::Never, 0);
        dropped = Some(Arc::clone(&person.dropped));
        builder.mode(Mode::Default).prompter(person)
    });
    let (session, env) = (&world.session, world.session.env().clone());
    let call = world.call("Bash", json!({"command": "make"}));
    let abort = async {
        env.sleep(Duration::from_secs(1)).await;
        session.abort();
        env.sleep(Duration::from_secs(1)).await;
    };
    let (done, ()) = futures_util::future::join(call, abort).await;
    assert!(!done.ran() && done.is_error && done.decided().is_empty());
    assert_eq!(dropped.expect("the session was built").load(Ordering::SeqCst), 1);
}
