//! Runs that are tried on the way, counted and bounded.

use crate::explore::{Explore, Judged, Subject};
use crate::replay::Conditions;
use crate::strategy::{Deviations, Way, portfolio};

/// How many runs one shrinking takes at the most.
pub const RUNS_MAX: u64 = 500;

/// How many seeds are tried where what is run has become smaller and the old choices fail no more.
const SEEDS: u64 = 6;

/// The run that is to be shrunk does not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this run breaks nothing, so there is nothing to shrink: give the token of one that does, and what it was found with"
)]
pub struct NotFailing;

/// The smallest failing run so far.
#[derive(Clone, Debug)]
pub(super) struct Failing {
    pub(super) invariant: &'static str,
    pub(super) deviations: Deviations,
    pub(super) conditions: Conditions,
}

pub(super) struct Attempts<'a> {
    explore: &'a Explore<'a>,
    pub(super) runs: u64,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(explore: &'a Explore<'a>) -> Attempts<'a> {
        Attempts { explore, runs: 0 }
    }

    pub(super) fn run(&mut self, subject: &dyn Subject, way: &Way, conditions: &Conditions) -> Judged {
        self.runs += 1;
        self.explore.one(subject, way, conditions)
    }

    pub(super) fn explore(&self) -> &Explore<'a> {
        self.explore
    }

    pub(super) fn are_spent(&self) -> bool {
        self.runs >= RUNS_MAX
    }

    pub(super) fn first(
        &mut self,
        subject: &dyn Subject,
        way: &Way,
        conditions: &Conditions,
    ) -> Result<Failing, NotFailing> {
        let judged = self.run(subject, way, conditions);
        let violation = judged.violations.first().ok_or(NotFailing)?;
        let deviations = Deviations::of(&judged.choices, way.chance());
        Ok(Failing { invariant: violation.invariant, deviations, conditions: conditions.clone() })
    }

    /// Whether this breaks the same invariant.
    pub(super) fn fails(&mut self, subject: &dyn Subject, failing: &Failing) -> bool {
        let way = Way::Choices(failing.deviations.clone());
        !self.are_spent() && self.breaks(subject, &way, failing).is_some()
    }

    /// The choices with which the subject, made smaller, breaks the same invariant: none, the old ones, or those of one
    /// of a few seeds.
    pub(super) fn find(&mut self, subject: &dyn Subject, failing: &Failing) -> Option<Failing> {
        let ways = [Way::First, Way::Choices(failing.deviations.clone())];
        for way in ways.into_iter().chain((0..SEEDS).map(portfolio)) {
            if self.are_spent() {
                return None;
            }
            if let Some(deviations) = self.breaks(subject, &way, failing) {
                return Some(Failing { deviations, ..failing.clone() });
            }
        }
        None
    }

    fn breaks(&mut self, subject: &dyn Subject, way: &Way, failing: &Failing) -> Option<Deviations> {
        let judged = self.run(subject, way, &failing.conditions);
        let is_same = judged.violations.iter().any(|violation| violation.invariant == failing.invariant);
        is_same.then(|| Deviations::of(&judged.choices, way.chance()))
    }
}
