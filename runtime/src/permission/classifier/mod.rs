//! The classifier: somebody quick who looks at a call in place of a person.
//!
//! It sees what a tool says it may see of a call, what the person typed, and what the agent has done so far; never what
//! a tool gave back, since that is where somebody else's words are. What it cannot see it does not judge, and whatever
//! goes wrong is a no.

mod model;
mod verdict;
mod watched;

use async_trait::async_trait;

pub use self::model::ModelClassifier;
pub(crate) use self::watched::{Watched, Word};
use super::Mode;

/// One call, as a classifier sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// What the tool says may be seen of the call; never empty.
    pub input: String,
    /// Why somebody is asked.
    pub reason: String,
    /// The mode in which it is asked.
    pub mode: Mode,
    /// The working directory.
    pub cwd: String,
    /// What the person typed, the latest last.
    pub said: Vec<String>,
    /// What the agent has done that did more than look, the latest last.
    pub done: Vec<Done>,
    /// What the developer's own hooks want it to know of calls that ran, the latest last.
    pub hooks_said: Vec<String>,
}

/// A call that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The tool's name.
    pub tool: String,
    /// What the tool says may be seen of the call.
    pub input: String,
}

/// What a classifier says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assessment {
    /// It may run.
    Allow,
    /// A person should look at it, for this reason.
    Ask(String),
    /// It may not run, for this reason.
    Deny(String),
}

/// Why there is no assessment, in words. The answer is no then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ClassifierError(pub String);

/// Judges calls in place of a person.
#[async_trait]
pub trait Classifier: Send + Sync + 'static {
    /// Judges one call.
    ///
    /// # Errors
    /// When there is no assessment, such as when an answer cannot be read: then the answer is no.
    async fn classify(&self, call: &Classified) -> Result<Assessment, ClassifierError>;
}
