//! Where results go that are too large for the conversation.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use crate::env::Env;
use crate::message::CallId;

/// Keeps whole results that the model gets only a preview of.
#[async_trait]
pub trait ResultStore: Send + Sync + 'static {
    /// Keeps a result; gives the place, in words that the model can use to read it.
    ///
    /// # Errors
    /// When it could not be kept: then the model is told that the rest is lost.
    async fn keep(&self, env: &Env, call: &CallId, text: String) -> io::Result<String>;

    /// The folder that all results are in, where they are files: the agent may read it without a question.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// Keeps results as text files in a folder, made at the first one. No file is written twice, whatever calls are named,
/// and nobody else may read them.
#[derive(Clone, Debug)]
pub struct FolderStore {
    folder: PathBuf,
    /// Whether the folder may be there already.
    is_given: bool,
    is_made: Arc<Mutex<bool>>,
}

impl FolderStore {
    /// A store in this folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> FolderStore {
        FolderStore { folder: folder.into(), is_given: true, is_made: Arc::default() }
    }

    /// A store in a new folder of the system's folder for temporary files. One that somebody else has put there first
    /// is not used.
    #[must_use]
    pub fn temporary(env: &Env) -> FolderStore {
        let folder = std::env::temp_dir().join(env.new_id("toolwright"));
        FolderStore { folder, is_given: false, is_made: Arc::default() }
    }

    fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        self.make_folder()?;
        let place = self.folder.join(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&place)?.write_all(text.as_bytes())?;
        Ok(place)
    }

    fn make_folder(&self) -> io::Result<()> {
        let mut is_made = self.is_made.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_made {
            return Ok(());
        }
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(self.is_given).create(&self.folder)?;
        *is_made = true;
        Ok(())
    }
}

#[async_trait]
impl ResultStore for FolderStore {
    async fn keep(&self, env: &Env, call: &CallId, text: String) -> io::Result<String> {
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let name: String = call.as_str().chars().take(100).map(safe).collect();
        let name = format!("{name}-{}.txt", env.new_id("result"));
        let store = self.clone();
        let place = env.blocking(move || store.write(&name, &text)).await.map_err(io::Error::other)??;
        Ok(place.display().to_string())
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }
}
