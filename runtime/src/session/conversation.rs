//! The conversation of a session, in the shape that models take: results right behind the calls they answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::message::Message;

/// The messages, and those that wait until a step has its results in.
#[derive(Debug, Default)]
pub(crate) struct Conversation(Mutex<Messages>);

#[derive(Debug, Default)]
struct Messages {
    said: Arc<Vec<Message>>,
    /// What came while a step was in motion; nothing while none is.
    waiting: Option<Vec<Message>>,
}

impl Conversation {
    pub(crate) fn new(said: Vec<Message>) -> Conversation {
        Conversation(Mutex::new(Messages { said: Arc::new(said), waiting: None }))
    }

    pub(crate) fn so_far(&self) -> Arc<Vec<Message>> {
        Arc::clone(&self.lock().said)
    }

    /// Adds a message from outside; while a step is in motion it waits for the step's end.
    pub(crate) fn push(&self, message: Message) {
        let mut messages = self.lock();
        match &mut messages.waiting {
            Some(waiting) => waiting.push(message),
            None => Arc::make_mut(&mut messages.said).push(message),
        }
    }

    /// Puts other messages in the place of those so far.
    pub(crate) fn replace(&self, messages: Vec<Message>) {
        self.lock().said = Arc::new(messages);
    }

    /// Adds a message of the step in motion.
    pub(crate) fn say(&self, message: Message) {
        Arc::make_mut(&mut self.lock().said).push(message);
    }

    /// A step begins; at its drop, what waited is added.
    pub(crate) fn step(&self) -> StepInMotion<'_> {
        self.lock().waiting.get_or_insert_default();
        StepInMotion(self)
    }

    fn lock(&self) -> MutexGuard<'_, Messages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps what others add out of a step.
pub(crate) struct StepInMotion<'a>(&'a Conversation);

impl StepInMotion<'_> {
    /// Ends the step; says whether anything waited for that.
    pub(crate) fn end(self) -> bool {
        self.add_what_waited()
    }

    fn add_what_waited(&self) -> bool {
        let mut messages = self.0.lock();
        let waiting = messages.waiting.take().unwrap_or_default();
        let has_news = !waiting.is_empty();
        if has_news {
            Arc::make_mut(&mut messages.said).extend(waiting);
        }
        has_news
    }
}

impl Drop for StepInMotion<'_> {
    fn drop(&mut self) {
        self.add_what_waited();
    }
}
