//! What hooks that nobody waits for want the model to know: kept until there is a moment to say it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many texts are kept. Further ones are dropped: whoever says so much without being asked floods.
const KEPT_MAX: usize = 100;

/// Texts that came when nobody was listening.
#[derive(Debug, Default)]
pub(super) struct Late(Mutex<Vec<String>>);

impl Late {
    pub(super) fn keep(&self, texts: Vec<String>) {
        let mut kept = self.kept();
        let room = KEPT_MAX.saturating_sub(kept.len());
        kept.extend(texts.into_iter().take(room));
    }

    pub(super) fn is_any(&self) -> bool {
        !self.kept().is_empty()
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.kept())
    }

    fn kept(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
