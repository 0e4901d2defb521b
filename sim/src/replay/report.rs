//! What a replay came to.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use toolwright::event::{Event, Stamped, Verdict};
use toolwright::message::CallId;

use super::digest::digest;
use super::person::LET_RUN;
use crate::check::Violation;
use crate::transcript::FileCounts;

/// What a replay came to. All counts but those in [`FileCounts`] are counted from its events.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was counted in the events.
    pub counts: Counts,
    /// What the source file held besides the turns.
    pub file: FileCounts,
    /// Calls of tools that the catalogue does not have.
    pub stand_ins: usize,
    /// Which invariants were broken.
    pub violations: Vec<Violation>,
    /// Every event, in order.
    pub events: Vec<Stamped>,
    /// The virtual time that the session took, in milliseconds.
    pub virtual_ms: u64,
    /// The digest of every event, with its time.
    pub digest: String,
    /// The digest of the results alone.
    pub results_digest: String,
}

/// What was counted in the events of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Turns with at least one call.
    pub turns: usize,
    /// Calls.
    pub calls: usize,
    /// The most calls in one turn.
    pub max_calls_in_a_turn: usize,
    /// Results that are errors.
    pub error_results: usize,
    /// Batches over all turns.
    pub batches: usize,
    /// The most bodies that ran at one time.
    pub max_side_by_side: usize,
    /// Calls whose body began.
    pub started: usize,
    /// Calls that were asked about.
    pub asked: usize,
    /// Calls that were let run as the recording shows, since whoever let them run is not here.
    pub allowed_as_recorded: usize,
    /// Calls that were denied.
    pub denied: usize,
    /// Calls that were refused before their body: unknown, malformed, cancelled.
    pub refused: usize,
}

impl Counts {
    /// Counts what a replay's events say.
    #[must_use]
    pub fn of(events: &[Stamped]) -> Counts {
        let mut counts = Counts::default();
        let mut running: BTreeSet<&CallId> = BTreeSet::new();
        let mut calls_of_turn: BTreeMap<u64, usize> = BTreeMap::new();
        let mut batches_of_turn: BTreeMap<u64, usize> = BTreeMap::new();
        for Stamped { event, .. } in events {
            match event {
                Event::Planned { turn, batch, .. } => {
                    counts.calls += 1;
                    batches_of_turn.insert(turn.0, batch + 1);
                    *calls_of_turn.entry(turn.0).or_default() += 1;
                }
                Event::Started { call, .. } => {
                    counts.started += 1;
                    running.insert(call);
                    counts.max_side_by_side = counts.max_side_by_side.max(running.len());
                }
                Event::Finished { call, .. } => {
                    running.remove(call);
                }
                Event::Asked { .. } => counts.asked += 1,
                Event::Refused { .. } => counts.refused += 1,
                Event::Decided(decided) => match decided.decision {
                    Verdict::Deny => counts.denied += 1,
                    Verdict::Allow => {
                        let is_recorded = decided.reason.starts_with(LET_RUN);
                        counts.allowed_as_recorded += usize::from(is_recorded);
                    }
                },
                Event::Result { is_error, .. } => counts.error_results += usize::from(*is_error),
                _other => {}
            }
        }
        counts.turns = calls_of_turn.len();
        counts.batches = batches_of_turn.values().sum();
        counts.max_calls_in_a_turn = calls_of_turn.values().copied().max().unwrap_or(0);
        counts
    }
}

impl Report {
    pub(super) fn new(
        events: Vec<Stamped>,
        violations: Vec<Violation>,
        file: FileCounts,
        stand_in_names: &BTreeSet<String>,
        virtual_ms: u64,
    ) -> Report {
        let is_stand_in = |event: &&Stamped| matches!(&event.event, Event::Planned { tool, .. } if stand_in_names.contains(tool));
        let is_result = |event: &&Stamped| matches!(event.event, Event::Result { .. });
        Report {
            counts: Counts::of(&events),
            file,
            stand_ins: events.iter().filter(is_stand_in).count(),
            violations,
            virtual_ms,
            digest: digest(&events),
            results_digest: digest(events.iter().filter(is_result).map(|stamped| &stamped.event)),
            events,
        }
    }
}
