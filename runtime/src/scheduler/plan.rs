//! The plan of a turn: which calls run side by side, and which alone.

use std::ops::Range;

/// Calls that run side by side, by their indexes in the turn; a batch of one may be a call that must run alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The indexes of its calls.
    pub calls: Range<usize>,
}

/// Cuts a turn, in order, into batches: a run of consecutive safe calls, or one call that is not safe. Batches run one
/// after another.
///
/// ```
/// use toolwright::scheduler::plan;
///
/// // Glob, Grep, Bash(rm), Read, Edit
/// let batches = plan(&[true, true, false, true, false]);
/// let calls: Vec<_> = batches.into_iter().map(|batch| batch.calls).collect();
/// assert_eq!(calls, [0..2, 2..3, 3..4, 4..5]);
/// ```
#[must_use]
pub fn plan(safe: &[bool]) -> Vec<Batch> {
    let mut planner = Planner::default();
    let mut batches: Vec<Batch> = Vec::new();
    for (index, &is_safe) in safe.iter().enumerate() {
        match batches.get_mut(planner.join(is_safe)) {
            Some(batch) => batch.calls.end = index + 1,
            None => batches.push(Batch { calls: index..index + 1 }),
        }
    }
    batches
}

/// The plan of a turn whose calls become known one after another.
#[derive(Clone, Debug, Default)]
pub struct Planner {
    batches: usize,
    /// Whether the last batch takes further safe calls.
    is_open: bool,
}

impl Planner {
    /// The batch of the next call, from 0.
    pub fn join(&mut self, safe: bool) -> usize {
        if !(safe && self.is_open) {
            self.batches += 1;
        }
        self.is_open = safe;
        self.batches - 1
    }

    /// How many batches there are so far.
    #[must_use]
    pub fn batches(&self) -> usize {
        self.batches
    }
}
