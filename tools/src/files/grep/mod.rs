//! `Grep`: finds lines by a regular expression, on ripgrep's own libraries.

mod file;
mod filter;
mod line;
mod order;
mod output;
mod pattern;
mod run;
mod tool;
mod walk;

pub use self::output::GrepOutput;
pub use self::tool::{Grep, OutputMode};
