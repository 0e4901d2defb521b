//! Which call's failure cancelled another.
//!
//! Events say it in words, as the model hears them: `the parallel call Bash(make) failed`. The words are looked up among
//! the calls of the turn that had failed by then.

use toolwright::event::{Outcome, Refusal};
use toolwright::message::CallId;

use super::lanes::{Lane, Mark, State};

/// Fills in the causes of cancelled calls.
pub(super) fn find_causes(lanes: &mut [Lane]) {
    let failed: Vec<Failed> = lanes.iter().filter_map(Failed::of).collect();
    for lane in lanes {
        let Some((at, words)) = cancelled(lane) else { continue };
        let could_be = |failed: &&Failed| failed.call != lane.call && failed.at <= at && failed.is_in(&words);
        lane.cause = failed.iter().filter(could_be).max_by_key(|failed| failed.at).map(|it| it.call.clone());
    }
}

struct Failed {
    call: CallId,
    label: String,
    tool: String,
    at: Mark,
}

impl Failed {
    fn of(lane: &Lane) -> Option<Failed> {
        let has_failed = match lane.state() {
            State::Error | State::Panicked | State::Refused | State::Denied => true,
            State::Ok | State::Cancelled | State::Open => false,
        };
        let at = lane.ended().filter(|_| has_failed)?;
        Some(Failed { call: lane.call.clone(), label: lane.label.clone(), tool: lane.tool.clone(), at })
    }

    /// Whether the words name it: in full, or as recordings do, which cut what is long.
    fn is_in(&self, words: &str) -> bool {
        words.contains(&self.label) || words.contains(&format!("parallel tool call {}(", self.tool))
    }
}

/// When a call was cancelled, and in which words.
fn cancelled(lane: &Lane) -> Option<(Mark, String)> {
    match (&lane.finished, &lane.refused) {
        (Some((mark, Outcome::Cancelled)), _) => {
            let words = lane.result.as_ref().map(|(_, _, result)| result.head.clone()).unwrap_or_default();
            Some((*mark, words))
        }
        (None, Some((mark, Refusal::Cancelled | Refusal::Recorded, reason))) => Some((*mark, reason.clone())),
        _ran_or_was_not_cancelled => None,
    }
}
