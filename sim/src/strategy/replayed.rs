//! A run by its deviations: what is not among them is option 0.

use std::collections::BTreeMap;

use super::deviations::{Deviations, Label};
use crate::engine::{ReadyTask, Strategy, TASK};

/// Follows deviations, each label by itself.
#[derive(Clone, Debug)]
pub struct Replayed {
    deviations: Deviations,
    made: BTreeMap<Label, usize>,
}

impl Replayed {
    /// The run that differs from the least surprising one in these choices.
    #[must_use]
    pub fn new(deviations: Deviations) -> Replayed {
        Replayed { deviations, made: BTreeMap::new() }
    }

    /// What the record does not have is option 0; what it has and is no option any more is the last one.
    fn pick(&mut self, label: &'static str, options: usize) -> usize {
        let label = Label::of(label);
        let made = self.made.entry(label).or_default();
        let picked = self.deviations.pick(label, *made).min(options - 1);
        *made += 1;
        picked
    }
}

impl Strategy for Replayed {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        Some(if ready.len() < 2 { 0 } else { self.pick(TASK, ready.len()) })
    }

    fn value(&mut self, label: &'static str, options: usize) -> usize {
        self.pick(label, options)
    }

    fn chance(&self) -> u64 {
        self.deviations.chance
    }
}
