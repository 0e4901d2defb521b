//! The choices of a run, as a strategy made them, in one record: which task runs next, which value it is.
//!
//! Each label has a stream of its own, so that a new choice at one place does not shift the choices at others. Option
//! 0 is always the least surprising one; 0 everywhere is the run most like production.

use std::collections::BTreeMap;

use toolwright::env::{Order, Rng, label_hash};

use super::strategy::{ReadyTask, Step, Strategy};

/// The label of the choice among the tasks that can run.
pub const TASK: &str = "task";

/// For how many choices there is room from the start, which is enough for a small turn.
const CHOICES: usize = 128;

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
pub(super) struct Choices {
    strategy: Box<dyn Strategy>,
    streams: BTreeMap<&'static str, Rng>,
    made: Vec<Choice>,
    /// How many of them were values, and not tasks.
    values: usize,
}

impl Choices {
    pub(super) fn new(strategy: Box<dyn Strategy>) -> Choices {
        Choices { strategy, streams: BTreeMap::new(), made: Vec::with_capacity(CHOICES), values: 0 }
    }

    /// Chooses among the tasks that can run; nothing gives the run up.
    pub(super) fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        let picked = self.strategy.task(ready)?.min(ready.len() - 1);
        if ready.len() > 1 {
            self.made.push(Choice { label: TASK, options: ready.len(), picked });
        }
        Some(picked)
    }

    /// Chooses one of `options` values, each of which makes a difference.
    pub(super) fn value(&mut self, label: &'static str, options: usize) -> usize {
        if options < 2 {
            return 0;
        }
        let picked = self.pick(label, options);
        self.strategy.mattered(self.values - 1);
        picked
    }

    fn pick(&mut self, label: &'static str, options: usize) -> usize {
        let picked = self.strategy.value(label, options).min(options - 1);
        self.values += 1;
        self.made.push(Choice { label, options, picked });
        picked
    }

    /// Chooses which future of a race is looked at first.
    pub(super) fn order(&mut self, label: &'static str) -> Order {
        let right_first = self.pick(label, 2) == 1;
        Order { right_first, choice: self.values - 1 }
    }

    pub(super) fn mattered(&mut self, value: usize) {
        self.strategy.mattered(value);
    }

    pub(super) fn ran(&mut self, step: Step<'_>) {
        self.strategy.ran(step);
    }

    pub(super) fn quiet(&mut self) {
        self.strategy.quiet();
    }

    /// A source of chance for values, such as identifiers; a new one at each call.
    pub(super) fn rng(&mut self, label: &'static str) -> Rng {
        let chance = self.strategy.chance();
        let stream = self.streams.entry(label).or_insert_with(|| stream(chance, label));
        Rng::new(stream.next_u64())
    }

    /// The choices made so far that were not the only option.
    pub(super) fn made(&self) -> &[Choice] {
        &self.made
    }
}

/// The stream of a label under a seed.
pub(crate) fn stream(seed: u64, label: &str) -> Rng {
    Rng::new(Rng::new(seed).next_u64() ^ label_hash(label))
}
