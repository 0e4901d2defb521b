//! Nothing runs undecided, every question is decided once, and the killswitch is stronger than all but a person.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::event::{Digest, Event, Stamped, Verdict};
use toolwright::message::CallId;

use super::{Checker, Violation, broken};

/// A body begins only after it was decided that it may.
#[derive(Default)]
pub(super) struct Decided {
    allowed: BTreeMap<CallId, Verdict>,
}

impl Checker for Decided {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::Decided(decided) => {
                self.allowed.insert(decided.call.clone(), decided.decision);
            }
            Event::Started { call, .. } if self.allowed.get(call) != Some(&Verdict::Allow) => {
                out.push(broken("permission", call, "its body began without an allow"));
            }
            _other => {}
        }
    }
}

/// Each question is claimed once.
#[derive(Default)]
pub(super) struct OneClaim {
    decided: BTreeSet<CallId>,
}

impl Checker for OneClaim {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        if let Event::Decided(decided) = &event.event
            && !self.decided.insert(decided.call.clone())
        {
            out.push(broken("one claim", &decided.call, "it was decided twice"));
        }
    }
}

/// What the killswitch speaks of runs only after a person has said yes to this very input.
#[derive(Default)]
pub(super) struct Killswitch {
    spoken_of: BTreeSet<(CallId, Digest)>,
    approved: BTreeSet<(CallId, Digest)>,
    /// Calls of which a person's own input was read after the yes, so that it reads otherwise.
    converted: BTreeSet<CallId>,
}

impl Checker for Killswitch {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::Killswitch { call, input, .. } => drop(self.spoken_of.insert((call.clone(), *input))),
            Event::Decided(decided) if decided.by == "person" && decided.decision == Verdict::Allow => {
                self.approved.extend(decided.input.map(|input| (decided.call.clone(), input)));
            }
            Event::Coerced { call, .. } if self.approved.iter().any(|(approved, _)| approved == call) => {
                self.converted.insert(call.clone());
            }
            Event::Started { call, input } => {
                let this = (call.clone(), *input);
                let is_approved = self.approved.contains(&this) || self.converted.contains(call);
                if self.spoken_of.contains(&this) && !is_approved {
                    let detail = "it runs though the killswitch speaks of it and no person said yes to it";
                    out.push(broken("killswitch", call, detail));
                }
            }
            _other => {}
        }
    }
}
