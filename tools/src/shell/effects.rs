//! What a command line would do, told without running it, and what follows from that for the tool.

use std::path::Path;
use std::sync::OnceLock;

use toolwright::contract::{Effect, Effects, EffectsContext};

use super::commands::told;
use super::syntax::{Doubt, Script, parse};

/// What is found out about one command line, each part once, when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Judgement {
    script: OnceLock<Result<Script, Doubt>>,
    /// What it would do where nothing is.
    nowhere: OnceLock<Effects>,
}

/// What is so of a command line wherever it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Anywhere {
    /// Whether it is known to change nothing.
    pub(crate) is_read_only: bool,
    /// Whether it may run beside others: it changes nothing, and it does not go elsewhere, which later commands of the
    /// session would see.
    pub(crate) is_safe_beside: bool,
    /// Whether it is known to remove something.
    pub(crate) is_destructive: bool,
}

impl Judgement {
    /// What the command line would do in some folder.
    pub(crate) fn effects(&self, command: &str, cx: &EffectsContext<'_>) -> Effects {
        match self.nowhere.get().filter(|told| is_the_same_everywhere(told)) {
            Some(told) => told.clone(),
            None => self.walked(command, cx),
        }
    }

    fn walked(&self, command: &str, cx: &EffectsContext<'_>) -> Effects {
        told(command, self.script.get_or_init(|| parse(command)).as_ref(), cx)
    }

    /// Whether the command line could be read.
    pub(crate) fn is_understood(&self, command: &str) -> bool {
        self.script.get_or_init(|| parse(command)).is_ok()
    }

    /// What only its shape answers.
    pub(crate) fn anywhere(&self, command: &str) -> Anywhere {
        let told = self.nowhere.get_or_init(|| self.walked(command, &somewhere()));
        let Effects::Known(effects) = told else { return Anywhere::default() };
        let is_read_only = looks(effects);
        Anywhere {
            is_read_only,
            is_safe_beside: is_read_only && !effects.iter().any(goes_elsewhere),
            is_destructive: effects.iter().any(|effect| matches!(effect, Effect::Remove(_))),
        }
    }
}

/// Whether a command goes to another folder, or to the one it is in.
fn goes_elsewhere(effect: &Effect) -> bool {
    matches!(effect, Effect::Command { words, .. } if words.first().is_some_and(|name| name == "cd"))
}

/// Whether what was told where nothing is holds in every folder and for everybody: no path is in it, so that none was
/// asked about, and nothing hangs on where it is.
fn is_the_same_everywhere(told: &Effects) -> bool {
    let Effects::Known(effects) = told else { return false };
    let names_place = |text: &String| text.contains(SOMEWHERE) || text.contains(SOMEBODY);
    effects.iter().all(|effect| match effect {
        Effect::Command { text, words, .. } => {
            !goes_elsewhere(effect) && !names_place(text) && !words.iter().any(names_place)
        }
        Effect::Contact(_) => true,
        Effect::Name(name) => !names_place(name),
        Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::Write(_)
        | Effect::Remove(_)
        | Effect::MayWrite(_) => false,
    })
}

/// Whether none of these changes anything.
pub(crate) fn looks(effects: &[Effect]) -> bool {
    effects.iter().all(|effect| match effect {
        Effect::Command { read_only, .. } => *read_only,
        Effect::Read(_) | Effect::ReadBelow(_) => true,
        Effect::Write(_) | Effect::Remove(_) | Effect::MayWrite(_) | Effect::Contact(_) | Effect::Name(_) => {
            false
        }
    })
}

/// Whether a command line looks into a repository, and was judged to change nothing by it.
pub(crate) fn looks_with_git(command: &str) -> bool {
    let looks = |effect: &Effect| matches!(effect, Effect::Command { words, read_only: true, .. } if words.first().is_some_and(|name| name == "git"));
    match Judgement::default().effects(command, &somewhere()) {
        Effects::Known(effects) => effects.iter().any(looks),
        Effects::Unknown { .. } => false,
    }
}

/// The folder that stands for any: nothing can be there.
pub(crate) const SOMEWHERE: &str = "/dev/null/session";

/// The home of the person who stands for anybody.
const SOMEBODY: &str = "/home/session";

/// Some folder, of some person: for questions that only a command line's shape answers.
fn somewhere() -> EffectsContext<'static> {
    let (cwd, home) = (Path::new(SOMEWHERE), Some(Path::new(SOMEBODY)));
    EffectsContext { root: cwd, cwd, additional_directories: &[], home }
}
