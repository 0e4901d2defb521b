//! Every order of every step, without looking at what steps touch: slow, and the measure of what is quicker.

use super::search::Tree;
use crate::engine::{ReadyTask, Step};

/// Between which steps it is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// Between all.
    #[default]
    All,
    /// Between those that announced what they touch; all others are made at once.
    Announced,
}

/// All choices of one run, each with what was not tried yet.
#[derive(Debug, Default)]
pub struct DepthFirst {
    steps: Steps,
    frames: Vec<Frame>,
    next: usize,
    values: usize,
    has_strayed: bool,
}

#[derive(Debug)]
struct Frame {
    options: usize,
    picked: usize,
    /// The number of the value; nothing for a choice among tasks.
    value: Option<usize>,
    /// Whether any other option could make a difference.
    matters: bool,
}

impl DepthFirst {
    /// A search that chooses between these steps.
    #[must_use]
    pub fn new(steps: Steps) -> DepthFirst {
        DepthFirst { steps, ..DepthFirst::default() }
    }

    fn pick(&mut self, options: usize, value: Option<usize>) -> usize {
        if options < 2 {
            return 0;
        }
        if self.next == self.frames.len() {
            self.frames.push(Frame { options, picked: 0, value, matters: value.is_none() });
        }
        self.next += 1;
        let frame = &self.frames[self.next - 1];
        self.has_strayed |= (frame.options, frame.value) != (options, value);
        frame.picked
    }
}

impl Tree for DepthFirst {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        let silent = match self.steps {
            Steps::All => None,
            Steps::Announced => ready.iter().position(|task| task.announced.is_none()),
        };
        Some(silent.unwrap_or_else(|| self.pick(ready.len(), None)))
    }

    fn value(&mut self, options: usize) -> usize {
        self.values += 1;
        self.pick(options, Some(self.values - 1))
    }

    fn ran(&mut self, _step: Step<'_>) {}

    fn quiet(&mut self) {}

    fn mattered(&mut self, value: usize) {
        if let Some(frame) = self.frames.iter_mut().find(|frame| frame.value == Some(value)) {
            frame.matters = true;
        }
    }

    fn turn(&mut self) -> bool {
        (self.next, self.values) = (0, 0);
        while let Some(frame) = self.frames.last_mut() {
            if frame.matters && frame.picked + 1 < frame.options {
                frame.picked += 1;
                return true;
            }
            self.frames.pop();
        }
        false
    }

    fn has_strayed(&self) -> bool {
        self.has_strayed
    }
}
