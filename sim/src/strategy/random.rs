//! Every option as likely as any other.

use std::collections::BTreeMap;

use toolwright::env::Rng;

use crate::engine::{ReadyTask, Strategy, TASK, stream};

/// Takes every option with the same chance, from a stream of its own for each label.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    streams: BTreeMap<&'static str, Rng>,
}

impl Random {
    /// The choices of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { seed, streams: BTreeMap::new() }
    }

    pub(super) fn below(&mut self, label: &'static str, n: usize) -> usize {
        let seed = self.seed;
        let stream = self.streams.entry(label).or_insert_with(|| stream(seed, label));
        usize::try_from(stream.below(n as u64)).expect("below a usize")
    }
}

impl Strategy for Random {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        Some(if ready.len() < 2 { 0 } else { self.below(TASK, ready.len()) })
    }

    fn value(&mut self, label: &'static str, options: usize) -> usize {
        self.below(label, options)
    }

    fn chance(&self) -> u64 {
        self.seed
    }
}
