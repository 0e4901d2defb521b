//! Whether a call may run: rules, modes, the killswitch, and the race of those who may answer a question.
//!
//! The gate sees the [effects](crate::contract::Effects) of a call and knows no tool. [`judge`](judge()) is one pure
//! function in the order of decision; what it leaves open goes to a race in which the first answer
//! claims the question once. Only this room makes a [`Permit`].
//!
//! The order of decision, and where each line is; the first line that settles it wins:
//!
//! | # | question | where |
//! |---|---|---|
//! | 1 | is the tool in the pool? | `registry/pool.rs`, by [`RuleSet::denies_wholly`] |
//! | 2 | does the input parse and validate? | `pipeline/parsed.rs`, `pipeline/valid.rs` |
//! | 3 | PreToolUse hooks | `pipeline/hooked.rs`; kept as [`HookSays`] |
//! | 4 | killswitch | `killswitch.rs`, in `Gate::stopped` |
//! | 5 | rules over the effects, the strictest wins | `RuleSet::answer` and `named.rs`, in `Gate::stopped` |
//! | 6 | the tool's own word | [`Opinion`](crate::contract::Opinion), in `Gate::stopped` |
//! | 7 | a rule or a hook asks, or a person is needed | `Gate::asked` |
//! | 8 | a hook allows | `Gate::allowed_by_hook` |
//! | 9 | protected path | `protected.rs`, in `Gate::protected_path` |
//! | 10 | mode | `Gate::by_mode` |
//! | 11 | a rule allows | `Gate::allowed` |
//! | 12 | harmless, or the tool is open by default | `Gate::settled`, `Gate::touches_only_own_state` |
//! | 13 | the rest | `Gate::rest`, then [`candidates`](candidates()), then `race.rs` |
//!
//! The killswitch refuses at line 4, but asks only once lines 5 and 6 deny nothing: a person's yes to it must not lift
//! a denial. Whatever is doubtful here closes: an error while deciding denies, and what is not understood asks.
#![doc = include_str!("decisions.md")]

mod approve;
mod broad;
mod bubble;
mod candidates;
mod claim;
pub mod classifier;
mod compiled;
mod condition;
mod explain;
mod files;
mod git;
mod hidden;
mod judge;
mod killswitch;
pub(crate) mod live;
mod mode;
mod named;
mod permit;
mod places;
mod prompter;
mod protected;
pub(crate) mod race;
mod raw;
mod remember;
mod replacement;
mod rules;
mod scripts;
mod steering;
mod subject;
mod suggest;
mod unnamed;
mod words;

pub use self::bubble::Bubble;
pub use self::candidates::{Candidates, May, Present, Ready, candidates};
pub(crate) use self::claim::announce;
pub use self::claim::{Claim, Decision, QuestionKey};
pub(crate) use self::compiled::CompiledRules;
pub(crate) use self::condition::Condition;
pub(crate) use self::explain::explain;
pub use self::explain::{Explained, ExplainedAnswer, ExplainedEffect};
pub(crate) use self::files::within;
pub use self::files::{Files, RealFiles};
pub use self::git::{git_command_at, is_plain_git_setting};
pub use self::judge::{Asking, HookSays, Ruling, Who, Why, judge};
pub(crate) use self::killswitch::killswitch;
pub use self::live::ModeEpoch;
pub use self::mode::{
    BeforePlan, Mode, PLAN_MODEL_DEFAULT, PLAN_TOKENS_MAX, Profile, UnknownMode, enter_plan, leave_plan,
};
pub use self::permit::{DecidedPlaces, Permit};
pub use self::places::{guards, steers};
pub use self::prompter::{Answer, Prompter, Question, Worry};
pub use self::remember::{Destination, Grant, NotRemembered, Remember};
pub use self::replacement::is_plain_replacement;
pub use self::rules::{
    Behavior, ProblemKind, RuleAnswer, RuleProblem, RuleSet, RuleText, Source, names_command,
};
pub use self::scripts::runs_first_file;
pub use self::subject::Subject;
pub use self::suggest::{Suggestion, suggestions};
