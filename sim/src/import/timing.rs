//! What the times of lines say of the times of calls.
//!
//! Line times are when a line was written: a call's line when it had arrived in full, a result's line when
//! the call had ended. Waiting for a person is inside, so that these are upper bounds of service times.

use std::collections::BTreeSet;

use crate::transcript::{Call, RepairKind, Repairs};

/// The time of a line, in milliseconds since 1970.
pub(super) type Millis = i64;

/// The lines of a call and their times.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallTimes {
    pub(super) line: usize,
    pub(super) arrived: Option<Millis>,
    pub(super) ended: Option<Millis>,
}

/// Reads the time of a line.
pub(super) fn parse(text: &str) -> Option<Millis> {
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

/// The model's latency, from the last line of input to the first line of its message.
pub(super) fn think_ms(
    line: usize,
    input: Option<Millis>,
    first: Option<Millis>,
    repairs: &mut Repairs,
) -> Option<u64> {
    Some(since(input?, first?, 0, || {
        let detail = "the model's message is older than what it answers; its latency was taken as 0 ms";
        repairs.note(Some(line), RepairKind::BackwardTime, detail);
    }))
}

/// Fills in the times of the calls of a turn. `times` has those of each call, in the same order.
pub(super) fn time_calls(calls: &mut [Call], times: &[CallTimes], repairs: &mut Repairs) {
    let Some(first) = times.first().and_then(|times| times.arrived) else { return };
    // The ends of the calls before, of which the last that is not after a call's own end counts.
    let mut ends = BTreeSet::new();
    for (call, times) in calls.iter_mut().zip(times) {
        let line = Some(times.line);
        let Some(arrived) = times.arrived else { continue };
        let arrived_ms = since(first, arrived, 0, || {
            let detail = format!("call `{}` is older than the turn's first; taken as equal", call.id);
            repairs.note(line, RepairKind::BackwardTime, detail);
        });
        call.arrived_ms = Some(arrived_ms);
        let Some(ended) = times.ended else { continue };
        let ended_ms = since(first, ended, arrived_ms, || {
            let detail = format!("the result of call `{}` is older than the call; taken as equal", call.id);
            repairs.note(line, RepairKind::BackwardTime, detail);
        });
        call.ended_ms = Some(ended_ms);
        let free_ms = ends.range(..=ended_ms).next_back().copied().unwrap_or(0);
        call.service_ms = Some(ended_ms - arrived_ms.max(free_ms));
        ends.insert(ended_ms);
    }
}

/// The time from one to another, but not less than `least`; `backward` is called when it would be.
fn since(from: Millis, to: Millis, least: u64, backward: impl FnOnce()) -> u64 {
    match u64::try_from(to.saturating_sub(from)) {
        Ok(ms) if ms >= least => ms,
        _ => {
            backward();
            least
        }
    }
}
