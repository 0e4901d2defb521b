//! Servers ask the person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A server asks the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Elicitation {
    /// The server.
    #[serde(alias = "server_name", alias = "server")]
    pub mcp_server_name: String,
    /// What it asks.
    #[serde(default)]
    pub message: String,
}

/// The person has answered a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ElicitationResult {
    /// The server.
    #[serde(alias = "server_name", alias = "server")]
    pub mcp_server_name: String,
    /// What they answered.
    #[serde(alias = "response", default)]
    pub action: Value,
}
