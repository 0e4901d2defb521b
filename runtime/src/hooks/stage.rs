//! The moments at which hooks are called, by their public names, and what is true of each: one table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// A matcher chooses among what the moment is about.
    Matcher,
    /// `,`, `-` and a space in a matcher make it a regular expression in every profile.
    NarrowNames,
    /// The moment is about one call of a tool, whose permission rule an `if` may name.
    Condition,
    /// `decision: "block"` at the top of a hook's output.
    Block,
    /// What a hook prints, when it is not JSON, is for the model.
    PlainText,
}

macro_rules! stages {
    ($($(#[$doc:meta])+ $name:ident, $exit:ident, [$($takes:ident)*];)+) => {
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
        }
    };
}

stages! {
    /// A session began, or goes on.
    SessionStart, TellsPerson, [Matcher PlainText];
    /// The agent is set up.
    Setup, TellsPerson, [Matcher];
    /// A person sent a prompt.
    UserPromptSubmit, Blocks, [Block PlainText];
    /// A prompt's command was expanded.
    UserPromptExpansion, Blocks, [Matcher PlainText];
    /// Before permission.
    PreToolUse, Blocks, [Matcher Condition];
    /// As one of those who may answer a permission question.
    PermissionRequest, Ignored, [Matcher Condition];
    /// The classifier denied a call.
    PermissionDenied, TellsPerson, [Matcher Condition];
    /// After a body that ended well.
    PostToolUse, TellsModel, [Matcher Condition Block];
    /// After a body that failed.
    PostToolUseFailure, TellsModel, [Matcher Condition Block];
    /// Every call of a turn has its result.
    PostToolBatch, Blocks, [Block];
    /// The person is told something.
    Notification, TellsPerson, [Matcher];
    /// A message is shown.
    MessageDisplay, TellsPerson, [];
    /// A sub-agent begins.
    SubagentStart, TellsPerson, [Matcher];
    /// A sub-agent wants to end.
    SubagentStop, Blocks, [Matcher Block];
    /// A task was created.
    TaskCreated, Blocks, [];
    /// A task was completed.
    TaskCompleted, Blocks, [];
    /// The agent wants to end its turn.
    Stop, Blocks, [Block];
    /// The turn ended in a failure.
    StopFailure, TellsPerson, [Matcher NarrowNames];
    /// A teammate has nothing to do.
    TeammateIdle, Blocks, [];
    /// Instructions were loaded.
    InstructionsLoaded, TellsPerson, [Matcher];
    /// Settings changed.
    ConfigChange, Blocks, [Matcher Block];
    /// The working directory changed.
    CwdChanged, TellsPerson, [];
    /// A directory was added.
    DirectoryAdded, TellsPerson, [Matcher];
    /// A watched file changed.
    FileChanged, TellsPerson, [Matcher NarrowNames];
    /// A worktree is made.
    WorktreeCreate, Blocks, [];
    /// A worktree is removed.
    WorktreeRemove, TellsPerson, [];
    /// Before the conversation is compacted.
    PreCompact, Blocks, [Matcher Block];
    /// After the conversation was compacted.
    PostCompact, TellsPerson, [Matcher];
    /// A server asks the person.
    Elicitation, Blocks, [Matcher];
    /// The person has answered a server.
    ElicitationResult, Blocks, [Matcher];
    /// The session ends.
    SessionEnd, TellsPerson, [Matcher];
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

    /// Whether a matcher chooses among what it is about.
    pub(super) fn takes_matcher(self) -> bool {
        self.takes(Takes::Matcher)
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
