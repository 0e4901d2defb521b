//! What the commands of a session share: who confines them, where their temporary files are, and what they left running.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tempfile::TempDir;

use super::sandbox::{Backend, Unavailable};
use crate::process_tree::{self, Mark};
use crate::tasks::Tasks;

/// How many shells are remembered that may have left something running before it is looked which have.
const LEFT_MAX: usize = 1_000;

/// What the commands of a session share. Clones share too. When the last is dropped, whatever commands left running in
/// the background is ended.
#[derive(Clone, Debug, Default)]
pub struct ShellState(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    backend: OnceLock<Result<Backend, Unavailable>>,
    has_told: AtomicBool,
    left: Left,
    tasks: Tasks,
    /// Dropped after what may use it was ended.
    temporary: Mutex<Option<TempDir>>,
}

/// Shells that have ended and may have left something running. Dropping it ends that.
#[derive(Debug, Default)]
struct Left(Mutex<BTreeSet<Mark>>);

impl ShellState {
    /// A state with these tasks in the background.
    #[must_use]
    pub fn of(tasks: Tasks) -> ShellState {
        ShellState(Arc::new(Shared { tasks, ..Shared::default() }))
    }

    /// A state whose commands are confined by this, where they are to be confined, or cannot be.
    #[must_use]
    pub fn confined_by(backend: Result<Backend, Unavailable>) -> ShellState {
        let backend = OnceLock::from(backend);
        ShellState(Arc::new(Shared { backend, ..Shared::default() }))
    }

    /// Who confines commands; found out once. Blocks shortly the first time.
    pub(crate) fn backend(&self) -> Result<Backend, Unavailable> {
        self.0.backend.get_or_init(Backend::find).clone()
    }

    /// Whether this is the first time that it is asked.
    pub(crate) fn tells_now(&self) -> bool {
        !self.0.has_told.swap(true, Ordering::Relaxed)
    }

    /// The folder for temporary files of confined commands. Blocks shortly the first time.
    pub(crate) fn temporary(&self) -> io::Result<PathBuf> {
        let mut temporary = self.0.temporary.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = match &*temporary {
            Some(folder) => folder,
            None => temporary.insert(tempfile::Builder::new().prefix("toolwright-").tempdir()?),
        };
        folder.path().canonicalize()
    }

    /// The tasks in the background.
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }

    /// Remembers a shell that has ended and may have left something running. Blocks shortly now and then.
    pub(crate) fn leave(&self, mark: Option<Mark>) {
        let mut left = self.0.left.0.lock().unwrap_or_else(PoisonError::into_inner);
        left.extend(mark);
        if left.len() > LEFT_MAX {
            *left = process_tree::still_living(&left);
        }
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        process_tree::end(self.0.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}
