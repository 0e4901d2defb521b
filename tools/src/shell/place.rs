//! Where relative paths of a command lead, as `cd` moves it through a list.

use std::path::{Component, Path, PathBuf};

use toolwright::contract::EffectsContext;

use super::command::{Doubt, Link};
use super::word::Word;

/// The working directory at one point of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Where the call begins.
    Start,
    /// Elsewhere, since a `cd` that succeeded.
    Moved(PathBuf),
    /// It depends on whether a `cd` succeeded.
    Unknown,
}

/// Follows the working directory through a list.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    cx: &'a EffectsContext<'a>,
    /// At the current command.
    now: Place,
    /// At the beginning of the current list of `&&` and `||`.
    base: Place,
    /// Whether an earlier command may have left links where there were none.
    has_new_links: bool,
}

impl<'a> Places<'a> {
    pub(crate) fn new(cx: &'a EffectsContext<'a>) -> Places<'a> {
        Places { cx, now: Place::Start, base: Place::Start, has_new_links: false }
    }

    /// Whether relative paths still hang on where the call began.
    pub(crate) fn is_at_start(&self) -> bool {
        self.now == Place::Start
    }

    /// The working directory.
    pub(crate) fn here(&self) -> Result<PathBuf, Doubt> {
        match &self.now {
            Place::Start => Ok(self.cx.absolute(self.cx.cwd)),
            Place::Moved(path) => Ok(path.clone()),
            Place::Unknown => {
                Err(Doubt::new("the working directory is not known behind a `cd` that may have failed"))
            }
        }
    }

    /// Goes elsewhere, as `cd` does.
    pub(crate) fn go(&mut self, target: Option<&Word>) -> Result<(), Doubt> {
        let path = match target {
            Some(word) if word.value == "-" => return Err(Doubt::new("`cd -` leads to an unknown folder")),
            Some(word) if word.has_wildcard => {
                return Err(Doubt::new(format!("`cd {}` leads to an unknown folder", word.typed)));
            }
            Some(word) => self.resolve(word)?,
            None => self.cx.home.ok_or_else(|| Doubt::new("`cd` leads home, which is not known"))?.to_owned(),
        };
        // Going to where the list is already changes nothing; going back to the start may still fail.
        if self.here().as_ref() != Ok(&path) {
            self.now = Place::Moved(path);
        }
        Ok(())
    }

    /// From here on, where paths lead cannot be told beforehand.
    pub(crate) fn bring_links(&mut self) {
        self.has_new_links = true;
    }

    /// Passes from one command to the next.
    pub(crate) fn pass(&mut self, link: Link) {
        match link {
            Link::Pipe | Link::And => {}
            Link::Or | Link::Then => {
                if self.now != self.base {
                    self.now = Place::Unknown;
                }
                if link == Link::Then {
                    self.base = self.now.clone();
                }
            }
            // A list in the background runs in a shell of its own.
            Link::Background => self.now = self.base.clone(),
        }
    }

    /// The absolute path that a word without wildcards means.
    pub(crate) fn resolve(&self, word: &Word) -> Result<PathBuf, Doubt> {
        self.resolve_text(word, &word.value)
    }

    /// The folder that a word with wildcards is looked for in.
    pub(crate) fn folder_of(&self, word: &Word) -> Result<PathBuf, Doubt> {
        let is_wild = |part: &str| part.contains(['*', '?', '[']);
        let literal: Vec<&str> = word.value.split('/').take_while(|part| !is_wild(part)).collect();
        if word.value.split('/').count() > literal.len() + 1 {
            return Err(Doubt::new(format!("`{}` goes through what its wildcard stands for", word.typed)));
        }
        match literal.as_slice() {
            [] => self.here(),
            [""] => Ok(PathBuf::from("/")),
            parts => self.resolve_text(word, &parts.join("/")),
        }
    }

    fn resolve_text(&self, word: &Word, text: &str) -> Result<PathBuf, Doubt> {
        if text.is_empty() {
            return Err(Doubt::new("an empty word stands where a path is expected"));
        }
        if self.has_new_links {
            let reason = format!("`{}` may lead through what was moved or linked before it", word.typed);
            return Err(Doubt::new(reason));
        }
        let path = Path::new(text);
        let mut parts = path.components().skip_while(|part| !matches!(part, Component::Normal(_)));
        if parts.any(|part| part == Component::ParentDir) {
            return Err(Doubt::new(format!("the `..` in `{}` may lead through a link", word.typed)));
        }
        if word.has_tilde {
            let is_home = word.typed == "~" || word.typed.starts_with("~/");
            return match (is_home, self.cx.home) {
                (true, Some(_home)) => Ok(self.cx.absolute(path)),
                _other => Err(Doubt::new(format!("`{}` leads to an unknown home", word.typed))),
            };
        }
        if path.is_absolute() {
            return Ok(self.cx.absolute(path));
        }
        if self.now != Place::Start && path.components().any(|part| part == Component::ParentDir) {
            return Err(Doubt::new(format!("the `..` in `{}` may lead through a link", word.typed)));
        }
        // The dot keeps a quoted tilde from being read as home.
        Ok(self.cx.absolute(self.here()?.join(".").join(path)))
    }
}
