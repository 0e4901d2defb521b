//! Asking a person.

use async_trait::async_trait;

use super::Mode;
use crate::message::{CallId, RawInput};

/// What a person, or a hook, is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The call.
    pub call: CallId,
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// One line about the call.
    pub description: String,
    /// The input that would run.
    pub input: RawInput,
    /// Why it asks.
    pub reason: String,
    /// The mode in which it asks.
    pub mode: Mode,
}

/// What a person, or a hook, answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Run it: as it is, or with another input, which is checked again.
    Allow {
        /// The other input.
        input: Option<RawInput>,
    },
    /// Do not run it. The message is what the model reads; without one it reads our words.
    Deny {
        /// What the model reads.
        message: Option<String>,
    },
}

/// Asks a person. The future is dropped when somebody else has answered: then the dialog is to be withdrawn.
#[async_trait]
pub trait Prompter: Send + Sync + 'static {
    /// Asks, and waits for the answer; nothing means that the person went away without one.
    async fn ask(&self, question: &Question) -> Option<Answer>;
}
