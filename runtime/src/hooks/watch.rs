//! One hook at work: within its time, its panics caught, with an event at its beginning and at its end, whichever way
//! it ends.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;

use super::HookStage;
use crate::env::{Env, TaskEnd, panic_message};
use crate::event::Event;
use crate::message::CallId;

/// What runs, for events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched<'a> {
    pub(super) stage: HookStage,
    pub(super) call: Option<&'a CallId>,
    pub(super) hook: &'a str,
    pub(super) limit: Duration,
}

/// How a hook ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("timed out after {0:?}")]
    TimedOut(Duration),
    #[error("{0}")]
    Ended(TaskEnd),
}

/// Tells that a hook has ended when it is dropped.
struct Finish<'a> {
    env: &'a Env,
    watched: &'a Watched<'a>,
    answer: &'static str,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        let Watched { stage, call, hook, .. } = *self.watched;
        let answer = self.answer;
        self.env.emit(|| Event::HookFinished { call: call.cloned(), hook: hook.to_owned(), stage, answer });
    }
}

/// Runs a hook; `word` tells events what it answered.
pub(super) async fn watch<T>(
    env: &Env,
    watched: &Watched<'_>,
    word: impl Fn(&T) -> &'static str,
    work: impl Future<Output = T>,
) -> Result<T, NoAnswer> {
    let Watched { stage, call, hook, limit } = *watched;
    env.emit(|| Event::HookStarted { call: call.cloned(), hook: hook.to_owned(), stage });
    // One that is stopped from outside ends here, at any of its waits.
    let mut finish = Finish { env, watched, answer: "cancelled" };
    let answer = match env.timeout(limit, AssertUnwindSafe(work).catch_unwind()).await {
        Ok(Ok(answer)) => {
            finish.answer = word(&answer);
            Ok(answer)
        }
        Ok(Err(panic)) => {
            finish.answer = "failed";
            Err(NoAnswer::Ended(TaskEnd::Panicked(panic_message(&*panic))))
        }
        Err(_elapsed) => {
            finish.answer = "timed out";
            Err(NoAnswer::TimedOut(limit))
        }
    };
    drop(finish);
    answer
}
