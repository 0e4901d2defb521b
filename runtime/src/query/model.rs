//! The model, as the loop sees it: a request goes in, events stream out.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream::Stream;

use super::{ModelError, ModelEvent, events};
use crate::message::Message;
use crate::registry::Backend;

/// What a model is asked. Providers write it in this order of stability: tools, system prompt, conversation; so that
/// what a provider has cached of one request is the beginning of the next.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The tools, one JSON object each (`name`, `description`, `input_schema`): the same bytes all through the session.
    pub tools: Vec<Arc<str>>,
    /// The system prompt, where there is one.
    pub system: Option<Arc<str>>,
    /// The conversation.
    pub messages: Arc<Vec<Message>>,
    /// The model's name, where the session has one; else the provider's own.
    pub model: Option<String>,
    /// The most tokens that the answer may have; the provider's own limit unless said.
    pub output_tokens_max: Option<NonZeroU32>,
    /// For how long the provider is asked to keep the beginning of this request, where it must be asked.
    pub cache: PromptCache,
}

/// For how long a provider is asked to keep the tools, the system prompt and the conversation so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptCache {
    /// It is not asked.
    Off,
    /// Five minutes from the last use.
    #[default]
    Short,
    /// An hour from the last use.
    Long,
}

/// The events of one answer. The answer is complete when the stream ends, and broken when it gives an error, which is
/// then its last item. Dropping the stream gives the request up. [`blocks`](super::blocks), [`events`](super::events) and
/// [`channel`](super::channel) make one.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// A model.
pub trait Model: Send + Sync {
    /// Asks the model; its answer streams.
    fn respond(&self, request: Request) -> ModelStream;

    /// How tools that are deferred are told to this model best. [`Backend::Native`] only where its provider keeps
    /// definitions with the mark `defer_loading` from it until a result refers to them.
    fn backend(&self) -> Backend {
        Backend::Emulated
    }
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
        events(next.unwrap_or_default())
    }
}
