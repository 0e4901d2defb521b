//! Who may run beside whom: barriers, the cap, and the order of the line.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use toolwright::event::{Event, Stamped, Verdict};
use toolwright::message::{CallId, TurnId};

use super::{Checker, Violation, broken};

/// A call that is not safe runs beside nothing.
#[derive(Default)]
pub(super) struct Barriers {
    safe: BTreeMap<CallId, bool>,
    running: BTreeSet<CallId>,
}

impl Checker for Barriers {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::Planned { call, safe, .. } | Event::Rejudged { call, safe } => {
                self.safe.insert(call.clone(), *safe);
            }
            Event::Started { call, .. } => {
                let is_safe = |call: &CallId| self.safe.get(call).copied().unwrap_or(false);
                let unsafe_beside = self.running.iter().find(|other| !(is_safe(call) && is_safe(other)));
                if let Some(other) = unsafe_beside {
                    out.push(broken(
                        "barrier",
                        call,
                        format!("it runs beside {other}, though one of them is not safe"),
                    ));
                }
                self.running.insert(call.clone());
            }
            Event::Finished { call, .. } => {
                self.running.remove(call);
            }
            _other => {}
        }
    }
}

/// Not more bodies at one time than the session allows.
pub(super) struct Cap {
    cap: usize,
    running: usize,
}

impl Cap {
    pub(super) fn new(cap: NonZeroUsize) -> Cap {
        Cap { cap: cap.get(), running: 0 }
    }
}

impl Checker for Cap {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::Started { call, .. } => {
                self.running += 1;
                if self.running > self.cap {
                    out.push(broken("cap", call, format!("{} bodies at one time", self.running)));
                }
            }
            Event::Finished { .. } => self.running = self.running.saturating_sub(1),
            _other => {}
        }
    }
}

/// No call begins its body before one that comes earlier in the turn has begun, unless both are safe.
#[derive(Default)]
pub(super) struct InLine {
    places: BTreeMap<CallId, (TurnId, usize, bool)>,
    turns: BTreeMap<TurnId, Vec<CallId>>,
    /// Calls that have begun, or never will.
    passed: BTreeSet<CallId>,
}

impl Checker for InLine {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::Planned { turn, call, index, safe, .. } => {
                self.places.insert(call.clone(), (*turn, *index, *safe));
                self.turns.entry(*turn).or_default().push(call.clone());
            }
            Event::Rejudged { call, safe } => {
                if let Some(place) = self.places.get_mut(call) {
                    place.2 = *safe;
                }
            }
            Event::Started { call, .. } => {
                self.passed.insert(call.clone());
                let Some(&(turn, index, safe)) = self.places.get(call) else { return };
                let earlier = self.turns.get(&turn).into_iter().flatten().take(index);
                let waits = |other: &&CallId| {
                    let both_safe = safe && self.places.get(*other).is_some_and(|place| place.2);
                    !self.passed.contains(*other) && !both_safe
                };
                if let Some(other) = earlier.into_iter().find(waits) {
                    out.push(broken("order of the line", call, format!("it overtakes {other}")));
                }
            }
            Event::Refused { call, .. } | Event::Finished { call, .. } => {
                self.passed.insert(call.clone());
            }
            Event::Decided(decided) if decided.decision == Verdict::Deny => {
                self.passed.insert(decided.call.clone());
            }
            _other => {}
        }
    }
}
