//! What a hook is given: on its standard input, or as the body of a request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PermissionUpdate;
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

/// One event, by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "hook_event_name")]
pub enum EventInput {
    /// A session began, or goes on.
    SessionStart {
        /// `startup`, `resume`, `clear`, `compact` or `fork`.
        source: String,
        /// The model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The agent is set up.
    Setup {
        /// `init` or `maintenance`.
        #[serde(alias = "mode")]
        trigger: String,
    },
    /// A person sent a prompt.
    UserPromptSubmit {
        /// What they wrote.
        #[serde(alias = "prompt_text")]
        prompt: String,
    },
    /// A prompt's command was expanded.
    UserPromptExpansion {
        /// The command.
        #[serde(alias = "command")]
        command_name: String,
        /// What it became.
        #[serde(default)]
        prompt: String,
    },
    /// Before permission.
    PreToolUse(ToolCall),
    /// A permission question.
    PermissionRequest(ToolQuestion),
    /// The classifier denied a call.
    PermissionDenied(ToolRefusal),
    /// A body ended well.
    PostToolUse(ToolSuccess),
    /// A body failed.
    PostToolUseFailure(ToolFailure),
    /// Every call of a turn has its result.
    PostToolBatch {
        /// The calls, in their order.
        tool_calls: Vec<BatchCall>,
    },
    /// The person is told something.
    Notification {
        /// What they are told.
        message: String,
        /// Its title.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// Its kind, such as `permission_prompt` or `idle_prompt`.
        #[serde(default)]
        notification_type: String,
    },
    /// A message is shown.
    MessageDisplay {
        /// Its text.
        #[serde(alias = "message_text")]
        message: String,
    },
    /// A sub-agent begins.
    SubagentStart {
        /// What it is to do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task_description: Option<String>,
    },
    /// A sub-agent wants to end.
    SubagentStop(AgentEnd),
    /// A task was created.
    TaskCreated {
        /// The task.
        task_id: String,
        /// What it is about.
        #[serde(alias = "subject", default)]
        task_subject: String,
    },
    /// A task was completed.
    TaskCompleted {
        /// The task.
        task_id: String,
        /// What it is about.
        #[serde(alias = "subject", default)]
        task_subject: String,
    },
    /// The agent wants to end its turn.
    Stop(TurnEnd),
    /// The turn ended in a failure.
    StopFailure {
        /// Its kind.
        #[serde(alias = "error_type")]
        error: String,
        /// What happened.
        #[serde(alias = "error_message", default, skip_serializing_if = "Option::is_none")]
        error_details: Option<String>,
    },
    /// A teammate has nothing to do.
    TeammateIdle {
        /// Its name.
        #[serde(default)]
        teammate_name: String,
    },
    /// Instructions were loaded.
    InstructionsLoaded {
        /// The file.
        file_path: String,
        /// Why.
        #[serde(alias = "reason", default)]
        load_reason: String,
    },
    /// Settings changed.
    ConfigChange {
        /// Which ones.
        #[serde(alias = "scope")]
        source: String,
        /// The file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file_path: Option<String>,
    },
    /// The working directory changed.
    CwdChanged {
        /// What it was.
        #[serde(default)]
        old_cwd: String,
        /// What it is.
        #[serde(default)]
        new_cwd: String,
    },
    /// A directory was added.
    DirectoryAdded {
        /// The directory.
        #[serde(default)]
        directory: String,
        /// How it came about.
        #[serde(default)]
        how: String,
    },
    /// A watched file changed.
    FileChanged(ChangedFile),
    /// A worktree is made.
    WorktreeCreate {
        /// Its name.
        #[serde(alias = "branch", default)]
        name: String,
    },
    /// A worktree is removed.
    WorktreeRemove {
        /// Where it is.
        worktree_path: String,
    },
    /// Before the conversation is compacted.
    PreCompact {
        /// `manual` or `auto`.
        trigger: String,
        /// What the person asks of it.
        #[serde(default)]
        custom_instructions: String,
    },
    /// After the conversation was compacted.
    PostCompact {
        /// `manual` or `auto`.
        trigger: String,
    },
    /// A server asks the person.
    Elicitation {
        /// The server.
        #[serde(alias = "server_name", alias = "server")]
        mcp_server_name: String,
        /// What it asks.
        #[serde(default)]
        message: String,
    },
    /// The person has answered a server.
    ElicitationResult {
        /// The server.
        #[serde(alias = "server_name", alias = "server")]
        mcp_server_name: String,
        /// What they answered.
        #[serde(alias = "response", default)]
        action: Value,
    },
    /// The session ends.
    SessionEnd {
        /// Why: `clear`, `logout`, `prompt_input_exit` or `other`.
        reason: String,
    },
}

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

/// A watched file changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedFile {
    /// The file.
    pub file_path: String,
    /// How: `added`, `modified` or `removed`.
    #[serde(alias = "change_type", default)]
    pub event: String,
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

impl EventInput {
    /// The moment it is of.
    #[must_use]
    pub fn stage(&self) -> HookStage {
        match self {
            EventInput::SessionStart { .. } => HookStage::SessionStart,
            EventInput::Setup { .. } => HookStage::Setup,
            EventInput::UserPromptSubmit { .. } => HookStage::UserPromptSubmit,
            EventInput::UserPromptExpansion { .. } => HookStage::UserPromptExpansion,
            EventInput::PreToolUse(_) => HookStage::PreToolUse,
            EventInput::PermissionRequest(_) => HookStage::PermissionRequest,
            EventInput::PermissionDenied(_) => HookStage::PermissionDenied,
            EventInput::PostToolUse(_) => HookStage::PostToolUse,
            EventInput::PostToolUseFailure(_) => HookStage::PostToolUseFailure,
            EventInput::PostToolBatch { .. } => HookStage::PostToolBatch,
            EventInput::Notification { .. } => HookStage::Notification,
            EventInput::MessageDisplay { .. } => HookStage::MessageDisplay,
            EventInput::SubagentStart { .. } => HookStage::SubagentStart,
            EventInput::SubagentStop(_) => HookStage::SubagentStop,
            EventInput::TaskCreated { .. } => HookStage::TaskCreated,
            EventInput::TaskCompleted { .. } => HookStage::TaskCompleted,
            EventInput::Stop(_) => HookStage::Stop,
            EventInput::StopFailure { .. } => HookStage::StopFailure,
            EventInput::TeammateIdle { .. } => HookStage::TeammateIdle,
            EventInput::InstructionsLoaded { .. } => HookStage::InstructionsLoaded,
            EventInput::ConfigChange { .. } => HookStage::ConfigChange,
            EventInput::CwdChanged { .. } => HookStage::CwdChanged,
            EventInput::DirectoryAdded { .. } => HookStage::DirectoryAdded,
            EventInput::FileChanged(_) => HookStage::FileChanged,
            EventInput::WorktreeCreate { .. } => HookStage::WorktreeCreate,
            EventInput::WorktreeRemove { .. } => HookStage::WorktreeRemove,
            EventInput::PreCompact { .. } => HookStage::PreCompact,
            EventInput::PostCompact { .. } => HookStage::PostCompact,
            EventInput::Elicitation { .. } => HookStage::Elicitation,
            EventInput::ElicitationResult { .. } => HookStage::ElicitationResult,
            EventInput::SessionEnd { .. } => HookStage::SessionEnd,
        }
    }

