//! What a session goes by changes: settings and instructions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Instructions were loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionsLoaded {
    /// The file.
    pub file_path: String,
    /// Why.
    #[serde(alias = "reason", default)]
    pub load_reason: String,
}

/// Settings changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigChange {
    /// Which ones.
    #[serde(alias = "scope")]
    pub source: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
}
