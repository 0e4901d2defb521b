//! The tool for shell commands: Bash, what its commands would do, and how they run.
//!
//! What they would do is told in four steps: `syntax` reads a command line into pieces that are known, `commands` goes
//! through them in every way they may run, `programs` tells what each program does with its arguments, and `effects`
//! answers what the tool asks of the whole.
//!
//! They run in a process group of their own (`process`), in the sandbox where settings want one (`room`, `sandbox`), and
//! whatever leaves the group is found again (`process_tree`).

mod bash;
mod commands;
mod effects;
mod exit;
mod failure;
mod moved;
mod output;
mod process;
mod programs;
mod room;
pub mod sandbox;
mod sed_edit;
mod shown;
mod single;
mod sleep;
mod state;
mod syntax;

pub use self::bash::{Bash, BashOutput, BashProgress};
pub(crate) use self::commands::steers_git;
pub(crate) use self::output::{CHAR_BYTES_MAX, Output, whole_at_the_end, whole_at_the_start};
pub(crate) use self::process::{Shell, code};
#[cfg(any(feature = "monitor", feature = "repl"))]
pub(crate) use self::room::Wanted;
pub use self::sed_edit::SedEdit;
pub use self::state::ShellState;
#[cfg(feature = "monitor")]
pub(crate) use self::{
    effects::Judgement,
    process::{SCRIPT_BYTES_MAX, script_bytes},
    room::Running,
};
#[cfg(feature = "repl")]
pub(crate) use self::{
    output::shortened,
    room::{Ready, Room},
    sandbox::{Confinement, command, spawn},
};
