//! Permission rules: reading them, and matching them against effects.

mod command;
mod content;
mod domain;
mod parse;
mod path;
mod problem;
mod rule;
mod segment;
mod set;
mod tool;

pub use self::parse::{Behavior, RuleText, Source};
pub use self::problem::{ProblemKind, RuleProblem};
pub(super) use self::set::RuleAnswer;
pub use self::set::RuleSet;
