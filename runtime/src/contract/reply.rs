//! What a tool gives back: data, and what else should happen.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::Context;
use crate::message::Message;

/// A change to the context of later calls. It is honoured only for calls that ran alone.
pub struct ContextChange(Box<dyn FnOnce(&mut Context) + Send>);

impl ContextChange {
    /// A change from a function of the context.
    #[must_use]
    pub fn new(change: impl FnOnce(&mut Context) + Send + 'static) -> ContextChange {
        ContextChange(Box::new(change))
    }

    pub(crate) fn apply(self, context: &mut Context) {
        (self.0)(context);
    }
}

impl fmt::Debug for ContextChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContextChange")
    }
}

/// A tool's reply: its data, and what else should happen.
#[derive(Debug)]
pub struct Reply<T> {
    /// The data: what hooks see as JSON, and what becomes the result.
    pub data: T,
    /// Messages to put into the conversation after the results of this turn.
    pub new_messages: Vec<Message>,
    /// A change to the context of later calls; honoured only for calls that ran alone.
    pub context_change: Option<ContextChange>,
    /// Metadata of an MCP server, passed on as it came.
    pub mcp_meta: Option<Value>,
}

impl<T> Reply<T> {
    /// A reply of data alone.
    #[must_use]
    pub fn new(data: T) -> Reply<T> {
        Reply { data, new_messages: Vec::new(), context_change: None, mcp_meta: None }
    }

    /// The same reply, with a change to the context of later calls.
    #[must_use]
    pub fn with_context_change(mut self, change: impl FnOnce(&mut Context) + Send + 'static) -> Reply<T> {
        self.context_change = Some(ContextChange::new(change));
        self
    }

    /// The same reply, with a message to put into the conversation.
    #[must_use]
    pub fn with_message(mut self, message: Message) -> Reply<T> {
        self.new_messages.push(message);
        self
    }
}

/// What a tool's `call` may return: plain serialisable data, or a [`Reply`] around it.
#[diagnostic::on_unimplemented(
    message = "a model cannot be told a `{Self}`",
    note = "derive `serde::Serialize` for it (with `serde` among the dependencies), or give back `Reply<…>`"
)]
pub trait IntoReply: Send + 'static {
    /// The data itself.
    type Data: Serialize + Send + Sync + 'static;

    /// The reply.
    fn into_reply(self) -> Reply<Self::Data>;
}

impl<T: Serialize + Send + Sync + 'static> IntoReply for T {
    type Data = T;

    fn into_reply(self) -> Reply<T> {
        Reply::new(self)
    }
}

impl<T: Serialize + Send + Sync + 'static> IntoReply for Reply<T> {
    type Data = T;

    fn into_reply(self) -> Reply<T> {
        self
    }
}
