//! Invariants that must hold whatever the schedule, as checkers that see events and nothing else.

mod admission;
mod decision;
mod differ;
mod results;

pub use self::differ::results_differ;

use std::num::NonZeroUsize;

use serde::Serialize;
use toolwright::event::Stamped;
use toolwright::message::CallId;

use crate::engine::Stuck;

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
