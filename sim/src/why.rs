//! Why a run failed: from which choice on the failure was likely, and from which on it could not be avoided.
//!
//! The beginning of the failing run is kept and the rest is left to chance, many times; the choice after which all of
//! these runs fail is the one to look at. The search halves the run, which supposes that a failure does not become
//! less likely the longer the run that leads to it is followed.

use std::sync::{Arc, PoisonError};

use crate::explore::{Explore, Subject};
use crate::replay::Conditions;
use crate::strategy::{Note, Prefix, Told, Way};

/// How many runs are made from each choice on.
pub const CONTINUATIONS: u64 = 200;

/// How likely the failure was after so many choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Odds {
    /// How many choices of the failing run were kept.
    pub kept: usize,
    /// How many of the runs failed.
    pub failed: u64,
    /// How many were made.
    pub of: u64,
}

/// Why a run failed.
#[derive(Clone, Debug)]
pub struct Why {
    /// The invariant that it broke.
    pub invariant: &'static str,
    /// How many choices the failing run has.
    pub choices: usize,
    /// After how many choices every run fails; all of them where even the last one mattered, none where every run does.
    pub inevitable: usize,
    /// The choice that made it so.
    pub choice: Option<Note>,
    /// What was measured, by the number of choices kept.
    pub odds: Vec<Odds>,
}

/// Finds the choice from which a failing run could not be saved; nothing when the run breaks nothing.
#[must_use]
pub fn why(
    explore: &Explore<'_>,
    subject: &dyn Subject,
    way: &Way,
    conditions: &Conditions,
    continuations: u64,
) -> Option<Why> {
    let (told, notes) = Told::new(way.strategy());
    let judged = explore.judged(subject, Box::new(told), conditions);
    let invariant = judged.violations.first()?.invariant;
    let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
    let picks: Arc<[usize]> = judged.choices.iter().map(|choice| choice.picked).collect();
    let mut odds: Vec<Odds> = Vec::new();
    let mut measure = |kept: usize| {
        let fails = |seed: &u64| {
            let strategy = Prefix::new(Arc::clone(&picks), kept, way.chance(), *seed);
            let judged = explore.judged(subject, Box::new(strategy), conditions);
            judged.violations.iter().any(|violation| violation.invariant == invariant)
        };
        let failed = (0..continuations).filter(fails).count() as u64;
        odds.push(Odds { kept, failed, of: continuations });
        failed == continuations
    };
    let (mut open, mut closed) = (0, picks.len());
    if measure(0) {
        closed = 0;
    }
    // INVARIANT: with `open` choices kept some runs do not fail, with `closed` all do.
    while closed > open + 1 {
        let middle = usize::midpoint(open, closed);
        if measure(middle) {
            closed = middle;
        } else {
            open = middle;
        }
    }
    odds.sort_by_key(|odds| odds.kept);
    let choice = closed.checked_sub(1).and_then(|last| notes.get(last)).cloned();
    Some(Why { invariant, choices: picks.len(), inevitable: closed, choice, odds })
}
