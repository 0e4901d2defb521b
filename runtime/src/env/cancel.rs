//! Cancellation that carries its cause, which is set once.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tokio::sync::Notify;

/// Why a call should stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The turn was aborted.
    Aborted,
    /// The person interrupted: with a new message, or with none.
    Interrupted,
    /// Another call of the turn failed, described like `Bash(cargo test)`.
    Sibling(Arc<str>),
    /// The time that the run of the query loop might take was over.
    OutOfTime,
    /// The message that made the call broke off, and is not in the conversation.
    MessageDropped,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Aborted => f.write_str("the turn was aborted"),
            Cause::Interrupted => f.write_str("the user interrupted"),
            Cause::OutOfTime => f.write_str("the time for this run was over"),
            Cause::MessageDropped => f.write_str("the message that made the call broke off"),
            Cause::Sibling(what) => write!(f, "the parallel call {what} failed"),
        }
    }
}

/// Tells one call that it should stop, and why. Cheap to clone; clones share.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    cause: OnceLock<Cause>,
    told: Notify,
}

impl Cancellation {
    /// A cancellation that has not happened.
    #[must_use]
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// Cancels; the first cause stays.
    pub fn cancel(&self, cause: Cause) {
        self.set(cause);
        self.tell();
    }

    /// Cancels, and leaves it to the caller to [tell](Cancellation::tell) those who wait for it.
    pub(crate) fn set(&self, cause: Cause) {
        // A cause that came second is dropped: the first one is why the call stopped.
        drop(self.0.cause.set(cause));
    }

    /// Wakes those who wait for it.
    pub(crate) fn tell(&self) {
        self.0.told.notify_waiters();
    }

    /// Why the call should stop; nothing while it should not.
    #[must_use]
    pub fn cause(&self) -> Option<&Cause> {
        self.0.cause.get()
    }

    /// Whether the call should stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cause().is_some()
    }

    /// Waits until the call should stop.
    pub async fn cancelled(&self) -> Cause {
        loop {
            // It hears of what is told from now on, also before it is awaited.
            let told = self.0.told.notified();
            if let Some(cause) = self.cause() {
                return cause.clone();
            }
            told.await;
        }
    }
}
