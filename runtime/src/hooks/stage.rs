//! The moments at which hooks are called, by their public names, and what is true of each: one table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::Common;
use super::wire::events::*;

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

/// What means something at a moment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// `,`, `-` and a space in a matcher make it a regular expression in every profile.
    NarrowNames,
    /// The moment is about one call of a tool, whose permission rule an `if` may name.
    Condition,
    /// `decision: "block"` at the top of a hook's output.
    Block,
    /// What a hook prints, when it is not JSON, is for the model.
    PlainText,
}

/// What a matcher looks at, of what is told at a moment and of what is told at all of them.
type Matched<'a, T> = fn(&'a T, &'a Common) -> &'a str;

// A row: the moment and what hooks are told at it; what exit code 2 does; what else means something; what a matcher
// chooses by, if there is a choice.
macro_rules! stages {
    ($($(#[$doc:meta])+ $name:ident($input:ty), $exit:ident, [$($takes:ident)*], $matched:expr;)+) => {
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

            /// What exit code 2 does here.
            #[must_use]
            pub fn on_exit_two(self) -> OnExitTwo {
                match self {
                    $(HookStage::$name => OnExitTwo::$exit,)+
                }
            }

            fn takes(self, what: Takes) -> bool {
                let all: &[Takes] = match self {
                    $(HookStage::$name => &[$(Takes::$takes),*],)+
                };
                all.contains(&what)
            }

            /// Whether a matcher chooses among what it is about.
            pub(super) fn takes_matcher(self) -> bool {
                match self {
                    $(HookStage::$name => {
                        let matched: Option<Matched<'_, $input>> = $matched;
                        matched.is_some()
                    })+
                }
            }
        }

        /// What is told at one moment, by its name.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "hook_event_name")]
        pub enum EventInput {
            $($(#[$doc])+ $name($input),)+
        }

        impl EventInput {
            /// The moment it is of.
            #[must_use]
            pub fn stage(&self) -> HookStage {
                match self {
                    $(EventInput::$name(_) => HookStage::$name,)+
                }
            }

            /// What matchers choose by, where there is a choice.
            #[must_use]
            pub fn matched<'a>(&'a self, common: &'a Common) -> Option<&'a str> {
                match self {
                    $(EventInput::$name(told) => {
                        let matched: Option<Matched<'a, $input>> = $matched;
                        matched.map(|matched| matched(told, common))
                    })+
                }
            }
        }
    };
}

stages! {
    /// A session began, or goes on.
    SessionStart(session::SessionStart), TellsPerson, [PlainText], Some(|told, _| &told.source);
    /// The agent is set up.
    Setup(session::Setup), TellsPerson, [], Some(|told, _| &told.trigger);
    /// A person sent a prompt.
    UserPromptSubmit(session::UserPromptSubmit), Blocks, [Block PlainText], None;
    /// A prompt's command was expanded.
    UserPromptExpansion(session::UserPromptExpansion), Blocks, [PlainText], Some(|told, _| &told.command_name);
    /// Before permission.
    PreToolUse(calls::ToolCall), Blocks, [Condition], Some(|told, _| &told.tool_name);
    /// As one of those who may answer a permission question.
    PermissionRequest(calls::ToolQuestion), Ignored, [Condition], Some(|told, _| &told.tool_name);
    /// The classifier denied a call.
    PermissionDenied(calls::ToolRefusal), TellsPerson, [Condition], Some(|told, _| &told.tool_name);
    /// After a body that ended well.
    PostToolUse(calls::ToolSuccess), TellsModel, [Condition Block], Some(|told, _| &told.tool_name);
    /// After a body that failed.
    PostToolUseFailure(calls::ToolFailure), TellsModel, [Condition Block], Some(|told, _| &told.tool_name);
    /// Every call of a turn has its result.
    PostToolBatch(calls::PostToolBatch), Blocks, [Block], None;
    /// The person is told something.
    Notification(session::Notification), TellsPerson, [], Some(|told, _| &told.notification_type);
    /// A message is shown.
    MessageDisplay(session::MessageDisplay), TellsPerson, [], None;
    /// A sub-agent begins.
    SubagentStart(agents::SubagentStart), TellsPerson, [], Some(|_, common| common.agent_type());
    /// A sub-agent wants to end.
    SubagentStop(agents::AgentEnd), Blocks, [Block], Some(|_, common| common.agent_type());
    /// A task was created.
    TaskCreated(agents::Task), Blocks, [], None;
    /// A task was completed.
    TaskCompleted(agents::Task), Blocks, [], None;
    /// The agent wants to end its turn.
    Stop(turns::TurnEnd), Blocks, [Block], None;
    /// The turn ended in a failure.
    StopFailure(turns::StopFailure), TellsPerson, [NarrowNames], Some(|told, _| &told.error);
    /// A teammate has nothing to do.
    TeammateIdle(agents::TeammateIdle), Blocks, [], None;
    /// Instructions were loaded.
    InstructionsLoaded(settings::InstructionsLoaded), TellsPerson, [], Some(|told, _| &told.load_reason);
    /// Settings changed.
    ConfigChange(settings::ConfigChange), Blocks, [Block], Some(|told, _| &told.source);
    /// The working directory changed.
    CwdChanged(places::CwdChanged), TellsPerson, [], None;
    /// A directory was added.
    DirectoryAdded(places::DirectoryAdded), TellsPerson, [], Some(|told, _| &told.how);
    /// A watched file changed.
    FileChanged(places::ChangedFile), TellsPerson, [NarrowNames], Some(|told, _| told.file_name());
    /// A worktree is made.
    WorktreeCreate(places::WorktreeCreate), Blocks, [], None;
    /// A worktree is removed.
    WorktreeRemove(places::WorktreeRemove), TellsPerson, [], None;
    /// Before the conversation is compacted.
    PreCompact(turns::PreCompact), Blocks, [Block], Some(|told, _| &told.trigger);
    /// After the conversation was compacted.
    PostCompact(turns::PostCompact), TellsPerson, [], Some(|told, _| &told.trigger);
    /// A server asks the person.
    Elicitation(elicitation::Elicitation), Blocks, [], Some(|told, _| &told.mcp_server_name);
    /// The person has answered a server.
    ElicitationResult(elicitation::ElicitationResult), Blocks, [], Some(|told, _| &told.mcp_server_name);
    /// The session ends.
    SessionEnd(session::SessionEnd), TellsPerson, [], Some(|told, _| &told.reason);
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
        self.takes(Takes::Condition)
    }

    /// Whether `decision: "block"` at the top of a hook's output means something here.
    #[must_use]
    pub fn takes_block(self) -> bool {
        self.takes(Takes::Block)
    }

    /// Whether what a hook prints, when it is not JSON, is for the model.
    #[must_use]
    pub fn shows_plain_text(self) -> bool {
        self.takes(Takes::PlainText)
    }

    /// Whether `,`, `-` and a space in a matcher make it a regular expression here in every profile.
    pub(super) fn has_narrow_names(self) -> bool {
        self.takes(Takes::NarrowNames)
    }
}

/// Some of the moments, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stages(u64);

const _: () = assert!(HookStage::ALL.len() <= u64::BITS as usize, "each moment has a bit");

impl Stages {
    pub(super) const ALL: Stages = Stages(u64::MAX);

    pub(super) fn of(stages: &[HookStage]) -> Stages {
        Stages(stages.iter().fold(0, |bits, stage| bits | 1 << *stage as u64))
    }

    pub(super) fn has(self, stage: HookStage) -> bool {
        self.0 & 1 << stage as u64 != 0
    }
}
