//! What a hook is given: on its standard input, or as the body of a request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::EventInput;
use crate::hooks::HookStage;
use crate::permission::Mode;

/// What a hook is given at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HookInput {
    /// What every event has.
    #[serde(flatten)]
    pub common: Common,
    /// The event.
    #[serde(flatten)]
    pub event: EventInput,
}

/// An input as it was read: of a known event, or of one that is not known here.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadInput {
    /// An event that is known.
    Known(Box<HookInput>),
    /// Another one, with all its fields.
    Unknown {
        /// Its name.
        event: String,
        /// Its fields.
        fields: Map<String, Value>,
    },
}

/// What every event has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Common {
    /// The session.
    pub session_id: String,
    /// The prompt that led here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    /// Where the session's transcript is.
    pub transcript_path: String,
    /// The working directory.
    pub cwd: String,
    /// The permission mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// How hard the model thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The agent, where it is a sub-agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
}

/// How hard the model thinks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Effort {
    /// In a word.
    pub level: String,
}

impl HookInput {
    /// Reads an input, also one of an event that is not known here.
    ///
    /// # Errors
    /// When it is no object, names no event, or a known event lacks what belongs to it.
    pub fn read(text: &str) -> Result<ReadInput, serde_json::Error> {
        let fields: Map<String, Value> = serde_json::from_str(text)?;
        let event = fields.get("hook_event_name").and_then(Value::as_str).map(str::to_owned);
        match event {
            Some(event) if HookStage::named(&event).is_none() => Ok(ReadInput::Unknown { event, fields }),
            _known => serde_json::from_value(Value::Object(fields)).map(ReadInput::Known),
        }
    }
}

impl Common {
    /// The agent's type; nothing outside of sub-agents.
    pub(in crate::hooks) fn agent_type(&self) -> &str {
        self.agent_type.as_deref().unwrap_or_default()
    }

    /// The mode by its public name; a sub-agent that passes its questions up has none of its own.
    #[must_use]
    pub fn mode(mode: Mode) -> String {
        match mode {
            Mode::Bubble => Mode::Default.to_string(),
            Mode::Default
            | Mode::Plan
            | Mode::AcceptEdits
            | Mode::BypassPermissions
            | Mode::DontAsk
            | Mode::Auto => mode.to_string(),
        }
    }
}
