//! The tool for code in an interpreter that stays: REPL, what speaks to the interpreter, and those that are kept.

mod interpreter;
mod kept;
mod literals;
mod tool;

pub use self::kept::Repls;
pub use self::tool::{Language, Repl, ReplOutput};
