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
    let mut batches: Vec<Batch> = Vec::new();
    let mut open = false;
    for (index, &is_safe) in safe.iter().enumerate() {
        match batches.last_mut() {
            Some(last) if open && is_safe => last.calls.end = index + 1,
            _other => batches.push(Batch { calls: index..index + 1 }),
        }
        open = is_safe;
    }
    batches
}
