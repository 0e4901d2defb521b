//! "Read before you change": the proof that the agent knows what it is about to change.

use toolwright::contract::FilesSeen;

use super::load::Loaded;

/// A file whose content is what the agent last saw.
#[derive(Debug)]
pub(crate) struct Fresh(Loaded);

/// Why a file must be read first.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotFresh {
    /// It was never read.
    #[error("`{0}` has not been read yet: read it with Read before changing it")]
    NotRead(String),
    /// It is not what it was.
    #[error(
        "`{0}` has been modified since it was read, by a person or a program: read it again before changing it"
    )]
    Modified(String),
}

impl Fresh {
    /// Proves that a file is as it was last seen.
    ///
    /// The content decides: a file that was only touched is fresh, and one that was changed within the clock's grain
    /// is not.
    pub(crate) fn check(loaded: Loaded, files: &FilesSeen) -> Result<Fresh, NotFresh> {
        let name = || loaded.path.display().to_string();
        let Some(seen) = files.get(&loaded.path) else { return Err(NotFresh::NotRead(name())) };
        if seen.content != loaded.content {
            return Err(NotFresh::Modified(name()));
        }
        Ok(Fresh(loaded))
    }

    /// A file that need not be known because there is nothing in it; nothing when there is.
    pub(crate) fn empty(loaded: Loaded) -> Option<Fresh> {
        loaded.content.is_empty().then_some(Fresh(loaded))
    }

    /// A file that is as it was shown to whoever decided; nothing when it is not.
    pub(crate) fn shown(loaded: Loaded, content: &str) -> Option<Fresh> {
        (*loaded.content == *content).then_some(Fresh(loaded))
    }

    /// The file.
    pub(crate) fn file(&self) -> &Loaded {
        &self.0
    }
}
