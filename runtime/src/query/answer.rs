//! What a model's answer is made of: events, and the error that breaks it off.

use std::fmt;
use std::time::Duration;

use crate::message::{Block, CallId, Repair, ToolUse};

/// One event of a model's answer. What the answer says is in the [`Block`](ModelEvent::Block) events alone, in the
/// order of the message; the others show how it comes about, and a model may leave them out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelEvent {
    /// The answer begins.
    Started {
        /// The identifier of the message, where it has one.
        message: Option<String>,
        /// The model that answers, as the provider names it.
        model: Option<String>,
    },
    /// A block begins. Its deltas and its end have the same index.
    BlockStarted {
        /// Which block of the answer, from 0.
        index: usize,
        /// What kind of block.
        kind: BlockKind,
    },
    /// A piece of a block that is not complete.
    Delta {
        /// Which block of the answer, from 0.
        index: usize,
        /// The piece.
        delta: Delta,
    },
    /// A block is complete: a call in it may start. Nothing in it comes again, and nothing is changed after.
    Block {
        /// Which block of the answer, from 0.
        index: usize,
        /// The block.
        block: Block,
    },
    /// The tokens of this answer so far. A later one stands in the place of an earlier one.
    Usage(Usage),
    /// Something in the answer was mended, such as a call without an identifier.
    Mended(Repair),
    /// The model stopped, for this reason.
    Stopped(StopReason),
}

/// What kind of block begins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockKind {
    /// Text.
    Text,
    /// A call.
    ToolUse {
        /// Its identifier.
        id: CallId,
        /// The tool, as the model names it.
        name: String,
    },
    /// What the model thinks before it speaks.
    Thinking,
    /// Anything else, by the name of its type.
    Other(String),
}

/// A piece of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// More of a text.
    Text(String),
    /// More of a call's arguments: a piece of JSON, cut anywhere between characters.
    Input(String),
    /// More of what the model thinks.
    Thinking(String),
}

/// The tokens of an answer, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Read for the first time and not kept.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Read for the first time and kept in the provider's cache.
    pub cache_write: u64,
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// It had said all it had to say.
    EndTurn,
    /// It waits for the results of its calls.
    ToolUse,
    /// The answer reached its limit of tokens; its last block may be cut short.
    OutputLimit,
    /// The conversation does not fit the model any more.
    ContextLimit,
    /// It came upon a sequence that it was told to stop at.
    StopSequence,
    /// It will not answer, or what it answered was held back.
    Refused,
    /// It paused, and goes on when the conversation is sent again.
    Paused,
    /// Another reason, as the provider names it.
    Other(String),
}

impl ModelEvent {
    /// A whole text block, for a model that does not stream.
    #[must_use]
    pub fn text(index: usize, text: impl Into<String>) -> ModelEvent {
        ModelEvent::Block { index, block: Block::Text(text.into()) }
    }

    /// A whole call, for a model that does not stream.
    #[must_use]
    pub fn call(index: usize, call: ToolUse) -> ModelEvent {
        ModelEvent::Block { index, block: Block::ToolUse(call) }
    }
}

impl Usage {
    /// All tokens that the model read and wrote.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.context().saturating_add(self.output)
    }

    /// All tokens that the model read, wherever from: the size of the conversation.
    #[must_use]
    pub fn context(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

impl std::ops::AddAssign for Usage {
    /// Adds another answer's tokens.
    fn add_assign(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
    }
}

/// Why a model gave no answer, or none that is whole. It never holds a secret: no header of the request and nothing of
/// its address but the host is in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct ModelError {
    /// What kind of thing went wrong.
    pub kind: ModelErrorKind,
    /// What went wrong, in words.
    pub detail: String,
    /// The status of the response, where there was one.
    pub status: Option<u16>,
    /// The provider's identifier of the request, where it gave one.
    pub request_id: Option<String>,
    /// How long the provider asks to wait before the next request.
    pub retry_after: Option<Duration>,
}

/// What kind of thing went wrong between a model and us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModelErrorKind {
    /// The provider does not take this request: it would not take it a second time either.
    InvalidRequest,
    /// The conversation or its answer is larger than a limit, theirs or ours.
    TooLarge,
    /// The key is missing, wrong, or does not allow this.
    Unauthorised,
    /// There is no such model or address.
    NotFound,
    /// Too many requests for this key.
    RateLimited,
    /// The provider has too much to do.
    Overloaded,
    /// The provider failed.
    Server,
    /// There was no connection, or it broke.
    Connection,
    /// Nothing came for too long.
    TimedOut,
    /// What came is not an answer in the provider's format, or ended before it was whole.
    Malformed,
    /// Anything else.
    Other,
}

impl ModelErrorKind {
    /// Whether the same request may succeed a little later.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        match self {
            ModelErrorKind::RateLimited
            | ModelErrorKind::Overloaded
            | ModelErrorKind::Server
            | ModelErrorKind::Connection
            | ModelErrorKind::TimedOut => true,
            ModelErrorKind::InvalidRequest
            | ModelErrorKind::TooLarge
            | ModelErrorKind::Unauthorised
            | ModelErrorKind::NotFound
            | ModelErrorKind::Malformed
            | ModelErrorKind::Other => false,
        }
    }
}

impl ModelError {
    /// An error of this kind, in words.
    #[must_use]
    pub fn new(kind: ModelErrorKind, detail: impl Into<String>) -> ModelError {
        ModelError { kind, detail: detail.into(), status: None, request_id: None, retry_after: None }
    }

    /// The same error, of a response with this status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> ModelError {
        self.status = Some(status);
        self
    }

    /// The same error, of a request that the provider knows by this identifier.
    #[must_use]
    pub fn with_request_id(mut self, id: Option<String>) -> ModelError {
        self.request_id = id;
        self
    }

    /// The same error, with the wait that the provider asks for.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> ModelError {
        self.retry_after = wait;
        self
    }

    /// Whether the same request may succeed a little later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.kind.is_retryable()
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)?;
        match (self.status, &self.request_id) {
            (None, None) => Ok(()),
            (Some(status), None) => write!(f, " (status {status})"),
            (None, Some(id)) => write!(f, " (request {id})"),
            (Some(status), Some(id)) => write!(f, " (status {status}, request {id})"),
        }
    }
}
