//! A value that is replaced whole while others read it.

use std::borrow::Cow;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A value that is replaced whole. Whoever holds an earlier one learns without a lock whether it is still the latest.
#[derive(Debug)]
pub(crate) struct Latest<T> {
    now: RwLock<Arc<T>>,
    /// Where the latest value is, to be compared and never followed. While somebody holds a value, no other can be in its
    /// place.
    // INVARIANT: the place of what is in `now`; changed while that is locked.
    place: AtomicPtr<T>,
}

impl<T> Latest<T> {
    pub(crate) fn new(value: Arc<T>) -> Latest<T> {
        Latest { place: AtomicPtr::new(Arc::as_ptr(&value).cast_mut()), now: RwLock::new(value) }
    }

    /// The latest value; later ones are not seen in it.
    pub(crate) fn now(&self) -> Arc<T> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The latest value; the one that is held, where it is still that.
    pub(crate) fn refreshed<'a>(&self, held: &'a Arc<T>) -> Cow<'a, Arc<T>> {
        if self.is(held) { Cow::Borrowed(held) } else { Cow::Owned(self.now()) }
    }

    /// Whether this is the latest value.
    pub(crate) fn is(&self, held: &Arc<T>) -> bool {
        ptr::eq(self.place.load(Ordering::Acquire), Arc::as_ptr(held))
    }

    /// Replaces the value. `before` sees the two, the old one first, while no reader can.
    pub(crate) fn replace<R>(&self, value: Arc<T>, before: impl FnOnce(&T, &T) -> R) -> R {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let seen = before(&now, &value);
        self.place.store(Arc::as_ptr(&value).cast_mut(), Ordering::Release);
        *now = value;
        seen
    }
}
