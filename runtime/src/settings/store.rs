//! Where changes to settings are written: the files of each destination, and the trait of whoever writes them.

use std::io;
use std::path::{Path, PathBuf};

use super::memory::MemoryFiles;
use super::update::{PermissionUpdate, UpdateError, update};
use super::{FILE_BYTES_MAX, SettingsFiles};
use crate::permission::{Destination, Files, Grant, NotRemembered, Remember};

/// Whoever writes settings files. A file is changed under a lock that all such writers honour, and all at once: whoever
/// reads it sees the old text or the new.
pub trait SettingsStore: Send + Sync + 'static {
    /// Changes the file at a place; says whether anything changed. `change` is given the text, or nothing where there is
    /// no file, and gives the new one, or nothing to leave it. It may block.
    ///
    /// # Errors
    /// When the file cannot be read, locked in time or written, or `change` refuses: then it is as it was.
    fn change(&self, place: &StorePlace, change: &Change<'_>) -> Result<bool, StoreError>;
}

/// What makes a new text of an old one.
pub type Change<'a> = dyn Fn(Option<&str>) -> Result<Option<String>, UpdateError> + 'a;

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePlace {
    /// Its path; absolute. Missing folders above it are made.
    pub path: PathBuf,
    /// A folder that links on the way to it must not lead out of. A project's own links must not choose which file is
    /// written; a user's may lead where they like, and stay.
    pub within: Option<PathBuf>,
}

/// Why a settings file was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Its text, or the change, is not right.
    #[error("`{}`: {error}", .path.display())]
    Update {
        /// The file.
        path: PathBuf,
        /// Why.
        error: UpdateError,
    },
    /// The system refused.
    #[error("`{}` cannot be written: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Another writer held the lock for too long.
    #[error("`{}` is being written by another program: try again", .path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// Links lead to another file than the one it seems to be.
    #[error("`{}` leads through a link: settings are not written there", .path.display())]
    Link {
        /// The file.
        path: PathBuf,
    },
    /// There is no such file among the session's.
    #[error("these settings have no file for that")]
    NoFile,
}

impl SettingsFiles {
    /// The file that a destination means; nothing for the session itself.
    #[must_use]
    pub fn place(&self, destination: Destination) -> Option<StorePlace> {
        match destination {
            Destination::Session => None,
            Destination::LocalSettings => {
                let path = self.local.first()?.clone();
                let within = path.parent().and_then(Path::parent).map(Path::to_owned);
                Some(StorePlace { path, within })
            }
            Destination::ProjectSettings => {
                Some(StorePlace { path: self.project.clone()?, within: Some(self.root.clone()) })
            }
            Destination::UserSettings => Some(StorePlace { path: self.user.clone()?, within: None }),
        }
    }
}

/// Writes changes of permissions into the file of their destination; says whether anything changed.
///
/// # Errors
/// See [`SettingsStore::change`].
pub fn save(
    store: &dyn SettingsStore,
    files: &SettingsFiles,
    destination: Destination,
    updates: &[PermissionUpdate],
) -> Result<bool, StoreError> {
    let place = files.place(destination).ok_or(StoreError::NoFile)?;
    store.change(&place, &|text| update(text, updates, destination))
}

/// Keeps what a person grants in settings files.
#[derive(Clone, Debug)]
pub struct SettingsMemory<S> {
    store: S,
    files: SettingsFiles,
}

impl<S: SettingsStore> SettingsMemory<S> {
    /// Keeps grants in these files, through this store.
    #[must_use]
    pub fn new(store: S, files: SettingsFiles) -> SettingsMemory<S> {
        SettingsMemory { store, files }
    }
}

impl<S: SettingsStore> Remember for SettingsMemory<S> {
    fn remember(&self, grant: &Grant) -> Result<(), NotRemembered> {
        let added = PermissionUpdate::AddRules(grant.behavior, vec![grant.rule.clone()]);
        let saved = save(&self.store, &self.files, grant.destination, &[added]);
        saved.map(drop).map_err(|error| NotRemembered(error.to_string()))
    }
}

impl SettingsStore for MemoryFiles {
    fn change(&self, place: &StorePlace, change: &Change<'_>) -> Result<bool, StoreError> {
        let _alone = self.alone();
        let path = &place.path;
        let failed = |error: io::Error| StoreError::Io { path: path.clone(), error };
        let target = self.resolve(path).map_err(failed)?;
        if let Some(within) = &place.within {
            let below = path.strip_prefix(within).unwrap_or(path);
            if target != self.resolve(within).map_err(failed)?.join(below) {
                return Err(StoreError::Link { path: path.clone() });
            }
        }
        let text = match self.read(&target, FILE_BYTES_MAX) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| failed(not_text()))?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let changed =
            change(text.as_deref()).map_err(|error| StoreError::Update { path: path.clone(), error })?;
        let is_changed = changed.is_some();
        if let Some(changed) = changed {
            self.put(target, changed);
        }
        Ok(is_changed)
    }
}

fn not_text() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8")
}
