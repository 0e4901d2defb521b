//! Permission rules: reading them, and matching them against effects.

mod command;
mod content;
mod domain;
mod parse;
mod path;
mod rule;
mod segment;
mod set;
mod tool;

pub use self::parse::{Behavior, Source};
pub(super) use self::set::RuleAnswer;
pub use self::set::{RuleProblem, RuleSet};
