//! The agent ends its turn, and the conversation is compacted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The agent wants to end its turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TurnEnd {
    /// Whether a hook has kept it from ending already.
    pub stop_hook_active: bool,
    /// What it said last.
    #[serde(alias = "assistant_message")]
    pub last_assistant_message: String,
    /// Tasks that still run.
    pub background_tasks: Vec<Value>,
    /// Timers of the session.
    pub session_crons: Vec<Value>,
}

/// The turn ended in a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StopFailure {
    /// Its kind.
    #[serde(alias = "error_type")]
    pub error: String,
    /// What happened.
    #[serde(alias = "error_message", default, skip_serializing_if = "Option::is_none")]
    pub error_details: Option<String>,
}

/// Before the conversation is compacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PreCompact {
    /// `manual` or `auto`.
    pub trigger: String,
    /// What the person asks of it.
    #[serde(default)]
    pub custom_instructions: String,
}

/// After the conversation was compacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostCompact {
    /// `manual` or `auto`.
    pub trigger: String,
}
