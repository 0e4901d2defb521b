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
    /// A hook would not have the prompt reach the model; this is why.
    Blocked(String),
    /// A hook would not have the agent go on; this is why.
    Stopped(String),
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
        if let Err(end) = self.take_prompt(prompt.into()).await {
            return end;
        }
        let deadline = budget.time_max.map(|time| self.env().now() + time);
        let stop = Cancellation::new();
        let mut used = Usage::default();
        for _ in 0..budget.requests_max.get() {
            let ended = match self.step_in_time(model, deadline, &stop).await {
                Ok(ended) => ended,
                Err(error) => return End::Failed(error),
            };
            used += ended.used;
            if let Some(end) = self.end_of(ended, &stop).await {
                return end;
            }
            if budget.tokens_max.is_some_and(|max| used.total() >= max) {
                return End::OutOfBudget(Spent::Tokens);
            }
        }
        End::OutOfBudget(Spent::Requests)
    }

    /// Puts a prompt into the conversation, unless a hook objects.
    async fn take_prompt(&self, prompt: String) -> Result<(), End> {
        let asked = async {
            self.begin_once().await;
            self.moments().prompt(&prompt).await
        };
        let Some(said) = self.unless_aborted(asked).await else { return Err(End::Aborted) };
        match (said.stopped, said.blocked) {
            (Some(reason), _) => return Err(End::Stopped(reason)),
            (None, Some(reason)) => return Err(End::Blocked(reason)),
            (None, None) => self.push(Message::user(prompt)),
        }
        said.context.into_iter().for_each(|context| self.push(Message::note(context)));
        Ok(())
    }

    /// Whether the run ends with this step, and how.
    async fn end_of(&self, ended: Ended, stop: &Cancellation) -> Option<End> {
        match ended.step {
            Step::Answered(text) if !ended.goes_on => self.end_of_turn(text).await,
            Step::Aborted if stop.cause() == Some(&Cause::OutOfTime) => Some(End::OutOfBudget(Spent::Time)),
            Step::Aborted => Some(End::Aborted),
            Step::Stopped(reason) => Some(End::Stopped(reason)),
            Step::Called | Step::Answered(_) => None,
        }
    }

    /// The agent wants to end its turn, unless a hook has it go on.
    async fn end_of_turn(&self, text: String) -> Option<End> {
        let moments = self.moments();
        let Some(said) = self.unless_aborted(moments.stop(&text)).await else { return Some(End::Aborted) };
        moments.say(&said);
        match (said.stopped, said.blocked) {
            (Some(reason), _) => Some(End::Stopped(reason)),
            (None, Some(reason)) => {
                self.push(Message::note(reason));
                None
            }
            (None, None) => Some(End::Answered(text)),
        }
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
