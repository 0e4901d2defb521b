//! Each call has exactly one result, in the order of the calls, and a good one only after its body ended well.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::env::Tick;
use toolwright::event::{Event, Outcome, Stamped, Verdict};
use toolwright::message::{CallId, TurnId};

use super::{Checker, Violation, broken};

/// Results are complete, unique, and in the order of the calls; a turn begins only when the one before is answered.
#[derive(Default)]
pub(super) struct Complete {
    planned: BTreeMap<TurnId, Vec<CallId>>,
    given: BTreeMap<TurnId, usize>,
    known: BTreeSet<CallId>,
}

impl Checker for Complete {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::Planned { turn, call, index, .. } => {
                if !self.known.insert(call.clone()) {
                    out.push(broken("unique", call, "planned twice"));
                }
                if !self.planned.contains_key(turn) {
                    self.all_answered(out);
                }
                let calls = self.planned.entry(*turn).or_default();
                if calls.len() != *index {
                    out.push(broken(
                        "order",
                        call,
                        format!("planned at {index}, after {} calls", calls.len()),
                    ));
                }
                calls.push(call.clone());
            }
            Event::Result { turn, call, .. } => {
                let given = self.given.entry(*turn).or_default();
                let wanted = self.planned.get(turn).and_then(|calls| calls.get(*given));
                match wanted {
                    Some(wanted) if wanted == call => {}
                    Some(wanted) => out.push(broken(
                        "order",
                        call,
                        format!("its result came where that of {wanted} was due"),
                    )),
                    None => out.push(broken("unique", call, "one result more than the turn has calls")),
                }
                *given += 1;
            }
            Event::ResultRefused { call } => out.push(broken("unique", call, "a second result was written")),
            _other => {}
        }
    }

    fn end(&mut self, out: &mut Vec<Violation>) {
        self.all_answered(out);
    }
}

impl Complete {
    /// Looks at the turns so far, and is done with them.
    fn all_answered(&mut self, out: &mut Vec<Violation>) {
        let given = std::mem::take(&mut self.given);
        for (turn, calls) in std::mem::take(&mut self.planned) {
            let given = given.get(&turn).copied().unwrap_or(0);
            out.extend(calls.iter().skip(given).map(|call| broken("complete", call, "it has no result")));
        }
    }
}

/// A result follows a body, a refusal or a denial; a good one follows a body that ended well; nothing follows it.
#[derive(Default)]
pub(super) struct BackedByRun {
    running: BTreeSet<CallId>,
    ended_well: BTreeSet<CallId>,
    settled: BTreeSet<CallId>,
    given: BTreeSet<CallId>,
}

impl Checker for BackedByRun {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::Refused { call, .. } => {
                self.settled.insert(call.clone());
            }
            Event::Decided(decided) if decided.decision == Verdict::Deny => {
                self.settled.insert(decided.call.clone());
            }
            Event::Started { call, .. } => {
                if self.given.contains(call) {
                    out.push(broken("no start after the result", call, "its body began after its result"));
                } else if self.settled.contains(call) || !self.running.insert(call.clone()) {
                    out.push(broken("one body", call, "its body began though it had ended or began before"));
                }
            }
            Event::Finished { call, outcome } => {
                if !self.running.remove(call) {
                    out.push(broken("one body", call, "its body ended without having begun"));
                }
                self.settled.insert(call.clone());
                if *outcome == Outcome::Ok {
                    self.ended_well.insert(call.clone());
                }
            }
            Event::Result { call, is_error, .. } => {
                if self.running.contains(call) || !self.settled.contains(call) {
                    out.push(broken(
                        "backed",
                        call,
                        "its result came before its body, a refusal or a denial",
                    ));
                }
                if !is_error && !self.ended_well.contains(call) {
                    out.push(broken("backed", call, "a good result, though no body ended well"));
                }
                self.given.insert(call.clone());
            }
            _other => {}
        }
    }

    fn end(&mut self, out: &mut Vec<Violation>) {
        out.extend(
            self.running.iter().map(|call| broken("one body", call, "its body still runs at the end")),
        );
    }
}

/// Events come in the order of their times.
#[derive(Default)]
pub(super) struct TimeRunsForward {
    last: Tick,
}

impl Checker for TimeRunsForward {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        if event.at < self.last {
            let detail = format!("an event at {} after one at {}", event.at, self.last);
            out.push(Violation { invariant: "time", call: None, detail });
        }
        self.last = self.last.max(event.at);
    }
}
