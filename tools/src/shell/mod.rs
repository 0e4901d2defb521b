//! The tool for shell commands: Bash, what its commands would do, and how they run.

mod bash;
mod characters;
mod command;
mod condition;
mod effects;
mod exit;
mod find;
mod git;
mod operands;
mod output;
mod place;
mod process;
mod programs;
mod running;
mod sed;
mod sleep;
mod word;

pub use self::bash::{Bash, BashOutput, BashProgress};
pub(crate) use self::characters::is_unseen;
