//! The context of a session: read by calls as they begin, changed between batches.

use std::sync::{Arc, PoisonError, RwLock};

use crate::contract::Context;

/// The context, shared by all calls of a session.
#[derive(Debug)]
pub(crate) struct SharedContext(RwLock<Arc<Context>>);

impl SharedContext {
    pub(crate) fn new(context: Context) -> SharedContext {
        SharedContext(RwLock::new(Arc::new(context)))
    }

    /// The context as it is now; later changes are not seen in it.
    pub(crate) fn now(&self) -> Arc<Context> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the context, whole or, when the change panics, not at all.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Context)) {
        let mut context = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Context::clone(&context);
        change(&mut changed);
        *context = Arc::new(changed);
    }
}
