//! The session begins and ends, and what a person and it say to each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A session began, or goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStart {
    /// `startup`, `resume`, `clear`, `compact` or `fork`.
    pub source: String,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The agent is set up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Setup {
    /// `init` or `maintenance`.
    #[serde(alias = "mode")]
    pub trigger: String,
}

/// The session ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionEnd {
    /// Why: `clear`, `logout`, `prompt_input_exit` or `other`.
    pub reason: String,
}

/// A person sent a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserPromptSubmit {
    /// What they wrote.
    #[serde(alias = "prompt_text")]
    pub prompt: String,
}

/// A prompt's command was expanded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserPromptExpansion {
    /// The command.
    #[serde(alias = "command")]
    pub command_name: String,
    /// What it became.
    #[serde(default)]
    pub prompt: String,
}

/// The person is told something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Notification {
    /// What they are told.
    pub message: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its kind, such as `permission_prompt` or `idle_prompt`.
    #[serde(default)]
    pub notification_type: String,
}

/// A message is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageDisplay {
    /// Its text.
    #[serde(alias = "message_text")]
    pub message: String,
}
