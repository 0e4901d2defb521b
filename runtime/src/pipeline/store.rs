//! Where results go that are too large for the conversation.

use std::io;
use std::path::PathBuf;

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
}

/// Keeps results as text files in a folder, made at the first one. No file is written twice, whatever calls are named.
#[derive(Clone, Debug)]
pub struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    /// A store in this folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> FolderStore {
        FolderStore { folder: folder.into() }
    }
}

#[async_trait]
impl ResultStore for FolderStore {
    async fn keep(&self, env: &Env, call: &CallId, text: String) -> io::Result<String> {
        let folder = self.folder.clone();
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let name: String = call.as_str().chars().take(100).map(safe).collect();
        let place = folder.join(format!("{name}-{}.txt", env.new_id("result")));
        let written = place.clone();
        let write = move || std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&written, text));
        env.blocking(write).await.map_err(io::Error::other)??;
        Ok(place.display().to_string())
    }
}
