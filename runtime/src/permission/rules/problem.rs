//! What is wrong with a rule, said so that its author can mend it.

use std::fmt;
use std::ops::Range;

use super::parse::{Behavior, RuleText, Source};

/// A rule that does not do what its author wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleProblem {
    /// Which rule it is, in the order they were given; the first is 0.
    pub index: usize,
    /// The rule, as written.
    pub rule: String,
    /// What it says.
    pub behavior: Behavior,
    /// Where it comes from.
    pub source: Source,
    /// What kind of problem it is.
    pub kind: ProblemKind,
    /// The bytes of the rule that are at fault, where it is not the whole of it. They end at characters.
    pub span: Option<Range<usize>>,
    /// What is wrong, what it means for the session, and what to write instead.
    pub reason: String,
}

/// What kind of problem a rule has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// It cannot be read. Where it would have closed something, its tool stays closed.
    Broken,
    /// It can be read, but nothing is ever matched against it. Where it would have closed something, its tool stays
    /// closed.
    NeverConsulted,
    /// It is an allow rule over names of tools that may open more than its author knows; it is left out.
    TooManyNames,
    /// It denies, and a rule of a higher source allows or asks where both match.
    Lifted,
    /// It can never decide, since another rule matches wherever it does, and wins.
    Shadowed,
    /// The same rule was given before.
    Duplicate,
    /// It names a tool that is not there; most likely its name is misspelt, since another has one like it.
    UnknownTool,
    /// It names a tool that is not there, and none has a name like it: it may be elsewhere, such as in another program.
    ForeignTool,
    /// It closes a parameter that its tool does not have; most likely its name is misspelt.
    UnknownParameter,
    /// It hangs on a folder that is most likely not the one that is meant.
    LikelyAnchor,
    /// It allows more than it seems to, such as any program at all.
    TooBroad,
}

/// What is wrong with the name or the content of a rule, or with the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) kind: ProblemKind,
    pub(super) reason: String,
    /// The bytes of the name, the content or the whole that are at fault, where it is not all of it.
    pub(super) at: Option<Range<usize>>,
}

impl Wrong {
    /// All of it cannot be read.
    pub(super) fn new(reason: impl Into<String>) -> Wrong {
        Wrong { kind: ProblemKind::Broken, reason: reason.into(), at: None }
    }

    /// It can be read, but is never consulted.
    pub(super) fn never(reason: impl Into<String>) -> Wrong {
        Wrong { kind: ProblemKind::NeverConsulted, ..Wrong::new(reason) }
    }

    /// These bytes of it are at fault.
    pub(super) fn at(self, at: Range<usize>) -> Wrong {
        Wrong { at: Some(at), ..self }
    }
}

impl RuleProblem {
    pub(super) fn of(rule: &RuleText, index: usize, kind: ProblemKind) -> RuleProblem {
        RuleProblem {
            index,
            rule: rule.text.clone(),
            behavior: rule.behavior,
            source: rule.source,
            kind,
            span: None,
            reason: String::new(),
        }
    }
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}` ({}): {}", self.rule, self.source, self.reason)
    }
}
