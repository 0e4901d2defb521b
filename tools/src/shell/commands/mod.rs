//! What each command of a command line would do, wherever it stands: in lists, pipes, loops, substitutions, behind
//! wrappers, in texts that are handed to another shell.

mod builtins;
mod decoding;
mod expand;
mod heeded;
mod launchers;
mod links;
mod multiplexers;
mod pipes;
mod place;
mod shells;
mod simple;
mod targets;
mod variables;
mod walk;
mod word;
mod wrappers;
mod written;

use toolwright::contract::{Effects, EffectsContext};

pub(crate) use self::heeded::steers_git;
pub(crate) use self::place::is_number;
pub(crate) use self::targets::{Targets, Use};
pub(crate) use self::walk::Walker;
pub(crate) use self::word::{Found, Origin, Unknown, Word};
use super::syntax::{Doubt, Script};

/// What a command line that was read would do, told without running it. Where nothing can be told, what is in doubt.
pub(crate) fn told(command: &str, script: Result<&Script, &Doubt>, cx: &EffectsContext<'_>) -> Effects {
    let told = script.map_err(Clone::clone).and_then(|script| Walker::tell(script, cx));
    match told {
        Ok(effects) => Effects::Known(effects),
        Err(doubt) => Effects::Unknown { reason: doubt.to_string(), raw: command.to_owned() },
    }
}
