//! A strategy whose choices are written down in words as they are made.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright::env::TaskName;

use crate::engine::{Announced, ReadyTask, Step, Strategy, TASK};

/// What the labels of faults begin with.
const FAULT: &str = "fault: ";

/// One choice in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What was chosen.
    pub label: &'static str,
    /// Which option.
    pub picked: usize,
    /// The task that was taken, with what it was about to touch; nothing for a value.
    pub task: Option<(TaskName, Option<Announced>)>,
    /// The task that option 0 would have been.
    pub over: Option<TaskName>,
}

impl fmt::Display for Note {
    /// Such as `person#0 went before call#1, with a change of the claim of call 0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.task, self.over) {
            (Some((task, announced)), Some(over)) => {
                write!(f, "{task} went before {over}")?;
                announced.iter().try_for_each(|announced| write!(f, ", with {announced}"))
            }
            (Some((task, _)), None) => write!(f, "{task} went on"),
            (None, _) if self.label.starts_with(FAULT) => match self.picked {
                0 => write!(f, "no {}", self.label),
                picked => write!(f, "{}, option {picked}", self.label),
            },
            (None, _) if self.picked == 0 => write!(f, "`{}` looked at its first side first", self.label),
            (None, _) => write!(f, "`{}` looked at option {} first", self.label, self.picked),
        }
    }
}

/// Makes the choices of another strategy, and notes each that was not the only option.
pub struct Told {
    inner: Box<dyn Strategy>,
    notes: Arc<Mutex<Vec<Note>>>,
}

impl Told {
    /// The strategy, and where its notes will be.
    #[must_use]
    pub fn new(inner: Box<dyn Strategy>) -> (Told, Arc<Mutex<Vec<Note>>>) {
        let notes = Arc::default();
        (Told { inner, notes: Arc::clone(&notes) }, notes)
    }

    fn note(&self, note: Note) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }
}

impl Strategy for Told {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        let picked = self.inner.task(ready)?.min(ready.len() - 1);
        if ready.len() > 1 {
            let task = &ready[picked];
            let over = (picked > 0).then(|| ready[0].name);
            self.note(Note { label: TASK, picked, task: Some((task.name, task.announced)), over });
        }
        Some(picked)
    }

    fn value(&mut self, label: &'static str, options: usize) -> usize {
        let picked = self.inner.value(label, options).min(options - 1);
        self.note(Note { label, picked, task: None, over: None });
        picked
    }

    fn ran(&mut self, step: Step<'_>) {
        self.inner.ran(step);
    }

    fn quiet(&mut self) {
        self.inner.quiet();
    }

    fn mattered(&mut self, value: usize) {
        self.inner.mattered(value);
    }

    fn chance(&self) -> u64 {
        self.inner.chance()
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Told")
    }
}
