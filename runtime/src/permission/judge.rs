//! The order of decision, as one pure function. What it leaves open, it says who may answer.

use std::borrow::Cow;

use super::killswitch::killswitch;
use super::protected::protected;
use super::rules::{Behavior, RuleAnswer, RuleSet};
use super::{Decision, Mode, Profile, Subject};
use crate::contract::{Effect, Effects, Opinion};

/// What the PreToolUse hooks said together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HookSays {
    /// Nothing.
    #[default]
    Nothing,
    /// Run it, unless a rule denies it or a person must be asked.
    Allow(String),
    /// Ask a person, with this reason.
    Ask(String),
}

/// The gate's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// It is decided.
    Decided(Decision),
    /// Somebody must answer.
    Ask(Asking),
}

/// A question that the gate leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asking {
    /// Why.
    pub reason: String,
    /// Who may answer.
    pub who: Who,
    /// The kind of reason.
    pub why: Why,
}

/// Why somebody is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The killswitch wants a person's word, each time.
    Killswitch,
    /// A rule asks.
    Rule,
    /// A rule that may close the tool could not be read.
    BrokenRule,
    /// It cannot be told where a path leads.
    Unresolved,
    /// A hook asks.
    Hook,
    /// The tool itself asks.
    Tool,
    /// Only a person can answer the tool.
    NeedsPerson,
    /// A protected path would be changed.
    Protected,
    /// The mode asks, whatever the rules allow.
    Mode,
    /// Nothing settles it.
    Open,
}

impl Why {
    /// All of them.
    pub const ALL: &[Why] = &[
        Why::Killswitch,
        Why::Rule,
        Why::BrokenRule,
        Why::Unresolved,
        Why::Hook,
        Why::Tool,
        Why::NeedsPerson,
        Why::Protected,
        Why::Mode,
        Why::Open,
    ];

    /// Whether a rule could have answered, so that an answer may be kept as one.
    #[must_use]
    pub fn may_last(self) -> bool {
        match self {
            Why::Rule | Why::Open => true,
            Why::Killswitch
            | Why::BrokenRule
            | Why::Unresolved
            | Why::Hook
            | Why::Tool
            | Why::NeedsPerson
            | Why::Protected
            | Why::Mode => false,
        }
    }
}

/// Who may answer a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// A person, and nobody else.
    Person,
    /// Whoever comes first: PermissionRequest hooks, or a person.
    Anyone,
    /// PermissionRequest hooks, since no person is there; else the answer is no.
    Hooks,
}

/// Decides whether a call may run, in the one order of decision (killswitch, rules, the tool's word, questions that
/// need a person, a hook's allow, protected paths, the mode, allow rules, harmless calls, the rest).
#[must_use]
pub fn judge(
    subject: &Subject<'_>,
    rules: &RuleSet,
    profile: Profile,
    hook: &HookSays,
    opinion: &Opinion,
    has_person: bool,
) -> Ruling {
    let gate = Gate { subject, rules, profile, mode: subject.context.mode, has_person };
    let mut answer = stricter(rules.answer(subject, profile), named(subject, rules, profile));
    if let Some(original) = subject.in_original() {
        answer = stricter(answer, closing(rules.answer(&original, profile)));
        answer = stricter(answer, named(&original, rules, profile));
    }
    // A ruling is large: it is made where it is given back.
    if let Some(stopped) = gate.stopped(&answer, hook, opinion) {
        return stopped;
    }
    if let Some(allowed) = gate.allowed_by_hook(hook) {
        return allowed;
    }
    if let Some(asked) = gate.protected_path() {
        return asked;
    }
    if let Some(ruled) = gate.by_mode(opinion) {
        return ruled;
    }
    gate.allowed(answer, opinion).unwrap_or_else(|| gate.rest())
}

/// What the rules that close reading say of the files that commands name.
fn named(subject: &Subject<'_>, rules: &RuleSet, profile: Profile) -> Option<RuleAnswer> {
    closing(rules.answer(&subject.reading_named()?, profile))
}

/// An answer, where it closes.
fn closing(answer: RuleAnswer) -> Option<RuleAnswer> {
    answer.behavior.is_some_and(|behavior| behavior != Behavior::Allow).then_some(answer)
}

/// The stricter of two answers; that a rule allows something takes nothing from one that closes.
fn stricter(answer: RuleAnswer, other: Option<RuleAnswer>) -> RuleAnswer {
    match (answer.behavior, other) {
        (_, None) => answer,
        (None, Some(other)) => other,
        (Some(ours), Some(other)) if other.behavior.is_some_and(|theirs| theirs < ours) => other,
        (Some(_), Some(_)) => answer,
    }
}

/// One call before the gate.
pub(super) struct Gate<'a, 's> {
    pub(super) subject: &'a Subject<'s>,
    pub(super) rules: &'a RuleSet,
    pub(super) profile: Profile,
    pub(super) mode: Mode,
    has_person: bool,
}

impl Gate<'_, '_> {
    /// Lines 4 to 7: what ends it, and what only a person can answer.
    fn stopped(&self, answer: &RuleAnswer, hook: &HookSays, opinion: &Opinion) -> Option<Ruling> {
        let killed = killswitch(self.subject);
        if let Some(reason) = &killed
            && !self.may_ask_about_killswitch()
        {
            return Some(deny("killswitch", reason));
        }
        // A person's yes to the killswitch would lift a denial, so denials are told first.
        if answer.behavior == Some(Behavior::Deny) {
            return Some(by_rule(answer.clone(), Decision::deny("rule", self.denied_text(answer))));
        }
        if let Opinion::Deny(reason) = opinion {
            return Some(deny("tool", reason));
        }
        if let Some(reason) = killed {
            return Some(self.person(&reason, Why::Killswitch));
        }
        self.asked(answer, hook, opinion).map(|(reason, why)| match (self.mode, self.has_person) {
            (Mode::DontAsk, _) => {
                deny("mode", &format!("{reason}, and the mode dontAsk refuses what would ask"))
            }
            (_, false) => deny("nobody", &format!("{reason}, and there is no person to ask")),
            (_, true) => self.person(&reason, why),
        })
    }

