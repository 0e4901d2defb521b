//! Nothing runs undecided, and every question is decided once.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::event::{Event, Stamped, Verdict};
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
            Event::Started { call } if self.allowed.get(call) != Some(&Verdict::Allow) => {
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
