//! Where results go that are too large for the conversation.

use std::fs::{DirBuilder, File, OpenOptions};
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

    /// Begins a file for output that is to come, such as that of a command in the background. Blocks shortly.
    ///
    /// # Errors
    /// When there can be none: then there is only what is kept in memory.
    fn begin(&self, name: &str) -> io::Result<(PathBuf, File)> {
        let _ = name;
        Err(io::Error::new(io::ErrorKind::Unsupported, "results are not kept as files here"))
    }

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

    fn create(&self, name: &str) -> io::Result<(PathBuf, File)> {
        self.make_folder()?;
        let place = self.folder.join(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&place)?;
        Ok((place, file))
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
        let name = format!("{}-{}.txt", safe(call.as_str()), env.new_id("result"));
        let store = self.clone();
        let write = move || {
            let (place, mut file) = store.create(&name)?;
            file.write_all(text.as_bytes())?;
            Ok::<PathBuf, io::Error>(place)
        };
        let place = env.blocking(write).await.map_err(io::Error::other)??;
        Ok(place.display().to_string())
    }

    fn begin(&self, name: &str) -> io::Result<(PathBuf, File)> {
        self.create(&format!("{}.txt", safe(name)))
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }
}

/// The name without what could lead elsewhere.
fn safe(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    name.chars().take(100).map(safe).collect()
}
