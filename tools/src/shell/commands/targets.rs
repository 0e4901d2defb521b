//! The files that a program is given, as effects.

use std::path::{Path, PathBuf};

use toolwright::contract::{Effect, EffectsContext};
use toolwright::permission::steers;

use super::links;
use super::place::Spot;
use super::word::Word;
use crate::shell::syntax::Doubt;

/// What a program does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Tells of it, but not what it holds.
    List,
    /// Reads it.
    Read,
    /// Reads what is in it too.
    ReadBelow,
    /// Creates or changes it.
    Write,
    /// Creates or changes anything below it.
    WriteBelow,
    /// May create, change or remove anything below it, since that is what the command is for.
    MayWriteBelow,
    /// Removes it.
    Remove,
}

/// Collects what one program does to files, from one working directory.
#[derive(Debug)]
pub(crate) struct Targets<'a> {
    pub(crate) cx: &'a EffectsContext<'a>,
    pub(crate) spot: &'a Spot,
    /// Whether an earlier command may have left links where there were none: a path through one leads elsewhere.
    pub(crate) has_new_links: bool,
    pub(crate) effects: Vec<Effect>,
    /// Pieces for which it cannot be told what they mean: somebody must be asked.
    pub(crate) open: Vec<String>,
    /// Texts that it hands to a shell.
    pub(crate) scripts: Vec<String>,
}

impl Targets<'_> {
    /// A word that names a file, or several.
    pub(crate) fn add(&mut self, word: &Word, used: Use) -> Result<(), Doubt> {
        if word.is_stream || (word.value == "-" && !matches!(used, Use::Remove)) {
            return Ok(());
        }
        if word.has_wildcard { self.add_wild(word, used) } else { self.add_one(word, used) }
    }

    fn add_one(&mut self, word: &Word, used: Use) -> Result<(), Doubt> {
        match self.path(word) {
            Ok(path) => self.push(path, used),
            Err(piece) => self.lost(piece, used)?,
        }
        Ok(())
    }

    /// A wildcard stands for names in a folder, and for what links among them lead to.
    fn add_wild(&mut self, word: &Word, used: Use) -> Result<(), Doubt> {
        let found =
            if self.has_new_links { Err(word.typed.clone()) } else { self.spot.folder_of(word, self.cx) };
        let (folder, below) = match found {
            Ok(found) => found,
            Err(piece) => return self.lost(piece, used),
        };
        let follows = used != Use::List || below.len() > 1;
        let is_sure = word.found.is_some_and(|found| !found.may_be_links && !found.may_split);
        match if is_sure { Ok(links::Among::default()) } else { links::among(&folder, &below) } {
            Ok(among) => {
                if follows && word.found.is_none_or(|found| found.may_be_links) {
                    among.links.into_iter().for_each(|link| self.push(link, used));
                }
                if among.has_odd_names && word.found.is_some_and(|found| found.may_split) {
                    self.open.push("a name with a blank or a quote in it".to_owned());
                }
            }
            Err(_too_many) => self.open.push(shown(word)),
        }
        match used {
            Use::List if below.len() > 1 => self.push(folder, Use::ReadBelow),
            Use::List => self.push(folder, Use::List),
            // Some of what has such names in one folder is read, and nothing below.
            Use::Read if word.found.is_none() && !below.iter().any(|name| name == "**") => {
                self.push(below.iter().fold(folder, |path, name| path.join(name)), Use::Read);
            }
            Use::Read | Use::ReadBelow => self.push(folder, Use::ReadBelow),
            Use::Write | Use::WriteBelow | Use::MayWriteBelow | Use::Remove => {
                self.push(below.iter().fold(folder, |path, name| path.join(name)), used)
            }
        }
        Ok(())
    }

    /// The path of a word without wildcards, or the piece for which it cannot be told.
    pub(crate) fn path(&self, word: &Word) -> Result<PathBuf, String> {
        if self.has_new_links { Err(word.typed.clone()) } else { self.spot.resolve(word, self.cx) }
    }

    /// The working directory.
    pub(crate) fn add_here(&mut self, used: Use) -> Result<(), Doubt> {
        match self.spot.here() {
            Ok(path) if !self.has_new_links => self.push(path, used),
            Ok(_moved) => self.lost("the working directory".to_owned(), used)?,
            Err(piece) => self.lost(piece, used)?,
        }
        Ok(())
    }

    /// The repository that the working directory is in, as far as the session goes, or a path in it.
    pub(crate) fn repository(&mut self, path: Option<&str>, used: Use) -> Result<(), Doubt> {
        match self.spot.here() {
            Ok(here) if !self.has_new_links => {
                let root = if here.starts_with(self.cx.root) { self.cx.root.to_owned() } else { here };
                self.push(path.map_or_else(|| root.clone(), |path| root.join(path)), used);
                Ok(())
            }
            _lost => self.add_here(used),
        }
    }

    /// The folder of the repository that the working directory is in, with what steers programs in it by its name: git may
    /// bring any of it from elsewhere. Where there is no repository, as far as the session goes.
    pub(crate) fn may_bring(&mut self, folder: Option<&Word>) -> Result<(), Doubt> {
        let place = match folder {
            Some(folder) => self.path(folder).ok().filter(|_| !folder.has_wildcard),
            None if self.has_new_links => None,
            None => self.spot.here().ok(),
        };
        let Some(place) = place else {
            return match folder {
                Some(folder) => self.add(folder, Use::MayWriteBelow),
                None => self.add_here(Use::MayWriteBelow),
            };
        };
        let is_root = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
        let within_session = || if place.starts_with(self.cx.root) { self.cx.root } else { place.as_path() };
        let root = place.ancestors().find(is_root).unwrap_or_else(within_session).to_owned();
        for entry in root.read_dir().into_iter().flatten().flatten() {
            let named = root.join(entry.file_name());
            if entry.file_name() != ".git" && steers(&named) {
                self.effects.push(Effect::MayWrite(named));
            }
        }
        self.push(root, Use::MayWriteBelow);
        Ok(())
    }

    /// Something that may be anywhere: nothing is allowed there, and a rule that closes any file may mean it.
    fn lost(&mut self, piece: String, used: Use) -> Result<(), Doubt> {
        if self.has_new_links && used == Use::Remove {
            return Err(Doubt::new(format!("`{piece}` may lead through what was moved or linked before it")));
        }
        self.open.push(if piece.is_empty() { "what it is given".to_owned() } else { piece });
        let anywhere = PathBuf::from("/");
        self.push(
            anywhere,
            match used {
                Use::List | Use::Read | Use::ReadBelow => Use::ReadBelow,
                Use::Write | Use::WriteBelow => Use::Write,
                Use::MayWriteBelow => Use::MayWriteBelow,
                Use::Remove => Use::Remove,
            },
        );
        Ok(())
    }

    pub(crate) fn push(&mut self, path: PathBuf, used: Use) {
        let effect = match used {
            Use::List | Use::Read => Effect::Read(path),
            Use::ReadBelow => Effect::ReadBelow(path),
            Use::Write if path == Path::new("/dev/null") => return,
            Use::Write => Effect::Write(path),
            Use::WriteBelow => Effect::Write(path.join("**")),
            Use::MayWriteBelow => Effect::MayWrite(path.join("**")),
            Use::Remove => Effect::Remove(path),
        };
        self.effects.push(effect);
    }
}

/// How a word is told of to somebody who must be asked about it.
fn shown(word: &Word) -> String {
    if word.typed.is_empty() { "what it is given".to_owned() } else { word.typed.clone() }
}
