//! Hooks: code of the developer's in this process, and the commands and requests that settings files name. They see
//! every call, and may stop, answer or rewrite it; at other moments they may add to the conversation, or stop the agent.
//!
//! Code in this process that fails, panics or takes too long before a call denies the call: an error while deciding is a
//! no. A command or a request that fails has said nothing, with a notice, unless the session is told otherwise; one that
//! cannot be run at all asks.

mod config;
mod heard;
mod inside;
mod late;
mod layers;
mod matcher;
mod merge;
mod moments;
mod outside;
mod racer;
mod run;
mod stage;
mod transport;
mod watch;
pub mod wire;

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

pub use self::config::{HookAction, HookConfig, HookHandler, HookProblem, HookShell};
pub(crate) use self::inside::{AfterBody, Inside};
pub use self::layers::{HookLayer, HookSwitches};
pub(crate) use self::merge::{PostToolUses, PreToolUses};
pub(crate) use self::moments::{HookParts, Told};
pub use self::outside::HookSession;
pub(crate) use self::outside::{HookAgent, Kept};
pub(crate) use self::run::Hooks;
pub use self::stage::{HookStage, OnExitTwo};
pub use self::transport::{CommandEnd, CommandHook, HookFailure, HookTransport, HttpHook, HttpReply};
use self::wire::{HookInput, HookOutput};
use crate::env::Env;
use crate::message::{CallId, RawInput};
use crate::permission::{Answer, Question};

/// One call, as a hook sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct HookCall {
    /// The call.
    pub call: CallId,
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// The input, conversions made.
    pub input: RawInput,
}

/// What a hook says before a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreToolUse {
    /// Whether the call may go on; nothing abstains.
    pub decision: Option<PreDecision>,
    /// The whole input to run instead; it is checked again.
    pub input: Option<RawInput>,
    /// Something for the model to know, put into the conversation after the results.
    pub context: Option<String>,
    /// Whose decision the hook passes on, where it is not its own; for reports.
    pub source: Option<String>,
}

impl PreToolUse {
    /// Whether it has nothing to say.
    fn is_silent(&self) -> bool {
        let PreToolUse { decision, input, context, source: _ } = self;
        decision.is_none() && input.is_none() && context.is_none()
    }
}

/// A hook's word on whether a call may go on. The reason of an allow or an ask is for the person, that of a denial for
/// the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreDecision {
    /// It may, without a question, unless a rule denies it or a person must be asked.
    Allow(String),
    /// A person must be asked.
    Ask(String),
    /// It may not.
    Deny(String),
}

/// What a hook says after a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostToolUse {
    /// Something for the model to know, put into the conversation after the results.
    pub context: Option<String>,
}

/// A hook's own failure, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookError(pub String);

/// How long a hook may take unless it says otherwise.
pub const TIMEOUT_DEFAULT: Duration = Duration::from_secs(600);

/// A hook in this process. Only the methods of the stages it names are called.
#[async_trait]
pub trait Hook: Send + Sync + 'static {
    /// Its name, for events and messages; asked once, when the session is built.
    fn name(&self) -> &str;

    /// The stages at which it wants to be called; asked once, when the session is built.
    fn stages(&self) -> &[HookStage];

    /// Whether it wants to see the calls of this tool.
    fn matches(&self, tool: &str) -> bool {
        let _ = tool;
        true
    }

    /// How long it may take; asked once, when the session is built.
    fn timeout(&self) -> Duration {
        TIMEOUT_DEFAULT
    }

    /// Before permission.
    ///
    /// # Errors
    /// The call is denied.
    async fn pre_tool_use(&self, call: &HookCall) -> Result<PreToolUse, HookError> {
        let _ = call;
        Ok(PreToolUse::default())
    }

    /// As one of those who may answer a permission question; nothing abstains.
    ///
    /// # Errors
    /// The answer is no.
    async fn permission_request(&self, question: &Question) -> Result<Option<Answer>, HookError> {
        let _ = question;
        Ok(None)
    }

    /// After a body that ended well.
    ///
    /// # Errors
    /// The result stays as it is; the failure is an event.
    async fn post_tool_use(&self, call: &HookCall, output: &Value) -> Result<PostToolUse, HookError> {
        let _ = (call, output);
        Ok(PostToolUse::default())
    }

    /// After a body that failed.
    ///
    /// # Errors
    /// The result stays as it is; the failure is an event.
    async fn post_tool_use_failure(&self, call: &HookCall, error: &str) -> Result<PostToolUse, HookError> {
        let _ = (call, error);
        Ok(PostToolUse::default())
    }

    /// At any moment that has no method of its own: a prompt, a start or an end, a batch, a notification.
    ///
    /// # Errors
    /// A prompt, and a compaction, do not happen; elsewhere the failure is an event.
    async fn on(&self, input: &HookInput) -> Result<HookOutput, HookError> {
        let _ = input;
        Ok(HookOutput::default())
    }

    /// As a hook outside this process, in the race for a permission question.
    #[doc(hidden)]
    async fn race(&self, env: &Env, question: &Question) -> Option<Result<Option<Answer>, HookError>> {
        let _ = (env, question);
        None
    }
}
