//! What was decided on is what was asked about, and what runs.

use std::collections::BTreeMap;

use toolwright::event::{Digest, Event, Stamped, Verdict};
use toolwright::message::CallId;

use super::{Checker, Violation, broken};

/// The input that runs is the one that was decided on; and that is the one that was shown to whoever answered, unless
/// the answer put another in its place.
#[derive(Default)]
pub(super) struct DecidedRuns {
    asked: BTreeMap<CallId, Digest>,
    decided: BTreeMap<CallId, Decided>,
}

enum Decided {
    On(Digest),
    /// On an input of which something was converted since, so that it reads otherwise.
    Converted,
}

impl Checker for DecidedRuns {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::Asked { call, input, .. } => drop(self.asked.insert(call.clone(), *input)),
            Event::Withdrawn { call, .. } => drop(self.asked.remove(call)),
            Event::Decided(decided) if decided.decision == Verdict::Allow => {
                let call = &decided.call;
                let Some(input) = decided.input else {
                    out.push(broken("decided input", call, "it was allowed, and not told with which input"));
                    return;
                };
                let asked = self.asked.remove(call);
                if !decided.is_rewritten && asked.is_some_and(|asked| asked != input) {
                    let detail = "what was shown to whoever answered is not what was decided on";
                    out.push(broken("decided input", call, detail));
                }
                self.decided.insert(call.clone(), Decided::On(input));
            }
            // An answer's own input is told as it was given, and read after that.
            Event::Coerced { call, .. } => {
                if let Some(decided) = self.decided.get_mut(call) {
                    *decided = Decided::Converted;
                }
            }
            Event::Started { call, input } => {
                if let Some(Decided::On(decided)) = self.decided.remove(call)
                    && decided != *input
                {
                    out.push(broken("decided input", call, "another input runs than was decided on"));
                }
            }
            _other => {}
        }
    }
}
