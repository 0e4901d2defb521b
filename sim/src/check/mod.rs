//! Invariants that must hold whatever the schedule, as checkers that see events and nothing else. All of them look at
//! every run.
//!
//! | what must hold | the name of what is broken | where |
//! |---|---|---|
//! | results are complete, unique, and in the order of the calls | `complete`, `unique`, `order` | `results.rs` |
//! | a result follows its body, a refusal or a denial, and no body begins after it | `backed`, `one body`, `no start after the result` | `results.rs` |
//! | time runs forward | `time` | `results.rs` |
//! | a call that is not safe runs beside nothing, and none overtakes another | `barrier`, `order of the line` | `admission.rs` |
//! | no more bodies at one time than the cap | `cap` | `admission.rs` |
//! | no body without an allow | `permission` | `decision.rs` |
//! | one claim on each question | `one claim` | `decision.rs` |
//! | what the killswitch speaks of runs only by a person's word | `killswitch` | `decision.rs` |
//! | the input that was shown is the one decided on, and that is the one that runs | `decided input` | `input.rs` |
//! | the list of tools stays as it is, byte for byte | `tool list` | `tools.rs` |
//! | a deferred tool runs only where it was loaded before | `loaded first` | `tools.rs` |
//! | an agent is never wider than the session above | `child` | `agents.rs` |
//! | the session comes to its end | `progress` | [`progress`] |

mod admission;
mod agents;
mod decision;
mod input;
mod of_calls;
mod results;
mod tools;

pub use self::of_calls::{CallResult, results, results_differ};

use std::num::NonZeroUsize;

use serde::Serialize;
use toolwright::event::Stamped;
use toolwright::message::CallId;

use crate::engine::Stuck;

/// The agent of a session; nothing for the main one.
type Agent = Option<String>;

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The invariant's name.
    pub invariant: &'static str,
    /// The call that broke it, where it is one call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// What happened.
    pub detail: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.invariant)?;
        self.call.iter().try_for_each(|call| write!(f, "{call}: "))?;
        f.write_str(&self.detail)
    }
}

/// Looks at every event of a run, one after another.
pub trait Checker {
    /// Sees one event; adds what it breaks.
    fn see(&mut self, event: &Stamped, broken: &mut Vec<Violation>);

    /// The run is over; adds what is missing.
    fn end(&mut self, broken: &mut Vec<Violation>) {
        let _ = broken;
    }
}

/// Runs every checker over the events of a run with this cap.
#[must_use]
pub fn all(events: &[Stamped], cap: NonZeroUsize) -> Vec<Violation> {
    run(checkers(cap), events)
}

/// Every checker of this room, for a run with this cap.
#[must_use]
pub fn checkers(cap: NonZeroUsize) -> Vec<Box<dyn Checker>> {
    vec![
        Box::new(results::Complete::default()),
        Box::new(results::BackedByRun::default()),
        Box::new(results::TimeRunsForward::default()),
        Box::new(admission::Barriers::default()),
        Box::new(admission::Cap::new(cap)),
        Box::new(admission::InLine::default()),
        Box::new(decision::Decided::default()),
        Box::new(decision::OneClaim::default()),
        Box::new(decision::Killswitch::default()),
        Box::new(input::DecidedRuns::default()),
        Box::new(tools::ListStays::default()),
        Box::new(tools::LoadedFirst::default()),
        Box::new(agents::Narrower::default()),
    ]
}

/// Runs checkers, of this room or others, over the events of a run.
#[must_use]
pub fn run(mut checkers: Vec<Box<dyn Checker>>, events: &[Stamped]) -> Vec<Violation> {
    let mut broken = Vec::new();
    for event in events {
        checkers.iter_mut().for_each(|checker| checker.see(event, &mut broken));
    }
    checkers.iter_mut().for_each(|checker| checker.end(&mut broken));
    broken
}

/// A run that did not come to its end.
#[must_use]
pub fn progress(stuck: &Stuck) -> Violation {
    Violation { invariant: "progress", call: None, detail: stuck.to_string() }
}

fn broken(invariant: &'static str, call: &CallId, detail: impl Into<String>) -> Violation {
    Violation { invariant, call: Some(call.clone()), detail: detail.into() }
}

/// Of no call in particular.
fn broken_by_all(invariant: &'static str, detail: impl Into<String>) -> Violation {
    Violation { invariant, call: None, detail: detail.into() }
}
