//! Where events go.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::Event;
use crate::env::Tick;

/// A receiver of events. Some are told while a turn is locked, so that their order is the order of what they tell: a
/// sink takes the event and returns, and never calls back into the session.
pub trait EventSink: Send + Sync + 'static {
    /// Takes one event. The sink asks `now` for the time under its own lock, so that times never run backwards in it.
    fn emit(&self, event: Event, now: &dyn Fn() -> Tick);
}

/// An event and when it happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stamped {
    /// Nanoseconds since the environment began.
    #[serde(rename = "at_ns")]
    pub at: Tick,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Keeps every event, in order.
#[derive(Debug, Default)]
pub struct Recorder {
    events: Mutex<Vec<Stamped>>,
}

impl Recorder {
    /// The events so far.
    #[must_use]
    pub fn events(&self) -> Vec<Stamped> {
        self.lock().clone()
    }

    /// The events so far, which are then forgotten here.
    #[must_use]
    pub fn take(&self) -> Vec<Stamped> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Stamped>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Recorder {
    fn emit(&self, event: Event, now: &dyn Fn() -> Tick) {
        let mut events = self.lock();
        let at = now();
        events.push(Stamped { at, event });
    }
}
