//! The order of decision, as one pure function. What it leaves open, it says who may answer.

use super::hard::{killswitch, protected};
use super::rules::{Behavior, RuleAnswer, RuleSet};
use super::subject::{Judged, Subject};
use super::{Decision, Mode, Profile};
use crate::contract::{DefaultPermission, Effect, Effects, Opinion};

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
    let answer = rules.answer(subject, profile);
    gate.stopped(&answer, hook, opinion)
        .or_else(|| gate.allowed_by_hook(hook))
        .or_else(|| gate.protected_path())
        .or_else(|| gate.by_mode())
        .or_else(|| gate.allowed(&answer, opinion))
        .unwrap_or_else(|| gate.rest())
}

struct Gate<'a> {
    subject: &'a Subject<'a>,
    rules: &'a RuleSet,
    profile: Profile,
    mode: Mode,
    has_person: bool,
}

impl Gate<'_> {
    /// Lines 4 to 7: what ends it, and what only a person can answer.
    fn stopped(&self, answer: &RuleAnswer, hook: &HookSays, opinion: &Opinion) -> Option<Ruling> {
        if let Some(reason) = killswitch(self.subject) {
            let is_closed = matches!(self.mode, Mode::BypassPermissions | Mode::DontAsk);
            let asks = self.has_person && !is_closed;
            return Some(if asks { self.person(&reason) } else { deny("killswitch", &reason) });
        }
        if answer.behavior == Some(Behavior::Deny) {
            return Some(by_rule(answer, Decision::deny("rule", self.denied_text(answer))));
        }
        if let Opinion::Deny(reason) = opinion {
            return Some(deny("tool", reason));
        }
        let asked = if answer.behavior == Some(Behavior::Ask) {
            Some(format!("the rule `{}` asks", answer.rule.as_deref().unwrap_or_default()))
        } else if self.rules.is_closed_for(&self.subject.form.name) {
            Some("a rule that may close this tool could not be read".to_owned())
        } else if let HookSays::Ask(reason) = hook {
            Some(reason.clone())
        } else if let Opinion::Ask(reason) = opinion {
            Some(reason.clone())
        } else {
            self.subject.form.needs_person.then(|| "only a person can answer it".to_owned())
        };
        asked.map(|reason| match (self.mode, self.has_person) {
            (Mode::DontAsk, _) => {
                deny("mode", &format!("{reason}, and the mode dontAsk refuses what would ask"))
            }
            (_, false) => deny("nobody", &format!("{reason}, and there is no person to ask")),
            (_, true) => self.person(&reason),
        })
    }

    /// Line 8.
    fn allowed_by_hook(&self, hook: &HookSays) -> Option<Ruling> {
        match hook {
            HookSays::Allow(reason) => Some(allow("hook", reason)),
            HookSays::Nothing | HookSays::Ask(_) => None,
        }
    }

    /// Line 9.
    fn protected_path(&self) -> Option<Ruling> {
        let reason = protected(self.subject)?;
        match (self.mode, self.profile) {
            (Mode::BypassPermissions, Profile::Current) => None,
            (Mode::BypassPermissions, Profile::V2_1_88) if self.has_person => Some(self.person(&reason)),
            (Mode::BypassPermissions | Mode::DontAsk, _) => Some(deny("mode", &reason)),
            (Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::Auto | Mode::Bubble, _) => {
                Some(self.ask(&reason))
            }
        }
    }

    /// Line 10.
    fn by_mode(&self) -> Option<Ruling> {
        match self.mode {
            Mode::BypassPermissions => Some(allow("mode", "the mode bypassPermissions asks nothing")),
            Mode::Plan => self.in_plan(),
            Mode::AcceptEdits if self.is_edit_inside() => {
                Some(allow("mode", "the mode acceptEdits approves edits in the working directories"))
            }
            Mode::AcceptEdits | Mode::Default | Mode::DontAsk | Mode::Auto | Mode::Bubble => None,
        }
    }

    /// Known writes are refused, unknown effects ask, whatever the rules allow.
    fn in_plan(&self) -> Option<Ruling> {
        match &self.subject.effects {
            Effects::Unknown { reason, .. } => Some(self.ask(reason)),
            Effects::Known(known) => {
                let writes =
                    known.iter().any(|effect| matches!(effect, Effect::Write(_) | Effect::Remove(_)));
                let runs =
                    known.iter().any(|effect| matches!(effect, Effect::Command { read_only: false, .. }));
                if writes {
                    Some(deny("mode", "writes are refused while planning: present the plan first"))
                } else {
                    runs.then(|| self.ask("the command may change something, and the mode is plan"))
                }
            }
        }
    }

    /// Lines 11 and 12: every effect is allowed by a rule, or harmless; or the tool says so itself.
    fn allowed(&self, answer: &RuleAnswer, opinion: &Opinion) -> Option<Ruling> {
        if answer.behavior == Some(Behavior::Allow) {
            return Some(by_rule(answer, Decision::allow("rule", "a rule allows it")));
        }
        if *opinion == Opinion::Allow {
            return Some(allow("tool", "the tool allows it"));
        }
        if self.subject.form.default_permission == DefaultPermission::Allow {
            return Some(allow("tool", "the tool touches nothing but the agent's own state"));
        }
        let Effects::Known(known) = &self.subject.effects else { return None };
        if known.is_empty() {
            return self.subject.flags.read_only.then(|| allow("read-only", "it does nothing but look"));
        }
        let mut rule = None;
        let is_settled = self.subject.each().all(|judged| {
            let found = self.rules.allows(self.subject, judged, self.profile);
            let is_allowed = found.is_some();
            rule = rule.take().or(found);
            is_allowed || self.is_harmless(judged)
        });
        let by = if rule.is_some() { "rule" } else { "read-only" };
        let decision =
            Decision::allow(by, "everything it does is allowed by a rule or only reads where it may");
        is_settled.then_some(Ruling::Decided(Decision { rule, ..decision }))
    }

    /// Line 13.
    fn rest(&self) -> Ruling {
        let reason = match &self.subject.effects {
            Effects::Unknown { reason, .. } => reason.clone(),
            Effects::Known(_) => "no rule allows it".to_owned(),
        };
        match self.mode {
            Mode::DontAsk => deny("mode", &format!("{reason}, and the mode dontAsk refuses what would ask")),
            // Without a classifier `auto` falls back to asking, and a sub-agent's parent is behind its prompter.
            Mode::Default
            | Mode::AcceptEdits
            | Mode::Plan
            | Mode::BypassPermissions
            | Mode::Auto
            | Mode::Bubble => self.ask(&reason),
        }
    }

    /// An effect that changes nothing, where the agent works.
    fn is_harmless(&self, judged: Judged<'_>) -> bool {
        if !self.subject.flags.read_only {
            return false;
        }
        match judged.effect {
            Effect::Read(_) => {
                judged.paths().is_some_and(|[given, real]| self.subject.is_inside(given, real))
            }
            Effect::Command { read_only, .. } => *read_only,
            Effect::Write(_) | Effect::Remove(_) | Effect::Contact(_) | Effect::Name(_) => false,
        }
    }

    /// Edits, and simple file commands, with every path in the directories the agent works in. `sed` is not among the
    /// commands: its scripts can run programs.
    fn is_edit_inside(&self) -> bool {
        const FILE_COMMANDS: &[&str] = &["mkdir", "touch", "rm", "rmdir", "mv", "cp"];
        let mut any = false;
        let all = self.subject.each().all(|judged| {
            any = true;
            match judged.effect {
                Effect::Read(_) | Effect::Write(_) | Effect::Remove(_) => {
                    judged.paths().is_some_and(|[given, real]| self.subject.is_inside(given, real))
                }
                Effect::Command { words, read_only, .. } => {
                    *read_only || words.first().is_some_and(|name| FILE_COMMANDS.contains(&name.as_str()))
                }
                Effect::Contact(_) | Effect::Name(_) => false,
            }
        });
        any && all
    }

    fn denied_text(&self, answer: &RuleAnswer) -> String {
        format!("permission denied by the rule `{}`", answer.rule.as_deref().unwrap_or_default())
    }

    fn person(&self, reason: &str) -> Ruling {
        Ruling::Ask(Asking { reason: reason.to_owned(), who: Who::Person })
    }

    fn ask(&self, reason: &str) -> Ruling {
        let who = if self.has_person { Who::Anyone } else { Who::Hooks };
        Ruling::Ask(Asking { reason: reason.to_owned(), who })
    }
}

fn deny(by: &str, reason: &str) -> Ruling {
    Ruling::Decided(Decision::deny(by, format!("permission denied: {reason}")))
}

fn allow(by: &str, reason: &str) -> Ruling {
    Ruling::Decided(Decision::allow(by, reason))
}

fn by_rule(answer: &RuleAnswer, decision: Decision) -> Ruling {
    Ruling::Decided(Decision { rule: answer.rule.clone(), ..decision })
}
