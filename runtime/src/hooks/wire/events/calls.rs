//! Calls of tools, one by one and a turn together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hooks::wire::PermissionUpdate;

/// A call that is about to be judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Value,
    /// The call.
    #[serde(default)]
    pub tool_use_id: String,
}

/// A permission question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolQuestion {
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Value,
    /// What a person could say once and for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
}

/// A call that the classifier denied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRefusal {
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Value,
    /// The call.
    #[serde(default)]
    pub tool_use_id: String,
    /// Why.
    #[serde(alias = "denial_reason")]
    pub reason: String,
}

/// A call whose body ended well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolSuccess {
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Value,
    /// What it gave.
    #[serde(alias = "tool_output", default)]
    pub tool_response: Value,
    /// The call.
    #[serde(default)]
    pub tool_use_id: String,
    /// How long the body took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// A call whose body failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolFailure {
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Value,
    /// The call.
    #[serde(default)]
    pub tool_use_id: String,
    /// What went wrong.
    #[serde(alias = "error_message")]
    pub error: String,
    /// Whether it was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_interrupt: Option<bool>,
    /// How long the body took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// Every call of a turn has its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostToolBatch {
    /// The calls, in their order.
    pub tool_calls: Vec<BatchCall>,
}

/// One call of a turn that is through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BatchCall {
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub tool_input: Value,
    /// The call.
    pub tool_use_id: String,
    /// The result as the model reads it.
    pub tool_response: Value,
}