    fn may_ask_about_killswitch(&self) -> bool {
        self.has_person && !matches!(self.mode, Mode::BypassPermissions | Mode::DontAsk)
    }

    /// Line 7: why only a person can answer.
    fn asked(&self, answer: &RuleAnswer, hook: &HookSays, opinion: &Opinion) -> Option<(String, Why)> {
        if answer.behavior == Some(Behavior::Ask) {
            let rule = answer.rule.as_deref().unwrap_or_default();
            if answer.is_unseen {
                let reason = format!("what it does cannot be told, and the rule `{rule}` may close it");
                return Some((reason, Why::Unresolved));
            }
            return Some((format!("the rule `{rule}` asks"), Why::Rule));
        }
        if let Some(reason) = self.rules.unread_for(self.subject) {
            return Some((reason, Why::BrokenRule));
        }
        if let Some(reason) = &self.subject.unresolved {
            return Some((reason.clone(), Why::Unresolved));
        }
        match (hook, opinion) {
            (HookSays::Ask(reason), _) => Some((reason.clone(), Why::Hook)),
            (_, Opinion::Ask(reason)) => Some((reason.clone(), Why::Tool)),
            (
                HookSays::Nothing | HookSays::Allow(_),
                Opinion::Pass | Opinion::Allow | Opinion::AllowWith(_) | Opinion::Deny(_),
            ) => {
                let needed = || ("only a person can answer it".to_owned(), Why::NeedsPerson);
                self.subject.form.needs_person.then(needed)
            }
        }
    }

    /// Line 8.
    fn allowed_by_hook(&self, hook: &HookSays) -> Option<Ruling> {
        match hook {
            HookSays::Allow(reason) => Some(allow("hook", reason.clone())),
            HookSays::Nothing | HookSays::Ask(_) => None,
        }
    }

    /// Line 9.
    fn protected_path(&self) -> Option<Ruling> {
        let reason = protected(self.subject)?;
        match (self.mode, self.profile) {
            (Mode::BypassPermissions, Profile::Current) => None,
            (Mode::BypassPermissions, Profile::V2_1_88) if self.has_person => {
                Some(self.person(&reason, Why::Protected))
            }
            (Mode::BypassPermissions | Mode::DontAsk, _) => Some(deny("mode", &reason)),
            (Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::Auto | Mode::Bubble, _) => {
                Some(self.ask(&reason, Why::Protected))
            }
        }
    }

    /// Line 13.
    fn rest(&self) -> Ruling {
        let reason = match &self.subject.effects {
            Effects::Unknown { reason, .. } => reason.clone(),
            Effects::Known(_) => self.left_open(),
        };
        match self.mode {
            Mode::DontAsk => deny("mode", &format!("{reason}, and the mode dontAsk refuses what would ask")),
            // Who of those that are there is asked, such as the classifier in `auto`, is fixed in `candidates.rs`. A
            // sub-agent's parent is behind its prompter.
            Mode::Default
            | Mode::AcceptEdits
            | Mode::Plan
            | Mode::BypassPermissions
            | Mode::Auto
            | Mode::Bubble => self.ask(&reason, Why::Open),
        }
    }

    /// What no rule allows and is not harmless: the first of it.
    fn left_open(&self) -> String {
        match self.subject.each().find(|judged| !self.is_settled(*judged)) {
            None => "no rule allows it".to_owned(),
            Some(judged) => match judged.effect {
                Effect::Command { text, .. } => format!("no rule allows it to run `{text}`"),
                Effect::Read(path) => format!("no rule allows it to read `{}`", path.display()),
                Effect::ReadBelow(path) => format!("no rule allows it to read below `{}`", path.display()),
                Effect::Write(path) => format!("no rule allows it to write `{}`", path.display()),
                Effect::Remove(path) => format!("no rule allows it to remove `{}`", path.display()),
                Effect::MayWrite(path) => format!("no rule allows it to change `{}`", path.display()),
                Effect::Contact(host) => format!("no rule allows it to contact `{host}`"),
                Effect::Name(name) => format!("no rule allows it to use `{name}`"),
            },
        }
    }

    fn denied_text(&self, answer: &RuleAnswer) -> String {
        format!("permission denied by the rule `{}`", answer.rule.as_deref().unwrap_or_default())
    }

    fn person(&self, reason: &str, why: Why) -> Ruling {
        Ruling::Ask(Asking { reason: reason.to_owned(), who: Who::Person, why })
    }

    /// A question for whoever answers first.
    pub(super) fn ask(&self, reason: &str, why: Why) -> Ruling {
        let who = if self.has_person { Who::Anyone } else { Who::Hooks };
        Ruling::Ask(Asking { reason: reason.to_owned(), who, why })
    }
}

pub(super) fn deny(by: &'static str, reason: &str) -> Ruling {
    Ruling::Decided(Decision::deny(by, format!("permission denied: {reason}")))
}

pub(super) fn allow(by: &'static str, reason: impl Into<Cow<'static, str>>) -> Ruling {
    Ruling::Decided(Decision::allow(by, reason))
}

pub(super) fn by_rule(answer: RuleAnswer, decision: Decision) -> Ruling {
    Ruling::Decided(Decision { rule: answer.rule, ..decision })
}
