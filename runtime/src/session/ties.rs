//! What ties a thing that outlives its call, such as a command in the background, to the session of that call: it ends
//! with the session, and what it has to say reaches the conversation.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// How many notes wait for the model. Of further ones it is told the number.
const NOTES_MAX: usize = 100;

/// What is done when a session is over.
type End = Box<dyn FnOnce() + Send>;
/// What is to be told; whoever tells it is asked when the time has come, and may have nothing to say any more.
type Note = Box<dyn FnOnce() -> Option<String> + Send>;

/// The ties of a call to its session. Cheap to clone.
#[derive(Clone)]
pub struct Ties {
    /// That of the outermost session: those within it are over with it.
    ending: Arc<Ending>,
    notes: Arc<Notes>,
}

/// What is done at the end of a session; nothing when it is over.
struct Ending(Mutex<Option<Vec<End>>>);

#[derive(Default)]
struct Notes {
    waiting: Mutex<Waiting>,
    came: Notify,
}

#[derive(Default)]
struct Waiting {
    notes: VecDeque<Note>,
    dropped: usize,
}

impl Ties {
    /// Those of a session within no other.
    pub(super) fn outermost() -> Ties {
        Ties { ending: Arc::new(Ending(Mutex::new(Some(Vec::new())))), notes: Arc::default() }
    }

    /// Those of a session within this one that has a conversation of its own.
    pub(super) fn within(&self) -> Ties {
        Ties { ending: Arc::clone(&self.ending), notes: Arc::default() }
    }

    /// Does this when the session is over, however that comes: at once where it is. A sub-agent's session is over with
    /// the one that it is within. What is done must be quick and must not wait.
    pub fn when_over(&self, end: impl FnOnce() + Send + 'static) {
        if let Some(ends) = &mut *self.ending.ends() {
            ends.push(Box::new(end));
            return;
        }
        end();
    }

    /// Tells the model something before it is asked next. When nothing is to be told by then, nothing is.
    pub fn note(&self, note: impl FnOnce() -> Option<String> + Send + 'static) {
        let mut waiting = self.notes.waiting();
        if waiting.notes.len() < NOTES_MAX {
            waiting.notes.push_back(Box::new(note));
        } else {
            waiting.dropped += 1;
        }
        drop(waiting);
        self.notes.came.notify_waiters();
    }

    /// Waits until something is to be told to the model.
    pub async fn noted(&self) {
        loop {
            let mut came = pin!(self.notes.came.notified());
            came.as_mut().enable();
            if !self.notes.waiting().notes.is_empty() {
                return;
            }
            came.await;
        }
    }

    /// Whether both are of one session, or of sessions within one.
    #[must_use]
    pub fn is_same_session(&self, other: &Ties) -> bool {
        Arc::ptr_eq(&self.ending, &other.ending)
    }

    /// Whether both are of one conversation.
    #[must_use]
    pub fn is_same_conversation(&self, other: &Ties) -> bool {
        Arc::ptr_eq(&self.notes, &other.notes)
    }

    /// What is to be told now.
    pub(super) fn take_notes(&self) -> Vec<String> {
        let Waiting { notes, dropped } = std::mem::take(&mut *self.notes.waiting());
        // Not under the lock: whoever is asked may have locks of its own.
        let mut texts: Vec<String> = notes.into_iter().filter_map(|note| note()).collect();
        if dropped > 0 {
            texts.push(format!("{dropped} further notes came at once and were dropped"));
        }
        texts
    }
}

impl Ending {
    fn ends(&self) -> MutexGuard<'_, Option<Vec<End>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Notes {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Held by an outermost session: dropped with it, it does what is to be done at its end.
pub(super) struct EndsHere(Ties);

impl EndsHere {
    pub(super) fn new(ties: &Ties) -> EndsHere {
        EndsHere(ties.clone())
    }
}

impl Drop for EndsHere {
    fn drop(&mut self) {
        let ends = self.0.ending.ends().take().unwrap_or_default();
        ends.into_iter().for_each(|end| end());
    }
}

impl std::fmt::Debug for Ties {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ties")
    }
}
