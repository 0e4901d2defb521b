//! The moments at which hooks are called, by their public names, and what is true of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! stages {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// A moment at which hooks are called.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        pub enum HookStage {
            $($(#[$doc])+ $name,)+
        }

        impl HookStage {
            /// Every moment that settings may name, in their public order.
            pub const ALL: &[HookStage] = &[$(HookStage::$name,)+];

            /// Its name in settings and on the wire.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(HookStage::$name => stringify!($name),)+
                }
            }
        }
    };
}

stages! {
    /// A session began, or goes on.
    SessionStart,
    /// The agent is set up.
    Setup,
    /// A person sent a prompt.
    UserPromptSubmit,
    /// A prompt's command was expanded.
    UserPromptExpansion,
    /// Before permission.
    PreToolUse,
    /// As one of those who may answer a permission question.
    PermissionRequest,
    /// The classifier denied a call.
    PermissionDenied,
    /// After a body that ended well.
    PostToolUse,
    /// After a body that failed.
    PostToolUseFailure,
    /// Every call of a turn has its result.
    PostToolBatch,
    /// The person is told something.
    Notification,
    /// A message is shown.
    MessageDisplay,
    /// A sub-agent begins.
    SubagentStart,
    /// A sub-agent wants to end.
    SubagentStop,
    /// A task was created.
    TaskCreated,
    /// A task was completed.
    TaskCompleted,
    /// The agent wants to end its turn.
    Stop,
    /// The turn ended in a failure.
    StopFailure,
    /// A teammate has nothing to do.
    TeammateIdle,
    /// Instructions were loaded.
    InstructionsLoaded,
    /// Settings changed.
    ConfigChange,
    /// The working directory changed.
    CwdChanged,
    /// A directory was added.
    DirectoryAdded,
    /// A watched file changed.
    FileChanged,
    /// A worktree is made.
    WorktreeCreate,
    /// A worktree is removed.
    WorktreeRemove,
    /// Before the conversation is compacted.
    PreCompact,
    /// After the conversation was compacted.
    PostCompact,
    /// A server asks the person.
    Elicitation,
    /// The person has answered a server.
    ElicitationResult,
    /// The session ends.
    SessionEnd,
}

/// What a hook's exit code 2 does at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnExitTwo {
    /// It blocks what was to happen.
    Blocks,
    /// What the hook wrote to its error output is told to the model.
    TellsModel,
    /// What the hook wrote to its error output is shown to the person.
    TellsPerson,
    /// Nothing.
    Ignored,
}

impl HookStage {
    /// The moment of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<HookStage> {
        HookStage::ALL.iter().copied().find(|stage| stage.name() == name)
    }

    /// Whether it is about one call of a tool, whose permission rule an `if` may name.
    #[must_use]
    pub fn takes_condition(self) -> bool {
        matches!(
            self,
            HookStage::PreToolUse
                | HookStage::PostToolUse
                | HookStage::PostToolUseFailure
                | HookStage::PermissionRequest
                | HookStage::PermissionDenied
        )
    }

    /// What exit code 2 does here.
    #[must_use]
    pub fn on_exit_two(self) -> OnExitTwo {
        match self {
            HookStage::PreToolUse
            | HookStage::UserPromptSubmit
            | HookStage::UserPromptExpansion
            | HookStage::Stop
            | HookStage::SubagentStop
            | HookStage::TeammateIdle
            | HookStage::TaskCreated
            | HookStage::TaskCompleted
            | HookStage::ConfigChange
            | HookStage::PostToolBatch
            | HookStage::PreCompact
            | HookStage::Elicitation
            | HookStage::ElicitationResult
            | HookStage::WorktreeCreate => OnExitTwo::Blocks,
            HookStage::PostToolUse | HookStage::PostToolUseFailure => OnExitTwo::TellsModel,
            HookStage::PermissionRequest => OnExitTwo::Ignored,
            HookStage::SessionStart
            | HookStage::Setup
            | HookStage::PermissionDenied
            | HookStage::Notification
            | HookStage::MessageDisplay
            | HookStage::SubagentStart
            | HookStage::StopFailure
            | HookStage::InstructionsLoaded
            | HookStage::CwdChanged
            | HookStage::DirectoryAdded
            | HookStage::FileChanged
            | HookStage::WorktreeRemove
            | HookStage::PostCompact
            | HookStage::SessionEnd => OnExitTwo::TellsPerson,
        }
    }

    /// Whether `decision: "block"` at the top of a hook's output means something here.
    #[must_use]
    pub fn takes_block(self) -> bool {
        matches!(
            self,
            HookStage::UserPromptSubmit
                | HookStage::PostToolUse
                | HookStage::PostToolUseFailure
                | HookStage::PostToolBatch
                | HookStage::Stop
                | HookStage::SubagentStop
                | HookStage::ConfigChange
                | HookStage::PreCompact
        )
    }

    /// Whether what a hook prints, when it is not JSON, is for the model.
    #[must_use]
    pub fn shows_plain_text(self) -> bool {
        matches!(self, HookStage::SessionStart | HookStage::UserPromptSubmit | HookStage::UserPromptExpansion)
    }

    /// Whether a matcher chooses among what it is about.
    pub(super) fn takes_matcher(self) -> bool {
        !matches!(
            self,
            HookStage::UserPromptSubmit
                | HookStage::PostToolBatch
                | HookStage::Stop
                | HookStage::TeammateIdle
                | HookStage::TaskCreated
                | HookStage::TaskCompleted
                | HookStage::WorktreeCreate
                | HookStage::WorktreeRemove
                | HookStage::MessageDisplay
                | HookStage::CwdChanged
        )
    }

    /// Whether `,`, `-` and a space in a matcher make it a regular expression here in every profile.
    pub(super) fn has_narrow_names(self) -> bool {
        matches!(self, HookStage::FileChanged | HookStage::StopFailure)
    }
}
