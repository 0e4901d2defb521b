//! Calls that the tools of today no longer take.

use std::collections::BTreeMap;

use toolwright::event::{Event, Refusal, Stamped};

use crate::transcript::{Call, Outcome, Transcript};

/// Calls with a good answer in the recording that ended before their body in a replay, since nothing could be read of
/// them: by identifier, with what is to be said of each. It does not hang on the schedule, so that one replay tells of all.
pub(crate) fn refused<'a>(transcript: &'a Transcript, events: &[Stamped]) -> BTreeMap<&'a str, String> {
    let is_good = |call: &&Call| matches!(call.outcome, Outcome::Answered { is_error: false, .. });
    let good: BTreeMap<&str, &Call> =
        transcript.calls().filter(is_good).map(|call| (call.id.as_str(), call)).collect();
    let refusal = |Stamped { event, .. }: &Stamped| {
        let Event::Refused { call, step, reason } = event else { return None };
        let (id, call) = good.get_key_value(call.as_str())?;
        let what = match step {
            Refusal::Input => format!("its input is refused: {reason}"),
            Refusal::UnknownTool => format!("there is no tool `{}`: {reason}", call.name),
            _another_step => return None,
        };
        Some((*id, format!("{id}: the recording has an answer to it, and now {what}")))
    };
    events.iter().filter_map(refusal).collect()
}
