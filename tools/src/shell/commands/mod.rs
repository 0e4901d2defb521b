//! What each command of a command line would do, wherever it stands: in lists, pipes, loops, substitutions, behind
//! wrappers, in texts that are handed to another shell.

mod builtins;
mod expand;
mod links;
mod place;
mod shells;
mod simple;
mod targets;
mod walk;
mod word;
mod wrappers;

use toolwright::contract::{Effects, EffectsContext};

pub(crate) use self::place::is_number;
pub(crate) use self::targets::{Targets, Use};
pub(crate) use self::walk::Walker;
pub(crate) use self::word::{Found, Origin, Word};
use super::syntax::parse;

/// What a command line would do, told without running it. Where nothing can be told, what is in doubt.
pub(crate) fn effects(command: &str, cx: &EffectsContext<'_>) -> Effects {
    let told = parse(command).and_then(|script| Walker::tell(&script, cx));
    match told {
        Ok(effects) => Effects::Known(effects),
        Err(doubt) => Effects::Unknown { reason: doubt.to_string(), raw: command.to_owned() },
    }
}
