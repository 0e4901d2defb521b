//! Commands that settings keep out of the sandbox.

use toolwright::contract::{Effect, Effects};
use toolwright::permission::names_command;

/// Whether a command line runs outside: what it runs is excluded, and whatever else it runs only looks. What cannot be
/// told is confined.
pub(crate) fn is_excluded(effects: &Effects, patterns: &[String]) -> bool {
    let Effects::Known(known) = effects else { return false };
    let mut is_any = false;
    for effect in known {
        let Effect::Command { text, read_only, .. } = effect else { continue };
        let is_named = patterns.iter().any(|pattern| names_command(pattern, text));
        if !is_named && !read_only {
            return false;
        }
        is_any |= is_named;
    }
    is_any
}
