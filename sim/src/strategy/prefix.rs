//! The beginning of a recorded run, and chance from there on: how likely was it from here?

use std::sync::Arc;

use super::random::Random;
use crate::engine::{ReadyTask, Strategy};

/// Follows the first choices of a record, in the order in which they were made, and is random after them.
#[derive(Clone, Debug)]
pub struct Prefix {
    picks: Arc<[usize]>,
    length: usize,
    made: usize,
    chance: u64,
    then: Random,
}

impl Prefix {
    /// The first `length` of these picks, and the choices of a seed after them. Values that are no choices come from
    /// `chance`, as in the recorded run.
    #[must_use]
    pub fn new(picks: Arc<[usize]>, length: usize, chance: u64, seed: u64) -> Prefix {
        Prefix { picks, length, made: 0, chance, then: Random::new(seed) }
    }

    fn recorded(&mut self) -> Option<usize> {
        let pick = self.picks[..self.length.min(self.picks.len())].get(self.made).copied();
        self.made += 1;
        pick
    }
}

impl Strategy for Prefix {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        if ready.len() < 2 {
            return Some(0);
        }
        self.recorded().or_else(|| self.then.task(ready))
    }

    fn value(&mut self, label: &'static str, options: usize) -> usize {
        self.recorded().unwrap_or_else(|| self.then.value(label, options))
    }

    fn chance(&self) -> u64 {
        self.chance
    }
}