    /// What matchers look at, where the event has something that they may choose by.
    #[must_use]
    pub fn matched<'a>(&'a self, common: &'a Common) -> &'a str {
        match self {
            EventInput::PreToolUse(ToolCall { tool_name, .. })
            | EventInput::PermissionRequest(ToolQuestion { tool_name, .. })
            | EventInput::PermissionDenied(ToolRefusal { tool_name, .. })
            | EventInput::PostToolUse(ToolSuccess { tool_name, .. })
            | EventInput::PostToolUseFailure(ToolFailure { tool_name, .. }) => tool_name,
            EventInput::SessionStart { source, .. } | EventInput::ConfigChange { source, .. } => source,
            EventInput::Setup { trigger }
            | EventInput::PreCompact { trigger, .. }
            | EventInput::PostCompact { trigger } => trigger,
            EventInput::SessionEnd { reason } => reason,
            EventInput::Notification { notification_type, .. } => notification_type,
            EventInput::SubagentStart { .. } | EventInput::SubagentStop(_) => {
                common.agent_type.as_deref().unwrap_or_default()
            }
            EventInput::UserPromptExpansion { command_name, .. } => command_name,
            EventInput::Elicitation { mcp_server_name, .. }
            | EventInput::ElicitationResult { mcp_server_name, .. } => mcp_server_name,
            EventInput::InstructionsLoaded { load_reason, .. } => load_reason,
            EventInput::DirectoryAdded { how, .. } => how,
            EventInput::StopFailure { error, .. } => error,
            EventInput::FileChanged(ChangedFile { file_path, .. }) => {
                file_path.rsplit('/').next().unwrap_or_default()
            }
            EventInput::UserPromptSubmit { .. }
            | EventInput::PostToolBatch { .. }
            | EventInput::Stop(_)
            | EventInput::TeammateIdle { .. }
            | EventInput::TaskCreated { .. }
            | EventInput::TaskCompleted { .. }
            | EventInput::WorktreeCreate { .. }
            | EventInput::WorktreeRemove { .. }
            | EventInput::MessageDisplay { .. }
            | EventInput::CwdChanged { .. } => "",
        }
    }
}
