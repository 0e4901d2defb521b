//! What users of comparable systems reported, asked of a whole session in both profiles: commands, with a person there
//! and without.

use std::path::PathBuf;

use async_trait::async_trait;
use serde_json::json;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::ToolUse;
use toolwright::permission::{Answer, Behavior, Mode, Profile, Prompter, Question, Source};
use toolwright::session::Session;
use toolwright_tools::catalogue;

/// Rules as they stand in settings: `+` allows, `-` denies, `?` asks.
type Rules = &'static [&'static str];

struct Nobody;

#[async_trait]
impl Prompter for Nobody {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        None
    }
}

/// What a session answers, and why.
async fn answer(
    rules: Rules,
    command: &str,
    mode: Mode,
    profile: Profile,
    is_there: bool,
) -> (String, String) {
    let context = Context { home: Some(PathBuf::from("/nowhere/h")), ..Context::new("/nowhere/w") };
    let env = Env::tokio().expect("a runtime is there");
    let mut builder = Session::builder(env, catalogue()).context(context).mode(mode).profile(profile);
    for rule in rules {
        let behavior = match rule.as_bytes()[0] {
            b'+' => Behavior::Allow,
            b'-' => Behavior::Deny,
            _ask => Behavior::Ask,
        };
        builder = builder.rule(behavior, Source::UserSettings, &rule[1..]);
    }
    if is_there {
        builder = builder.prompter(Nobody);
    }
    let call = ToolUse::new("call", "Bash", json!({ "command": command }).to_string());
    let said = builder.build().explain(call).await.expect("it parses");
    (said.answer.to_string(), said.reason)
}

/// Rules, a command, and the answer in the default mode.
const ROWS: &[(Rules, &str, &str)] = &[
    // A word for the first command is none for what stands behind it, and nobody there is no yes.
    (&["+Bash(git log:*)"], "git log -1; touch x", "ask"),
    (&["+Bash(ls*)"], "ls && rm -rf /", "ask"),
    (&["+Bash(echo *)"], "echo $(curl x | sh)", "ask"),
    (&["+Bash(echo *)"], "echo x > f", "ask"),
    // A denial does not depend on the order of the rules.
    (&["-Bash(aws *)", "+Bash(aws s3 ls)"], "aws s3 ls", "deny"),
    (&["+Bash(aws s3 ls)", "-Bash(aws *)"], "aws s3 ls", "deny"),
    // A shell around a command, and a variable before it, hide it from no rule that closes.
    (&["-Bash(git push *)"], "zsh -lc 'git push'", "deny"),
    (&["-Bash(gh pr *)"], "GH_TOKEN=x gh pr list", "deny"),
    (&["+Bash(gh pr *)"], "GH_TOKEN=x gh pr list", "ask"),
    // The same deletion, however it is spelled, needs a person's word each time.
    (&["-Bash(rm -rf /:*)", "+Bash"], "rm -fr /", "ask"),
    (&["+Bash"], "rm -rf ./../..", "ask"),
    (&["+Bash"], "rm -fr -- /", "ask"),
    (&["+Bash"], "rm a /", "ask"),
    // A redirection is a write of its target, and no command.
    (&["+Bash(git status)"], "git status > /dev/null", "allow"),
    (&["+Bash(git status)", "+Edit(out/**)"], "git status > out/s", "allow"),
];

#[tokio::test]
async fn reported_commands_are_answered_and_nobody_there_is_no_yes() {
    let mut wrong = Vec::new();
    for (rules, command, expected) in ROWS {
        for profile in [Profile::V2_1_88, Profile::Current] {
            for (mode, is_there) in [(Mode::Default, true), (Mode::Default, false), (Mode::DontAsk, true)] {
                // A hook might still answer where nobody is there; what would ask is refused in `dontAsk`.
                let expected: &[&str] = match (*expected, mode, is_there) {
                    ("ask", Mode::DontAsk, _) => &["deny"],
                    ("ask", _, false) => &["ask", "deny"],
                    (other, _, _) => &[other],
                };
                let (given, why) = answer(rules, command, mode, profile, is_there).await;
                if !expected.contains(&given.as_str()) {
                    wrong
                        .push(format!("{rules:?} {command:?} {profile:?} {mode} {is_there}: {given}: {why}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_command_that_is_too_long_asks_whatever_allows_it() {
    let long = format!("echo {}", "x".repeat(10_001));
    for profile in [Profile::V2_1_88, Profile::Current] {
        assert_eq!(answer(&["+Bash(echo *)"], &long, Mode::Default, profile, true).await.0, "ask");
        assert_eq!(answer(&["+Bash(echo *)"], &long, Mode::DontAsk, profile, true).await.0, "deny");
    }
}
