//! Why a simulation ended without its result, and who waits for whom.

use std::fmt;

use toolwright::env::{TaskName, Tick};

use super::strategy::Announced;

/// Why a simulation ended without its result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// Nothing can run, no timer is set, and these tasks wait.
    #[error("deadlock: nothing can run and no timer is set; waiting: {0}")]
    Deadlock(Waits),
    /// Tasks run on and on, these most of all.
    #[error("livelock: no end after {steps} steps; still running: {busy}")]
    Livelock {
        /// How many steps were made.
        steps: u64,
        /// The tasks that are left.
        busy: Waits,
    },
    /// The strategy gave the run up: whatever it could still show was shown by another.
    #[error("given up: other runs show whatever this one could still show")]
    GivenUp,
}

/// The tasks that are left, in the order of spawning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits(pub Vec<Waiting>);

/// A task that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The task.
    pub task: TaskName,
    /// Whom it may wait for: the tasks that it spawned and that have not ended either.
    pub on: Vec<TaskName>,
    /// When it ran last.
    pub since: Tick,
    /// What it touched last of what is shared.
    pub last: Option<Announced>,
    /// How many steps it made.
    pub steps: u64,
}

impl fmt::Display for Waits {
    /// Each with what it waits for, such as `root#0 for call#1, call#1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, waiting) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{waiting}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.task)?;
        for (place, on) in self.on.iter().enumerate() {
            write!(f, "{}{on}", if place == 0 { " for " } else { ", " })?;
        }
        write!(f, " since {}", self.since)?;
        self.last.iter().try_for_each(|last| write!(f, " after {last}"))
    }
}
