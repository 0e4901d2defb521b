//! What a tool says when it cannot do what it was asked.

use std::error::Error;
use std::fmt;

use super::{Context, ContextChange};
use crate::message::Content;

/// A tool's failure, in words for the model. Any error converts with `?`; its sources are part of the words.
///
/// It is not itself a [`std::error::Error`], so that the conversion from all errors can exist.
#[derive(Debug)]
pub struct ToolError {
    content: Content,
    context_change: Option<ContextChange>,
}

impl ToolError {
    /// A failure in words: lower case, the user's text in backticks, the remedy in the sentence.
    #[must_use]
    pub fn new(content: impl Into<Content>) -> ToolError {
        ToolError { content: content.into(), context_change: None }
    }

    /// The same failure, with a change to the context of later calls; honoured only for calls that ran alone.
    #[must_use]
    pub fn with_context_change(mut self, change: impl FnOnce(&mut Context) + Send + 'static) -> ToolError {
        self.context_change = Some(ContextChange::new(change));
        self
    }

    pub(crate) fn take_context_change(&mut self) -> Option<ContextChange> {
        self.context_change.take()
    }

    /// What the model reads.
    #[must_use]
    pub fn into_content(self) -> Content {
        self.content
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.content.to_text())
    }
}

impl<E: Error> From<E> for ToolError {
    fn from(error: E) -> ToolError {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(inner) = source {
            text.push_str(": ");
            text.push_str(&inner.to_string());
            source = inner.source();
        }
        ToolError::new(text)
    }
}

/// Why a tool refuses an input that fits its schema, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidInput {
    /// The words.
    pub message: String,
}

impl InvalidInput {
    /// A refusal in words: say what to send instead.
    #[must_use]
    pub fn new(message: impl Into<String>) -> InvalidInput {
        InvalidInput { message: message.into() }
    }
}
