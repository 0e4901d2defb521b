//! What a command line would do, told without running it, and what follows from that for the tool.

use std::path::Path;

use toolwright::contract::{Effect, Effects, EffectsContext};

pub(crate) use super::commands::effects;
/// Whether a command line is known to change nothing, wherever it runs.
pub(crate) fn is_read_only(command: &str) -> bool {
    effects_anywhere(command).is_some_and(|effects| looks(&effects))
}

fn looks(effects: &[Effect]) -> bool {
    effects.iter().all(|effect| match effect {
        Effect::Command { read_only, .. } => *read_only,
        Effect::Read(_) | Effect::ReadBelow(_) => true,
        Effect::Write(_) | Effect::Remove(_) | Effect::Contact(_) | Effect::Name(_) => false,
    })
}

/// Whether a command line may run beside others: it changes nothing, and it does not go elsewhere, which later commands
/// of the session would see.
pub(crate) fn is_safe_beside(command: &str) -> bool {
    let goes = |effect: &Effect| matches!(effect, Effect::Command { words, .. } if words.first().is_some_and(|name| name == "cd"));
    effects_anywhere(command).is_some_and(|effects| looks(&effects) && !effects.iter().any(goes))
}

/// Whether a command line looks into a repository, and was judged to change nothing by it.
pub(crate) fn looks_with_git(command: &str) -> bool {
    let looks = |effect: &Effect| matches!(effect, Effect::Command { words, read_only: true, .. } if words.first().is_some_and(|name| name == "git"));
    effects_anywhere(command).unwrap_or_default().iter().any(looks)
}

/// Whether a command line is known to remove something, wherever it runs.
pub(crate) fn is_destructive(command: &str) -> bool {
    let effects = effects_anywhere(command).unwrap_or_default();
    effects.iter().any(|effect| matches!(effect, Effect::Remove(_)))
}

/// What a command line would do in some folder, for some person: for questions that only its shape answers.
fn effects_anywhere(command: &str) -> Option<Vec<Effect>> {
    let (cwd, home) = (Path::new("/session"), Some(Path::new("/home/session")));
    match effects(command, &EffectsContext { root: cwd, cwd, additional_directories: &[], home }) {
        Effects::Unknown { .. } => None,
        Effects::Known(effects) => Some(effects),
    }
}
