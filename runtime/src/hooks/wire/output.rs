//! What a hook may print, or answer to a request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PermissionUpdate;
use crate::hooks::HookStage;

/// What a hook says. Everything may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookOutput {
    /// Whether the agent may go on at all; `false` beats every other word.
    #[serde(rename = "continue", default, skip_serializing_if = "Option::is_none")]
    pub go_on: Option<bool>,
    /// Why it may not, for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Whether what it printed is kept out of the transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppress_output: Option<bool>,
    /// Something for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
    /// Something for the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal_sequence: Option<String>,
    /// Blocks what was to happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<TopDecision>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What only this event takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_specific_output: Option<Specific>,
}

/// The word at the top. `approve` is an old form of an allow, before a call only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TopDecision {
    /// It may happen.
    Approve,
    /// It may not.
    Block,
}

macro_rules! specific {
    ($($(#[$doc:meta])+ $name:ident($output:ty);)+) => {
        /// What only one event takes; its name must be that of the event.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "hookEventName")]
        pub enum Specific {
            $($(#[$doc])+ $name($output),)+
        }

        impl Specific {
            /// The event it is of.
            #[must_use]
            pub fn stage(&self) -> HookStage {
                match self {
                    $(Specific::$name(_) => HookStage::$name,)+
                }
            }

            fn said(&self) -> &dyn Said {
                match self {
                    $(Specific::$name(said) => said,)+
                }
            }
        }
    };
}

specific! {
    /// Before permission.
    PreToolUse(PreToolUseOutput);
    /// To a permission question.
    PermissionRequest(PermissionRequestOutput);
    /// After a denial of the classifier.
    PermissionDenied(PermissionDeniedOutput);
    /// After a body that ended well.
    PostToolUse(PostToolUseOutput);
    /// After a body that failed.
    PostToolUseFailure(Words);
    /// After a turn's calls.
    PostToolBatch(Words);
    /// To a prompt.
    UserPromptSubmit(Words);
    /// To an expanded prompt.
    UserPromptExpansion(Words);
    /// When a session begins.
    SessionStart(Words);
    /// When the agent is set up.
    Setup(Words);
    /// When a sub-agent begins.
    SubagentStart(Words);
    /// When a sub-agent wants to end.
    SubagentStop(Words);
    /// When the agent wants to end its turn.
    Stop(Words);
    /// To a notification.
    Notification(Words);
    /// Before compaction.
    PreCompact(Words);
}

/// What is asked of every answer.
trait Said {
    /// What the model is to know.
    fn context(&self) -> Option<&str> {
        self.words()?.additional_context.as_deref()
    }

    /// The answer, where it is what most events take.
    fn words(&self) -> Option<&Words> {
        None
    }
}

impl Said for PreToolUseOutput {
    fn context(&self) -> Option<&str> {
        self.additional_context.as_deref()
    }
}

impl Said for PermissionRequestOutput {}

impl Said for PermissionDeniedOutput {}

impl Said for PostToolUseOutput {
    fn context(&self) -> Option<&str> {
        self.additional_context.as_deref()
    }
}

impl Said for Words {
    fn words(&self) -> Option<&Words> {
        Some(self)
    }
}

/// Before permission.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PreToolUseOutput {
    /// Whether the call may go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_decision: Option<PermissionWord>,
    /// Why: for the person, or, with a denial, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_decision_reason: Option<String>,
    /// The whole input to run instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Map<String, Value>>,
    /// Something for the model to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
}

/// Whether a call may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PermissionWord {
    /// Without a question.
    Allow,
    /// Not at all.
    Deny,
    /// When a person says so.
    Ask,
    /// Later, by another process.
    Defer,
}

/// To a permission question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionRequestOutput {
    /// The answer; nothing abstains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<RequestWord>,
}

/// The answer to a permission question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "behavior", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum RequestWord {
    /// It may run.
    Allow {
        /// The whole input to run instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        updated_input: Option<Map<String, Value>>,
        /// What else is to change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        updated_permissions: Option<Vec<PermissionUpdate>>,
    },
    /// It may not.
    Deny {
        /// Why, for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// Whether the agent is to stop.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interrupt: Option<bool>,
    },
}

/// After a denial of the classifier.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PermissionDeniedOutput {
    /// Whether the model is told that it may try again.
    pub retry: bool,
}

/// After a body that ended well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PostToolUseOutput {
    /// Something for the model to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
    /// The output to show instead; it must be as the tool's output is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_tool_output: Option<Value>,
    /// The same, of a remote tool.
    #[serde(rename = "updatedMCPToolOutput", skip_serializing_if = "Option::is_none")]
    pub updated_mcp_tool_output: Option<Value>,
    /// Something for the classifier to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier_context: Option<String>,
}

/// Something for the model, and what starts may bring.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Words {
    /// Something for the model to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
    /// What the session begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_user_message: Option<String>,
    /// Files to watch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch_paths: Option<Vec<String>>,
    /// The session's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// Whether skills are to be read anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_skills: Option<bool>,
}

impl HookOutput {
    /// What it says that nothing here heeds, by the names of its fields: the hook's author is told so.
    pub(crate) fn unheeded(&self) -> Vec<&'static str> {
        let words = self.hook_specific_output.as_ref().and_then(Specific::words);
        let fields = [
            ("terminalSequence", self.terminal_sequence.is_some()),
            ("watchPaths", words.is_some_and(|words| words.watch_paths.is_some())),
            ("sessionTitle", words.is_some_and(|words| words.session_title.is_some())),
            ("reloadSkills", words.is_some_and(|words| words.reload_skills.is_some())),
        ];
        fields.into_iter().filter_map(|(name, is_said)| is_said.then_some(name)).collect()
    }
}

impl Specific {
    /// What the model is to know.
    #[must_use]
    pub fn context(&self) -> Option<&str> {
        self.said().context()
    }

    /// What most events take.
    fn words(&self) -> Option<&Words> {
        self.said().words()
    }
}
