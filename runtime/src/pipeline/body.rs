//! The one seam for a body that is not the tool's own: a recording, or a script.
//!
//! Such a body replaces the tool's `validate_input`, its `call` and the mapping of its result, and nothing else:
//! parsing, hooks, permission and scheduling are the real ones, and so are flags and effects.

use std::sync::Arc;

use async_trait::async_trait;

use crate::env::Env;
use crate::message::{Content, ToolUse};

/// What a body ends with.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyResult {
    /// What the model reads.
    pub content: Content,
    /// Whether it failed.
    pub is_error: bool,
}

/// A body that is not the tool's own.
#[async_trait]
pub trait Body: Send + Sync + 'static {
    /// Does the work, in the environment's time.
    async fn run(&self, env: &Env) -> BodyResult;
}

/// What stands in for the body of one call.
#[derive(Clone)]
pub enum Stand {
    /// Nothing: the tool itself runs.
    Tool,
    /// This body runs instead.
    Body(Arc<dyn Body>),
    /// No body runs: the call is refused at its place in line, with this text.
    Refuse(String),
}

/// Says, where a call is parsed and again after each rewrite, what stands in for its body.
pub trait BodySource: Send + Sync + 'static {
    /// What stands in for the body of this call.
    fn stand(&self, call: &ToolUse) -> Stand;
}
