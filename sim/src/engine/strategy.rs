//! What decides a run: an oracle of two questions, which task goes next and which of several values it is.

use std::fmt;

use toolwright::env::{Access, Object, TaskName};

/// The number of a task, in the order of spawning; never used twice in a run.
pub type TaskId = usize;

/// An access to shared state that a task has announced and stopped at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Announced {
    /// What it will touch.
    pub object: Object,
    /// How.
    pub access: Access,
}

impl Announced {
    /// Whether it matters which of the two comes first.
    #[must_use]
    pub fn conflicts(self, other: Announced) -> bool {
        self.object == other.object && !self.access.commutes(other.access)
    }
}

impl fmt::Display for Announced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.access {
            Access::Read => write!(f, "a look at {}", self.object),
            Access::Add | Access::Write => write!(f, "a change of {}", self.object),
        }
    }
}

/// A task that can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyTask {
    /// Its number.
    pub id: TaskId,
    /// Its name.
    pub name: TaskName,
    /// What it has announced and stopped at; nothing for a step that touches nothing shared.
    pub announced: Option<Announced>,
    /// Whether it was stopped: its step drops it.
    pub is_aborted: bool,
}

/// A step that was made: one task ran until it waited, stopped at an announced access, or ended.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Whose step.
    pub task: ReadyTask,
    /// The tasks that it woke or spawned, in order; some may have been ready already.
    pub woken: &'a [TaskId],
    /// The tasks that it stopped.
    pub aborted: &'a [TaskId],
}

/// Makes the choices of runs. Option 0 is always the least surprising.
pub trait Strategy: Send {
    /// Which of the tasks that can run goes next: its place in `ready`, which is in the order of their numbers and
    /// never empty. Nothing gives the run up: whatever it could still show was shown by another.
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize>;

    /// One of `options` values, at least two.
    fn value(&mut self, label: &'static str, options: usize) -> usize;

    /// Told after each step.
    fn ran(&mut self, step: Step<'_>) {
        let _ = step;
    }

    /// Told when nothing more can run at this instant: what comes next could not have come before.
    fn quiet(&mut self) {}

    /// Told that a value did make a difference, by its number among the values of the run. Of races alone it is known;
    /// other values always do.
    fn mattered(&mut self, value: usize) {
        let _ = value;
    }

    /// The seed of values that are not choices, such as identifiers.
    fn chance(&self) -> u64 {
        0
    }
}
