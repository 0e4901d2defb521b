//! Partial order sampling (Yuan, Yang and Gu, CAV 2018): every step has a priority of its own, and those that race
//! with the step just made draw anew. Orders that differ in what matters come up about as often as each other.

use std::collections::BTreeMap;

use toolwright::env::Rng;

use super::random::Random;
use crate::engine::{Announced, ReadyTask, Step, Strategy, TaskId, stream};

/// Runs the step with the highest priority; those that race with it draw anew.
#[derive(Clone, Debug)]
pub struct Pos {
    seed: u64,
    drawn: Rng,
    values: Random,
    priorities: BTreeMap<TaskId, u64>,
    /// What the step before touched.
    touched: Option<Announced>,
}

impl Pos {
    /// The choices of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Pos {
        Pos {
            seed,
            drawn: stream(seed, "pos"),
            values: Random::new(seed),
            priorities: BTreeMap::new(),
            touched: None,
        }
    }
}

impl Strategy for Pos {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        let touched = self.touched.take();
        for task in ready {
            let races =
                touched.zip(task.announced).is_some_and(|(touched, announced)| touched.conflicts(announced));
            if races {
                self.priorities.remove(&task.id);
            }
            let drawn = &mut self.drawn;
            self.priorities.entry(task.id).or_insert_with(|| drawn.next_u64());
        }
        ready.iter().enumerate().max_by_key(|(_, task)| self.priorities[&task.id]).map(|(place, _)| place)
    }

    fn value(&mut self, label: &'static str, options: usize) -> usize {
        self.values.value(label, options)
    }

    fn ran(&mut self, step: Step<'_>) {
        self.priorities.remove(&step.task.id);
        self.touched = step.task.announced;
    }

    fn chance(&self) -> u64 {
        self.seed
    }
}
