//! The timers of a world, in the order in which they fire.

use std::cmp::Ordering;
use std::task::Waker;

use toolwright::env::Tick;

/// Whom to wake when. The earlier tick comes first, and within a tick whoever asked first.
pub(super) struct Timer {
    pub(super) tick: Tick,
    pub(super) number: u64,
    pub(super) waker: Waker,
}

impl Ord for Timer {
    fn cmp(&self, other: &Timer) -> Ordering {
        (self.tick, self.number).cmp(&(other.tick, other.number))
    }
}

impl PartialOrd for Timer {
    fn partial_cmp(&self, other: &Timer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Timer {
    fn eq(&self, other: &Timer) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Timer {}
