//! Sub-agents, teammates and tasks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::turns::TurnEnd;

/// A sub-agent begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubagentStart {
    /// What it is to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_description: Option<String>,
}

/// A sub-agent wants to end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentEnd {
    /// As of a turn.
    #[serde(flatten)]
    pub end: TurnEnd,
    /// Where the sub-agent's transcript is.
    #[serde(default)]
    pub agent_transcript_path: String,
}

/// A teammate has nothing to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeammateIdle {
    /// Its name.
    #[serde(default)]
    pub teammate_name: String,
}

/// A task, which was created or completed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// The task.
    pub task_id: String,
    /// What it is about.
    #[serde(alias = "subject", default)]
    pub task_subject: String,
}
