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
//! | 5 | rules over the effects, the strictest wins | `RuleSet::answer`, in `Gate::stopped` |
//! | 6 | the tool's own word | [`Opinion`](crate::contract::Opinion), in `Gate::stopped` |
//! | 7 | a rule or a hook asks, or a person is needed | `Gate::asked` |
//! | 8 | a hook allows | `Gate::allowed_by_hook` |
//! | 9 | protected path | `protected.rs`, in `Gate::protected_path` |
//! | 10 | mode | `Gate::by_mode` |
//! | 11 | a rule allows | `Gate::allowed` |
//! | 12 | harmless, or the tool is open by default | `Gate::settled`, `Gate::touches_only_own_state` |
//! | 13 | the rest | `Gate::rest`, then `race.rs` |
//!
//! The killswitch refuses at line 4, but asks only once lines 5 and 6 deny nothing: a person's yes to it must not lift
//! a denial. Whatever is doubtful here closes: an error while deciding denies, and what is not understood asks.

mod approve;
mod claim;
mod condition;
mod files;
mod judge;
mod killswitch;
mod mode;
mod permit;
mod places;
mod prompter;
mod protected;
pub(crate) mod race;
mod raw;
mod rules;
mod steering;
mod subject;
mod words;

pub use self::claim::{Claim, Decision};
pub(crate) use self::condition::Condition;
pub use self::files::{Files, RealFiles};
pub use self::judge::{Asking, HookSays, Ruling, Who, judge};
pub use self::mode::{Mode, Profile, UnknownMode};
pub use self::permit::Permit;
pub use self::prompter::{Answer, Prompter, Question};
pub use self::rules::{Behavior, RuleProblem, RuleSet, Source};
pub use self::subject::Subject;
