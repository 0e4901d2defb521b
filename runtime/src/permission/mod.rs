//! Whether a call may run: rules, modes, the killswitch, and the race of those who may answer a question.
//!
//! The gate sees the [effects](crate::contract::Effects) of a call and knows no tool. [`judge`](judge()) is one pure
//! function in the order of decision; what it leaves open goes to a [race](self::race) in which the first answer
//! claims the question once. Only this room makes a [`Permit`].

mod claim;
mod hard;
mod judge;
mod mode;
mod permit;
mod prompter;
pub(crate) mod race;
mod rules;
mod subject;

pub use self::claim::{Claim, Decision};
pub use self::judge::{Asking, HookSays, Ruling, Who, judge};
pub use self::mode::{Mode, Profile, UnknownMode};
pub use self::permit::Permit;
pub use self::prompter::{Answer, Prompter, Question};
pub use self::rules::{Behavior, RuleProblem, RuleSet, Source};
pub use self::subject::{Files, RealFiles, Subject};
