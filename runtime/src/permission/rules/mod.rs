//! Permission rules: reading them, and matching them against effects.

mod below;
mod breadth;
mod command;
mod content;
mod domain;
mod index;
mod literal;
#[cfg(test)]
mod oracle;
mod overlap;
mod parameter;
mod parse;
mod path;
mod problem;
mod report;
mod rule;
mod segment;
mod set;
mod tool;

pub use self::command::names_command;
pub(super) use self::parameter::Fields;
pub use self::parse::{Behavior, RuleText, Source};
pub use self::problem::{ProblemKind, RuleProblem};
pub use self::set::{RuleAnswer, RuleSet};
