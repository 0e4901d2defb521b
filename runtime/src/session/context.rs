//! The context of a session: read by calls as they begin, changed between batches.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::contract::Context;
use crate::permission::Mode;
use crate::permission::live::Changes;

/// The context, shared by all calls of a session.
#[derive(Debug)]
pub(crate) struct SharedContext {
    now: RwLock<Arc<Context>>,
    /// Held while a change is made. Readers do not wait for a change, which is not our code.
    changing: Mutex<()>,
    /// Told to the questions that wait for an answer.
    changes: Changes,
    /// Modes that nobody may enter.
    forbidden_modes: Vec<Mode>,
}

impl SharedContext {
    pub(crate) fn new(context: Context, changes: Changes, forbidden_modes: Vec<Mode>) -> SharedContext {
        let now = RwLock::new(Arc::new(context));
        SharedContext { now, changing: Mutex::new(()), changes, forbidden_modes }
    }

    /// The context as it is now; later changes are not seen in it.
    pub(crate) fn now(&self) -> Arc<Context> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this is the context as it is now.
    pub(crate) fn is(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.now.read().unwrap_or_else(PoisonError::into_inner), context)
    }

    /// Changes the context, whole or, when the change panics, not at all.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Context)) {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.now();
        let mut changed = Context::clone(&before);
        change(&mut changed);
        if self.forbidden_modes.contains(&changed.mode) {
            changed.mode = before.mode;
        }
        {
            let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
            // An answer that was asked for in the mode before must not be taken for one in this.
            if changed.mode != now.mode {
                self.changes.next_mode();
            }
            *now = Arc::new(changed);
        }
        self.changes.tell();
    }
}
