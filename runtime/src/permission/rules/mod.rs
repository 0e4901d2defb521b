//! Permission rules: reading them, and matching them against effects.

mod command;
mod parse;
mod path;
mod set;

pub use self::parse::{Behavior, Source};
pub(super) use self::set::RuleAnswer;
pub use self::set::{RuleProblem, RuleSet};
