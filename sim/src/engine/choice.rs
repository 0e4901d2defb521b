//! Every choice of a simulation, from one seed: which task runs next, which future of a race is looked at first.
//!
//! Each label has a stream of its own, so that a new choice at one place does not shift the choices at others. Option
//! 0 is always the least surprising one; without a seed every choice is 0, which is the run most like production.

use std::collections::BTreeMap;

use toolwright::env::{Rng, label_hash};

/// One choice that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What was chosen.
    pub label: &'static str,
    /// From how many options; at least 2.
    pub options: usize,
    /// Which one; below `options`.
    pub picked: usize,
}

/// The stream of choices of one run.
#[derive(Debug)]
pub struct Choices {
    seed: Option<u64>,
    streams: BTreeMap<&'static str, Rng>,
    made: Vec<Choice>,
}

impl Choices {
    /// The choices of a seed; without one, option 0 everywhere.
    #[must_use]
    pub fn new(seed: Option<u64>) -> Choices {
        Choices { seed, streams: BTreeMap::new(), made: Vec::new() }
    }

    /// Chooses one of `options`.
    pub fn choose(&mut self, label: &'static str, options: usize) -> usize {
        if options < 2 {
            return 0;
        }
        let picked = match self.seed {
            None => 0,
            Some(_) => usize::try_from(self.stream(label).below(options as u64)).expect("below a usize"),
        };
        self.made.push(Choice { label, options, picked });
        picked
    }

    /// A source of chance for values, such as identifiers; a new one at each call.
    pub fn rng(&mut self, label: &'static str) -> Rng {
        Rng::new(self.stream(label).next_u64())
    }

    /// The choices made so far that were not the only option.
    #[must_use]
    pub fn made(&self) -> &[Choice] {
        &self.made
    }

    fn stream(&mut self, label: &'static str) -> &mut Rng {
        let seed = self.seed.unwrap_or(0);
        self.streams.entry(label).or_insert_with(|| Rng::new(Rng::new(seed).next_u64() ^ label_hash(label)))
    }
}
