//! A model that speaks in virtual time: each event after its pause, and an end of its own.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use futures_util::stream::{self, StreamExt};
use toolwright::env::Env;
use toolwright::message::ToolUse;
use toolwright::query::{Model, ModelError, ModelErrorKind, ModelEvent, ModelStream, Request};

use super::world::ms;

/// How an answer ends, after its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Close {
    /// It is complete.
    Whole,
    /// The line breaks.
    Breaks,
    /// Nothing comes any more.
    Hangs,
}

/// One answer: events, each after a pause in milliseconds, and how it ends.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    pub(crate) events: Vec<(u64, ModelEvent)>,
    pub(crate) pause_ms: u64,
    pub(crate) close: Close,
}

impl Spoken {
    /// Calls, each after a pause.
    pub(crate) fn calls(calls: impl IntoIterator<Item = (u64, ToolUse)>) -> Spoken {
        let event = |(index, (pause, call))| (pause, ModelEvent::call(index, call));
        let events = calls.into_iter().enumerate().map(event).collect();
        Spoken { events, pause_ms: 0, close: Close::Whole }
    }
}

/// Gives its answers one after another, and then empty ones; keeps the requests.
pub(crate) struct Speaker {
    env: Env,
    answers: Mutex<VecDeque<Spoken>>,
    pub(crate) requests: Mutex<Vec<Request>>,
}

impl Speaker {
    pub(crate) fn new(env: &Env, answers: impl IntoIterator<Item = Spoken>) -> Speaker {
        let answers = Mutex::new(answers.into_iter().collect());
        Speaker { env: env.clone(), answers, requests: Mutex::default() }
    }
}

pub(crate) fn broken_line() -> ModelError {
    ModelError::new(ModelErrorKind::Connection, "the line broke")
}

impl Model for Speaker {
    fn respond(&self, request: Request) -> ModelStream {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(Spoken { events, pause_ms, close }) = next else { return Box::pin(stream::empty()) };
        let ends = match close {
            Close::Whole => vec![(pause_ms, None)],
            Close::Breaks => vec![(pause_ms, Some(Err(broken_line())))],
            Close::Hangs => Vec::new(),
        };
        let all = events.into_iter().map(|(pause, event)| (pause, Some(Ok(event)))).chain(ends);
        let env = self.env.clone();
        let spoken = stream::iter(all).then(move |(pause, said)| {
            let env = env.clone();
            async move {
                env.sleep(ms(pause)).await;
                said
            }
        });
        let spoken = spoken.filter_map(std::future::ready);
        if close == Close::Hangs { Box::pin(spoken.chain(stream::pending())) } else { Box::pin(spoken) }
    }
}
