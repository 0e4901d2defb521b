//! The model, as the loop sees it: a request goes in, events stream out.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream::{self, Stream};

use crate::message::{Message, ToolUse};

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// The tools, one JSON object each: the same bytes all through the session.
    pub tools: Vec<Arc<str>>,
    /// The conversation.
    pub messages: Arc<Vec<Message>>,
    /// The model's name, where the session has one.
    pub model: Option<String>,
}

/// One event of a model's answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelEvent {
    /// A whole text block.
    Text(String),
    /// A whole call.
    ToolUse(ToolUse),
}

/// Why a model gave no answer, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub String);

/// The events of one answer; the answer is complete when the stream ends.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// A model.
pub trait Model: Send + Sync {
    /// Asks the model; its answer streams.
    fn respond(&self, request: Request) -> ModelStream;
}

/// A model that gives the answers it was made with, one after another, and then an empty one.
#[derive(Debug, Default)]
pub struct Scripted {
    answers: Mutex<VecDeque<Vec<ModelEvent>>>,
}

impl Scripted {
    /// A model with these answers.
    #[must_use]
    pub fn new(answers: impl IntoIterator<Item = Vec<ModelEvent>>) -> Scripted {
        Scripted { answers: Mutex::new(answers.into_iter().collect()) }
    }
}

impl Model for Scripted {
    fn respond(&self, _request: Request) -> ModelStream {
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Box::pin(stream::iter(next.unwrap_or_default().into_iter().map(Ok)))
    }
}
