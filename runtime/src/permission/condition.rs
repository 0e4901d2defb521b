//! A permission rule as a condition: whether a call is one that the rule is about, however the rule would decide.

use super::{Behavior, Files, Profile, RuleSet, Source, Subject};
use crate::contract::{Effect, Effects};

/// A rule that a call is held against. One that cannot be read holds always: what hangs on it is closed by default.
#[derive(Clone, Debug)]
pub(crate) struct Condition(String);

impl Condition {
    pub(crate) fn new(rule: &str) -> Condition {
        Condition(rule.trim().to_owned())
    }

    /// Whether a call, with its input as text, is one that the rule is about. A rule that closes sees more than one that
    /// opens, so it is read as a denial. What cannot be understood holds.
    pub(crate) fn holds(&self, subject: &Subject<'_>, input: &str, files: &dyn Files) -> bool {
        let read =
            |rule: &str| RuleSet::new([(Behavior::Deny, Source::Session, rule)], subject.context, files);
        let (rules, problems) = read(&self.0);
        if !problems.is_empty() || rules.answer(subject, Profile::Current).behavior.is_some() {
            return true;
        }
        let name = self.0.split('(').next().unwrap_or_default();
        let names_tool = || read(name).0.denies_wholly(subject.form, Profile::Current);
        match &subject.effects {
            Effects::Unknown { .. } => names_tool(),
            Effects::Known(known) => {
                // What a shell puts in at the last moment may be anything, also the rest of what the rule names.
                let runs = known.iter().any(|effect| matches!(effect, Effect::Command { .. }));
                runs && input.contains(['$', '`']) && self.0.contains(' ') && names_tool()
            }
        }
    }
}
