//! Command lines of one command that touches one file at the most.

use std::path::{Path, PathBuf};

use toolwright::contract::{Effect, Effects};

/// One command, and what it does to one file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single<'a> {
    /// The command's words.
    pub(super) words: &'a [String],
    /// Whether it changes nothing.
    pub(super) read_only: bool,
    /// The file, where there is one.
    pub(super) file: Option<&'a Path>,
    /// Whether the file would be read with all that is below it, if it were a folder.
    pub(super) reads_below: bool,
    /// Whether it writes the file.
    pub(super) writes: bool,
}

impl<'a> Single<'a> {
    /// Nothing where there is more than that, or where it is not known.
    pub(super) fn of(effects: &'a Effects) -> Option<Single<'a>> {
        let Effects::Known(known) = effects else { return None };
        let mut command = None;
        let (mut file, mut reads_below, mut writes) = (None::<&PathBuf>, false, false);
        for effect in known {
            match effect {
                Effect::Command { words, read_only, .. } if command.is_none() => {
                    command = Some((words, *read_only));
                }
                Effect::Read(path) | Effect::ReadBelow(path) | Effect::Write(path)
                    if file.is_none_or(|file| file == path) =>
                {
                    file = Some(path);
                    reads_below |= matches!(effect, Effect::ReadBelow(_));
                    writes |= matches!(effect, Effect::Write(_));
                }
                Effect::Command { .. }
                | Effect::Read(_)
                | Effect::ReadBelow(_)
                | Effect::Write(_)
                | Effect::Remove(_)
                | Effect::MayWrite(_)
                | Effect::Contact(_)
                | Effect::Name(_) => return None,
            }
        }
        let (words, read_only) = command?;
        Some(Single { words, read_only, file: file.map(AsRef::as_ref), reads_below, writes })
    }
}
