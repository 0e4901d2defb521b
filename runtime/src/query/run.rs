//! The loop itself: step after step, until the model makes no more calls or what it may spend is spent.

use std::num::NonZeroUsize;
use std::pin::pin;
use std::time::Duration;

use super::step::{Ended, Step};
use super::{Model, ModelError, Usage};
use crate::env::{Cancellation, Cause, Either, Tick};
use crate::message::Message;
use crate::session::Session;

/// What a run may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How often the model is asked at the most.
    pub requests_max: NonZeroUsize,
    /// How many tokens may be read and written; the answer that passes the limit is the last.
    pub tokens_max: Option<u64>,
    /// How long it may take; calls that run at the end are stopped.
    pub time_max: Option<Duration>,
}

impl Default for Budget {
    fn default() -> Budget {
        let requests_max = NonZeroUsize::new(100).expect("a hundred is not zero");
        Budget { requests_max, tokens_max: None, time_max: None }
    }
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The model made no more calls; this is what it said last.
    Answered(String),
    /// What it might spend was spent; the last results are in the conversation.
    OutOfBudget(Spent),
    /// It was aborted; calls that were made have their results.
    Aborted,
    /// The model gave no answer.
    Failed(ModelError),
}

/// Which part of a [`Budget`] was spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// The requests.
    Requests,
    /// The tokens.
    Tokens,
    /// The time.
    Time,
}

impl Session {
    /// Gives the model a prompt, and runs its calls until it makes no more. The conversation keeps what was said. A
    /// message that comes while the model gives its last answer is answered too.
    pub async fn run(&self, model: &dyn Model, prompt: impl Into<String>, budget: Budget) -> End {
        self.push(Message::user(prompt));
        let deadline = budget.time_max.map(|time| self.env().now() + time);
        let stop = Cancellation::new();
        let mut used = Usage::default();
        for _ in 0..budget.requests_max.get() {
            let ended = match self.step_in_time(model, deadline, &stop).await {
                Ok(ended) => ended,
                Err(error) => return End::Failed(error),
            };
            match ended.step {
                Step::Answered(text) if !ended.goes_on => return End::Answered(text),
                Step::Aborted if stop.cause() == Some(&Cause::OutOfTime) => {
                    return End::OutOfBudget(Spent::Time);
                }
                Step::Aborted => return End::Aborted,
                Step::Called | Step::Answered(_) => {}
            }
            used += ended.used;
            if budget.tokens_max.is_some_and(|max| used.total() >= max) {
                return End::OutOfBudget(Spent::Tokens);
            }
        }
        End::OutOfBudget(Spent::Requests)
    }

    /// A step that is stopped at the deadline.
    async fn step_in_time(
        &self,
        model: &dyn Model,
        deadline: Option<Tick>,
        stop: &Cancellation,
    ) -> Result<Ended, ModelError> {
        let mut step = pin!(self.step_until(model, stop));
        let Some(deadline) = deadline else { return step.await };
        let mut alarm = self.env().sleep(deadline.since(self.env().now()));
        match self.env().race("budget", &mut step, &mut alarm).await {
            Either::Left(ended) => ended,
            Either::Right(()) => {
                stop.cancel(Cause::OutOfTime);
                step.await
            }
        }
    }
}
