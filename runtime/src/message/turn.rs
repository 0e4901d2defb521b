//! One turn: the calls of one assistant message, and the results that answer them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Content, RawInput};

/// The identifier of one call, as the model gave it (`toolu_…`). Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(Arc<str>);

impl CallId {
    /// An identifier from its text.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> CallId {
        CallId(text.into())
    }

    /// The text of it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of a turn in its session, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct TurnId(pub u64);

/// One `tool_use` block: the model asks for a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The identifier that the result must carry.
    pub id: CallId,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments, as the model wrote them.
    pub input: RawInput,
}

impl ToolUse {
    /// A tool use from its parts.
    #[must_use]
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<String>, input: impl Into<Arc<str>>) -> ToolUse {
        ToolUse { id: CallId::new(id), name: name.into(), input: RawInput::new(input) }
    }
}

/// All calls of one assistant message, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// The identifier of the message, where it has one.
    pub message: Option<String>,
    /// The calls, in the order the model made them. Their identifiers differ: of two with the same one the first counts.
    pub calls: Vec<ToolUse>,
}

impl Turn {
    /// A turn without a message's identifier.
    #[must_use]
    pub fn new(calls: Vec<ToolUse>) -> Turn {
        Turn { message: None, calls }
    }
}

/// One `tool_result` block: the one answer to a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call that this answers.
    pub tool_use_id: CallId,
    /// What the model reads.
    pub content: Content,
    /// Whether the call failed, was refused, denied or cancelled.
    pub is_error: bool,
}

impl ToolResult {
    /// An error in words.
    #[must_use]
    pub fn error(id: CallId, text: impl Into<String>) -> ToolResult {
        ToolResult { tool_use_id: id, content: Content::Text(text.into()), is_error: true }
    }
}
