//! The tool for shell commands: Bash, what its commands would do, and how they run.
//!
//! What they would do is told in four steps: `syntax` reads a command line into pieces that are known, `commands` goes
//! through them in every way they may run, `programs` tells what each program does with its arguments, and `effects`
//! answers what the tool asks of the whole.

mod bash;
mod commands;
mod effects;
mod exit;
mod output;
mod process;
mod programs;
mod sleep;
mod syntax;

pub use self::bash::{Bash, BashOutput, BashProgress};
pub(crate) use self::output::{CHAR_BYTES_MAX, Output, shortened, whole_at_the_end, whole_at_the_start};
pub(crate) use self::process::{Shell, code};
#[cfg(feature = "monitor")]
pub(crate) use self::{effects::Judgement, process::SCRIPT_BYTES_MAX, process::script_bytes};
