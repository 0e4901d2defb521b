//! Option 0 everywhere: the run most like production.

use crate::engine::{ReadyTask, Strategy};

/// Takes option 0 everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct First;

impl Strategy for First {
    fn task(&mut self, _ready: &[ReadyTask]) -> Option<usize> {
        Some(0)
    }

    fn value(&mut self, _label: &'static str, _options: usize) -> usize {
        0
    }
}
