//! Where a session works changes: directories, watched files, working trees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The working directory changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CwdChanged {
    /// What it was.
    #[serde(default)]
    pub old_cwd: String,
    /// What it is.
    #[serde(default)]
    pub new_cwd: String,
}

/// A directory was added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DirectoryAdded {
    /// The directory.
    #[serde(default)]
    pub directory: String,
    /// How it came about.
    #[serde(default)]
    pub how: String,
}

/// A worktree is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeCreate {
    /// Its name.
    #[serde(alias = "branch", default)]
    pub name: String,
}

/// A worktree is removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeRemove {
    /// Where it is.
    pub worktree_path: String,
}

/// A watched file changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedFile {
    /// The file.
    pub file_path: String,
    /// How: `added`, `modified` or `removed`.
    #[serde(alias = "change_type", default)]
    pub event: String,
}

impl ChangedFile {
    /// The file's name, without its directories.
    pub(in crate::hooks) fn file_name(&self) -> &str {
        self.file_path.rsplit('/').next().unwrap_or_default()
    }
}
