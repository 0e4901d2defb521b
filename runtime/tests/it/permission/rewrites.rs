//! Inputs that a hook or a person rewrites: what was decided on is what runs, and what closes looks at both.

use async_trait::async_trait;
use serde_json::{Value, json};
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PreDecision, PreToolUse};
use toolwright::message::RawInput;
use toolwright::permission::{Answer, Behavior, Mode, Question, Source};

use super::world::{PROFILES, Person, World};

/// A hook that gives another input, before the call or when asked.
struct Rewriter {
    stage: [HookStage; 1],
    decision: Option<PreDecision>,
    to: &'static str,
}

#[async_trait]
impl Hook for Rewriter {
    fn name(&self) -> &str {
        "rewriter"
    }

    fn stages(&self) -> &[HookStage] {
        &self.stage
    }

    async fn pre_tool_use(&self, _call: &HookCall) -> Result<PreToolUse, HookError> {
        let decision = self.decision.clone();
        Ok(PreToolUse { decision, input: Some(bash(self.to)), ..PreToolUse::default() })
    }

    async fn permission_request(&self, _question: &Question) -> Result<Option<Answer>, HookError> {
        Ok(Some(Answer::Allow { input: Some(bash(self.to)) }))
    }
}

fn bash(command: &str) -> RawInput {
    if command == "broken" {
        return RawInput::new("{\"command\": [");
    }
    RawInput::from_value(&json!({"command": command}))
}

/// Who gives the other input.
#[derive(Clone, Copy, Debug)]
enum By {
    Before,
    BeforeAllowing,
    Request,
    Person,
}

const ALL: [By; 4] = [By::Before, By::BeforeAllowing, By::Request, By::Person];

/// A session in which the command becomes `to`; whoever is asked says yes.
fn world(by: By, to: &'static str, rules: &[(Behavior, &str)], mode: Mode) -> World {
    let rewriter = |stage, decision| Rewriter { stage: [stage], decision, to };
    World::new(|builder, _| {
        let builder = rules.iter().fold(builder.mode(mode), |builder, (behavior, rule)| {
            builder.rule(*behavior, Source::UserSettings, *rule)
        });
        match by {
            By::Before => builder.hook(rewriter(HookStage::PreToolUse, None)).prompter(Person::yes()),
            By::BeforeAllowing => {
                let fine = Some(PreDecision::Allow("fine".to_owned()));
                builder.hook(rewriter(HookStage::PreToolUse, fine)).prompter(Person::yes())
            }
            By::Request => builder.hook(rewriter(HookStage::PermissionRequest, None)),
            By::Person => builder.prompter(Person::saying(Answer::Allow { input: Some(bash(to)) })),
        }
    })
}

fn make() -> Value {
    json!({"command": "make"})
}

#[tokio::test]
async fn the_rewritten_input_is_what_runs() {
    for by in ALL {
        let done = world(by, "make all", &[], Mode::Default).call("Bash", make()).await;
        assert_eq!((done.text.as_str(), done.decided().len()), ("ran make all", 1), "{by:?}");
    }
}

#[tokio::test]
async fn a_denied_input_stays_denied_whatever_it_becomes_and_none_becomes_a_denied_one() {
    for by in ALL {
        for profile in PROFILES {
            for (rule, command, to) in [
                ("Bash(make all)", "make", "make all"),
                ("Bash(make)", "make", "ls"),
                ("Bash(rm *)", "make", "x; rm y"),
                ("Bash(rm *)", "x; rm y", "ls"),
                ("Bash(rm *)", "make", "$(rm y)"),
                ("Bash(rm *)", "$(rm y)", "ls"),
            ] {
                let rules = [(Behavior::Deny, rule), (Behavior::Allow, "Bash")];
                for mode in [Mode::Default, Mode::BypassPermissions] {
                    // In these modes nobody is asked about what is allowed, and so nobody rewrites it.
                    if mode == Mode::BypassPermissions && matches!(by, By::Request | By::Person) {
                        continue;
                    }
                    let rules = if matches!(by, By::Request | By::Person) { &rules[..1] } else { &rules[..] };
                    let done = world(by, to, rules, mode).call("Bash", json!({"command": command})).await;
                    assert!(!done.ran() && done.is_error, "{by:?} {rule} {command} {to} {profile:?}");
                    assert!(done.text.contains("permission denied"), "{}", done.text);
                }
            }
        }
    }
}

#[tokio::test]
async fn the_killswitch_looks_at_the_rewritten_input() {
    for by in [By::Before, By::BeforeAllowing] {
        let rules = [(Behavior::Allow, "Bash")];
        let done = world(by, "rm -rf /", &rules, Mode::BypassPermissions).call("Bash", make()).await;
        assert!(!done.ran(), "{by:?}");
        let done = world(by, "rm -rf /", &rules, Mode::Default).call("Bash", make()).await;
        assert_eq!(done.decided()[0].by, "person", "{by:?}");
    }
}

#[tokio::test]
async fn a_rewrite_that_does_not_fit_ends_the_call() {
    for by in ALL {
        let done = world(by, "broken", &[], Mode::Default).call("Bash", make()).await;
        assert!(!done.ran() && done.is_error && done.decided().len() <= 1, "{by:?}");
    }
}

#[tokio::test]
async fn a_person_is_asked_about_the_input_that_would_run() {
    let person = Person::yes();
    let rewriter = Rewriter { stage: [HookStage::PreToolUse], decision: None, to: "make all" };
    let world = World::new(|builder, _| builder.hook(rewriter).prompter(person.clone()));
    let done = world.call("Bash", make()).await;
    let asked = person.asked.lock().expect("nothing panics while it is held");
    assert_eq!((asked.len(), asked[0].input.as_str()), (1, r#"{"command":"make all"}"#));
    assert_eq!(done.text, "ran make all");
}

#[tokio::test]
async fn a_yes_is_for_one_call_and_the_next_is_asked_again() {
    let person = Person::yes();
    let world = World::new(|builder, _| builder.prompter(person.clone()));
    for times in 1..=3 {
        assert!(world.call("Bash", make()).await.ran());
        assert_eq!(person.count(), times);
    }
}
