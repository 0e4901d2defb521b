//! Probabilistic concurrency testing (Burckhardt and others, ASPLOS 2010): the task with the highest priority runs,
//! and at a few steps that are drawn beforehand the running one becomes the least important.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::env::Rng;

use super::random::Random;
use crate::engine::{ReadyTask, Step, Strategy, TaskId, stream};

/// The number of choices that a run is taken to have is 2 to a power between these.
const LENGTH_POWERS: std::ops::Range<u64> = 3..10;

/// Runs the most important task, and demotes it at `depth - 1` steps. Finds a bug that needs so many orders to be
/// right with a chance that is known beforehand.
#[derive(Clone, Debug)]
pub struct Pct {
    seed: u64,
    drawn: Rng,
    values: Random,
    priorities: BTreeMap<TaskId, u64>,
    /// The choices at which the most important task is demoted.
    demotions: BTreeSet<u64>,
    choices: u64,
    /// What the next demoted task gets; every first priority is higher.
    lowest: u64,
    /// Whose step was last, where it asked to run again at once.
    spinning: Option<TaskId>,
}

impl Pct {
    /// The choices of a seed, for bugs of this depth.
    #[must_use]
    pub fn new(depth: u32, seed: u64) -> Pct {
        let mut drawn = stream(seed, "pct");
        let powers = LENGTH_POWERS.end - LENGTH_POWERS.start;
        let length = 1 << (LENGTH_POWERS.start + drawn.below(powers));
        let demotions = (1..depth).map(|_| drawn.below(length)).collect();
        Pct {
            seed,
            drawn,
            values: Random::new(seed),
            priorities: BTreeMap::new(),
            demotions,
            choices: 0,
            lowest: u64::from(u32::MAX),
            spinning: None,
        }
    }

    fn demote(&mut self, task: TaskId) {
        self.lowest -= 1;
        self.priorities.insert(task, self.lowest);
    }

    fn most_important(&mut self, ready: &[ReadyTask]) -> usize {
        for task in ready {
            // Above what a demoted task gets.
            let drawn = &mut self.drawn;
            self.priorities.entry(task.id).or_insert_with(|| drawn.next_u64() | 1 << 63);
        }
        let best = ready.iter().enumerate().max_by_key(|(_, task)| self.priorities[&task.id]);
        best.map_or(0, |(place, _)| place)
    }
}

impl Strategy for Pct {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        // A task that asks to run again without touching anything would starve the others.
        if let Some(spinning) = self.spinning.take()
            && ready.iter().any(|task| task.id == spinning && task.announced.is_none())
        {
            self.demote(spinning);
        }
        let best = self.most_important(ready);
        if ready.len() < 2 {
            return Some(best);
        }
        let is_demotion = self.demotions.contains(&self.choices);
        self.choices += 1;
        if is_demotion {
            self.demote(ready[best].id);
            return Some(self.most_important(ready));
        }
        Some(best)
    }

    fn value(&mut self, label: &'static str, options: usize) -> usize {
        self.values.value(label, options)
    }

    fn ran(&mut self, step: Step<'_>) {
        self.spinning = step.woken.contains(&step.task.id).then_some(step.task.id);
    }

    fn chance(&self) -> u64 {
        self.seed
    }
}
