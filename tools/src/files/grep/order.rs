//! Several threads take files in their order, and stop as soon as the first files have enough between them. What is
//! found then does not depend on which thread was faster.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many bytes may be found in files that stand behind one that is still looked at.
const AHEAD_BYTES_MAX: usize = 8 * 1024 * 1024;

/// How much was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    /// Lines that are shown.
    pub(crate) lines: usize,
    /// The bytes that they take.
    pub(crate) bytes: usize,
}

/// The line of files, and how far the threads are.
#[derive(Debug)]
pub(crate) struct Order {
    files: usize,
    enough: Amount,
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The next file to take.
    next: usize,
    /// How many files are done without a gap.
    first_open: usize,
    /// What was found in them.
    total: Amount,
    /// What was found in those that are done behind a gap.
    ahead: BTreeMap<usize, Amount>,
    ahead_bytes: usize,
}

impl Order {
    /// So many files, of which the first are wanted that have `enough` between them.
    pub(crate) fn new(files: usize, enough: Amount) -> Order {
        Order { files, enough, state: Mutex::default(), moved: Condvar::new() }
    }

    /// The next file; nothing when there is none, or those that were taken are enough.
    pub(crate) fn take(&self) -> Option<Taken<'_>> {
        let mut state = self.lock();
        loop {
            let is_enough = state.total.lines >= self.enough.lines || state.total.bytes >= self.enough.bytes;
            if is_enough || state.next >= self.files {
                return None;
            }
            // Somebody has the first open file, and gives it back: whoever waits here is woken.
            if state.ahead_bytes < AHEAD_BYTES_MAX || state.next == state.first_open {
                let file = state.next;
                state.next += 1;
                return Some(Taken { order: self, file, found: Amount::default() });
            }
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn give_back(&self, file: usize, found: Amount) {
        let mut state = self.lock();
        state.ahead.insert(file, found);
        state.ahead_bytes += found.bytes;
        while let Some(found) = {
            let first = state.first_open;
            state.ahead.remove(&first)
        } {
            state.first_open += 1;
            state.ahead_bytes -= found.bytes;
            state.total.lines += found.lines;
            state.total.bytes += found.bytes;
        }
        self.moved.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that one thread has taken; it is given back however that thread goes on.
#[derive(Debug)]
pub(crate) struct Taken<'a> {
    order: &'a Order,
    /// Which it is.
    pub(crate) file: usize,
    /// What was found in it.
    pub(crate) found: Amount,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.order.give_back(self.file, self.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_taken_until_the_first_have_enough() {
        let order = Order::new(9, Amount { lines: 3, bytes: usize::MAX });
        let take = || order.take().expect("it is not enough yet");
        let (mut first, mut second) = (take(), take());
        second.found.lines = 5;
        drop(second);
        let third = take();
        assert_eq!(third.file, 2, "what is ahead does not count");
        first.found.lines = 1;
        drop(first);
        assert!(order.take().is_none());
    }

    #[test]
    fn whoever_is_far_ahead_waits_for_the_first() {
        let order = Order::new(4, Amount { lines: usize::MAX, bytes: usize::MAX });
        let first = order.take().expect("there are four");
        order.take().expect("there are four").found.bytes = AHEAD_BYTES_MAX;
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| order.take().map(|taken| taken.file));
            drop(first);
            assert_eq!(waiting.join().expect("it does not panic"), Some(2));
        });
    }
}
