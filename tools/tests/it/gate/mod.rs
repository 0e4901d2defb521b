//! Shell commands before the gate.

mod attacks;
mod brought;
mod bypass;
mod launched;
mod laws;
mod questions;
mod reported;
mod taken;
mod written;

use std::path::PathBuf;
use std::sync::Arc;

use toolwright::contract::{Context, EffectsContext, Opinion, SessionFacts};
use toolwright::event::Verdict;
use toolwright::permission::{
    Behavior, HookSays, Mode, Profile, RealFiles, RuleSet, Ruling, Source, Subject, judge,
};
use toolwright::registry::Pool;
use toolwright_tools::catalogue;

use crate::corpus::call;

/// Rules as they stand in settings: `+` allows, `-` denies, `?` asks.
type Rules = &'static [&'static str];

/// The gate's answer to a command, and why.
fn answer(
    rules: Rules,
    command: &str,
    mode: Mode,
    profile: Profile,
    has_person: bool,
) -> (&'static str, String) {
    let mut context = Context::new("/nowhere/w");
    context.home = Some(PathBuf::from("/nowhere/h"));
    context.mode = mode;
    answer_in(&context, rules, command, profile, has_person)
}

/// Each of these needs a person's word in every mode, though rules allow all commands and edits.
fn needs_a_person(commands: &[&str]) {
    let mut wrong = Vec::new();
    for command in commands {
        for profile in [Profile::V2_1_88, Profile::Current] {
            for (mode, expected) in
                [(Mode::Default, "ask"), (Mode::BypassPermissions, "deny"), (Mode::DontAsk, "deny")]
            {
                let (given, reason) = answer(&["+Bash", "+Edit"], command, mode, profile, true);
                if given != expected {
                    wrong
                        .push(format!("{command:?} {mode:?} {profile:?}: {given}, not {expected}: {reason}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The gate's answer to a command in a session that is anywhere, and why.
fn answer_in(
    context: &Context,
    rules: Rules,
    command: &str,
    profile: Profile,
    has_person: bool,
) -> (&'static str, String) {
    let rules = rules.iter().map(|rule| {
        let behavior = match rule.as_bytes()[0] {
            b'+' => Behavior::Allow,
            b'-' => Behavior::Deny,
            _ask => Behavior::Ask,
        };
        (behavior, Source::UserSettings, &rule[1..])
    });
    let (rules, _problems) = RuleSet::new(rules, context, &RealFiles);
    thread_local! {
        static POOL: Pool = Pool::new(&catalogue(), &SessionFacts::default(), |_name| true);
    }
    let bash = POOL.with(|pool| Arc::clone(pool.find("Bash").expect("it is in the catalogue")));
    let call = call(command);
    let cx = EffectsContext {
        root: &context.root,
        cwd: &context.cwd,
        additional_directories: &[],
        home: context.home.as_deref(),
    };
    let subject = Subject::new(bash.form(), call.flags(), call.effects(&cx), [], context, &RealFiles);
    match judge(&subject, &rules, profile, &HookSays::Nothing, &Opinion::Pass, has_person) {
        Ruling::Decided(decision) if decision.verdict == Verdict::Allow => ("allow", String::new()),
        Ruling::Decided(decision) => ("deny", format!("{decision:?}")),
        Ruling::Ask(asking) => ("ask", asking.reason),
    }
}

/// Checks that each command gets its answer under its rules, in both profiles.
fn assert_answers(rows: &[(Rules, &str, &str)]) {
    let mut wrong = Vec::new();
    for (rules, command, expected) in rows {
        for profile in [Profile::V2_1_88, Profile::Current] {
            let (given, reason) = answer(rules, command, Mode::Default, profile, true);
            if given != *expected {
                wrong.push(format!("{rules:?} {command:?} {profile:?}: {given}, not {expected}: {reason}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
