//! What a session's commands may do in their sandbox, as settings and rules say. Who runs commands makes a sandbox of it.

use std::path::PathBuf;

/// The sandbox that a session's commands are to run in. Commands write in the folders of the session too; whatever steers
/// git, the shell or the agent stays closed there unless `writable` names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxPolicy {
    /// Whether no command runs where there can be no sandbox.
    pub is_required: bool,
    /// Whether commands in it run without a question, unless something closes them.
    pub is_answer: bool,
    /// Whether a call may ask to run outside it.
    pub may_be_left: bool,
    /// Commands that run outside it: each as it begins, or with `*` for anything.
    pub excluded: Vec<String>,
    /// Where commands write besides the folders of the session; absolute.
    pub writable: Vec<PathBuf>,
    /// Where they do not write; absolute.
    pub unwritable: Vec<PathBuf>,
    /// What they do not read; absolute.
    pub unreadable: Vec<PathBuf>,
    /// What they read all the same within that; absolute.
    pub readable: Vec<PathBuf>,
    /// Whether they use the network.
    pub network: bool,
}
