//! Why the gate answers as it does: its ruling on a whole call, and on each thing the call would do by itself.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::race::NOBODY;
use super::rules::{Behavior, RuleSet, Source};
use super::{Decision, Files, HookSays, Present, Profile, Ruling, Subject, Who, judge};
use crate::contract::{Effect, Effects, Flags, Opinion};
use crate::event::Verdict;

/// What the gate would answer to a call, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The answer.
    pub answer: ExplainedAnswer,
    /// Who decides, as in [`Decision::by`]; for a question, who may answer it.
    pub by: String,
    /// The rule that was followed, as written.
    pub rule: Option<String>,
    /// Where that rule comes from.
    pub source: Option<Source>,
    /// Why.
    pub reason: String,
    /// Each thing the call would do, with the answer that a call would get that did only this. Empty where it cannot be
    /// told, or where the call does nothing.
    pub effects: Vec<ExplainedEffect>,
    /// Why it cannot be told what the call would do, where that is so.
    pub unknown: Option<String>,
    /// The hooks that such a call meets before it runs, each behind its moment. None was run: they may answer otherwise.
    pub hooks: Vec<String>,
}

/// The gate's answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExplainedAnswer {
    /// It runs.
    Allow,
    /// Somebody is asked.
    Ask,
    /// It does not run.
    Deny,
}

/// One thing a call would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedEffect {
    /// What it is: `run`, `read`, `read below`, `write`, `remove`, `may write`, `contact` or `use`.
    pub kind: &'static str,
    /// The command, the path, the host or the name.
    pub what: String,
    /// The answer to it by itself.
    pub answer: ExplainedAnswer,
    /// Who decides it.
    pub by: String,
    /// The rule that was followed.
    pub rule: Option<String>,
    /// Where that rule comes from.
    pub source: Option<Source>,
    /// Why.
    pub reason: String,
}

/// Asks the gate about a call, and about each of its effects by itself. The order of decision is [`judge`]'s alone.
pub(crate) fn explain(
    subject: &Subject<'_>,
    rules: &RuleSet,
    profile: Profile,
    opinion: &Opinion,
    present: Present,
    files: &dyn Files,
) -> Explained {
    let whole = Answered::of(subject, rules, profile, opinion, present);
    let (known, unknown): (&[Effect], Option<String>) = match &subject.effects {
        Effects::Known(known) => (known, None),
        Effects::Unknown { reason, .. } => (&[], Some(reason.clone())),
    };
    let effects = known.iter().map(|effect| {
        // What is true of the whole call need not be of a part: a part that only looks, only looks.
        let read_only = match effect {
            Effect::Read(_) | Effect::ReadBelow(_) | Effect::MayWrite(_) => true,
            Effect::Command { read_only, .. } => *read_only,
            Effect::Write(_) | Effect::Remove(_) | Effect::Contact(_) | Effect::Name(_) => false,
        };
        // What a command may write besides is answered for together with the commands.
        let beside = |other: &&Effect| {
            matches!((effect, other), (Effect::MayWrite(_), Effect::Command { .. })) || *other == effect
        };
        let part = Subject::new(
            subject.form,
            Flags { read_only, ..subject.flags },
            Effects::Known(known.iter().filter(beside).cloned().collect()),
            subject.inputs.iter().copied(),
            subject.context,
            files,
        );
        let Answered { answer, by, rule, source, reason } =
            Answered::of(&part, rules, profile, opinion, present);
        let (kind, what) = named(effect);
        ExplainedEffect { kind, what, answer, by, rule, source, reason }
    });
    let effects = effects.collect();
    let Answered { answer, by, rule, source, reason } = whole;
    Explained { answer, by, rule, source, reason, effects, unknown, hooks: Vec::new() }
}

/// One ruling, taken apart.
struct Answered {
    answer: ExplainedAnswer,
    by: String,
    rule: Option<String>,
    source: Option<Source>,
    reason: String,
}

impl Answered {
    fn of(
        subject: &Subject<'_>,
        rules: &RuleSet,
        profile: Profile,
        opinion: &Opinion,
        present: Present,
    ) -> Answered {
        let asking_rule = || {
            let said = rules.answer(subject, profile);
            said.rule.filter(|_| said.behavior == Some(Behavior::Ask))
        };
        match judge(subject, rules, profile, &HookSays::Nothing, opinion, present.person) {
            Ruling::Decided(Decision { verdict, by, rule, reason, .. }) => {
                let answer = match verdict {
                    Verdict::Allow => ExplainedAnswer::Allow,
                    Verdict::Deny => ExplainedAnswer::Deny,
                };
                // The rule asks, and the answer is no since nobody hears it.
                let rule = rule.or_else(|| asking_rule().filter(|_| by == NOBODY));
                Answered::new(answer, by.into_owned(), rule, reason.into_owned())
            }
            Ruling::Ask(asking) if asking.who == Who::Hooks && !present.hooks => {
                let reason = format!("{}, and there is no one to ask", asking.reason);
                Answered::new(ExplainedAnswer::Deny, NOBODY.to_owned(), asking_rule(), reason)
            }
            Ruling::Ask(asking) => {
                let by = match asking.who {
                    Who::Person => "a person",
                    Who::Anyone => "a person or a hook",
                    Who::Hooks => "a hook",
                };
                Answered::new(ExplainedAnswer::Ask, by.to_owned(), asking_rule(), asking.reason)
            }
        }
    }

    fn new(answer: ExplainedAnswer, by: String, rule: Option<Arc<str>>, reason: String) -> Answered {
        let named = Decision { rule, ..Decision::deny("", "") };
        let source = named.source();
        let without_source = |rule: Arc<str>| {
            let text = source.and_then(|from| rule.strip_suffix(&format!(" ({from})")));
            text.unwrap_or(&rule).to_owned()
        };
        let rule = named.rule.map(without_source);
        Answered { answer, by, rule, source, reason }
    }
}

fn named(effect: &Effect) -> (&'static str, String) {
    match effect {
        Effect::Command { text, .. } => ("run", text.clone()),
        Effect::Read(path) => ("read", path.display().to_string()),
        Effect::ReadBelow(path) => ("read below", path.display().to_string()),
        Effect::Write(path) => ("write", path.display().to_string()),
        Effect::Remove(path) => ("remove", path.display().to_string()),
        Effect::MayWrite(path) => ("may write", path.display().to_string()),
        Effect::Contact(host) => ("contact", host.clone()),
        Effect::Name(name) => ("use", name.clone()),
    }
}

impl fmt::Display for ExplainedAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ExplainedAnswer::Allow => "allow",
            ExplainedAnswer::Ask => "ask",
            ExplainedAnswer::Deny => "deny",
        })
    }
}
