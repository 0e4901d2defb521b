//! Step ⑤: the body runs. The only place where a permit is used up.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::FutureExt;

use super::body::{Body, BodyResult};
use super::permitted::PermittedCall;
use super::run::{Running, Stopped};
use crate::contract::{ErasedOutput, InterruptBehavior};
use crate::env::{BoxFuture, Cause, Either, Env, panic_message};
use crate::event::{Event, Outcome};
use crate::hooks::HookCall;
use crate::message::Content;
use crate::scheduler::Shield;

/// What a body ended with.
pub(super) struct Output {
    pub(super) end: BodyEnd,
    pub(super) hook_call: HookCall,
    /// What the model should know, from hooks.
    pub(super) context: Vec<String>,
    /// Whether the call ran beside others.
    pub(super) was_safe: bool,
}

/// The ways a body ends.
pub(super) enum BodyEnd {
    /// The tool gave its output.
    Tool(Box<dyn ErasedOutput>),
    /// A body that is not the tool's own gave its result.
    Given(BodyResult),
    /// The tool failed, in words for the model.
    Failed(Content),
    /// The tool panicked.
    Panicked(Arc<str>),
    /// It was stopped.
    Cancelled(Cause),
}

impl PermittedCall {
    /// Waits for the body's turn and runs it.
    pub(super) async fn call(self, running: &Running<'_>) -> Result<Output, Stopped> {
        let parsed = self.hooked.valid.parsed;
        let call_id = parsed.tool_use.id.clone();
        if !self.permit.is_for(&call_id, parsed.call.input()) {
            let reason = "the input is not the one that was decided on";
            return Err(Stopped::Closed(
                crate::permission::Decision::deny("gate", reason),
                self.hooked.context,
            ));
        }
        let shield = match parsed.tool.form().interrupt {
            InterruptBehavior::Cancel => Shield::Open,
            InterruptBehavior::Block => Shield::Closed,
        };
        let env = &running.services.env;
        let body_runs = &running.place.work().body_runs;
        let announce = || {
            body_runs.store(true, Ordering::Relaxed);
            env.emit(|| Event::Started { call: call_id.clone() });
        };
        running.place.start_body(shield, announce).await.map_err(Stopped::Cancelled)?;
        let was_safe = parsed.call.flags().concurrency_safe;
        let hook_call = HookCall {
            call: call_id.clone(),
            tool: parsed.tool_use.name.clone(),
            input: parsed.call.input().clone(),
        };
        let body: BoxFuture<'_, BodyEnd> = match parsed.body {
            Some(body) => Box::pin(given(body, env.clone())),
            None => {
                Box::pin(parsed.call.call(self.permit, Arc::clone(&running.cx)).map(|ended| match ended {
                    Ok(output) => BodyEnd::Tool(output),
                    Err(error) => BodyEnd::Failed(error.into_content()),
                }))
            }
        };
        let end = stoppable(running, body).await;
        body_runs.store(false, Ordering::Relaxed);
        env.emit(|| Event::Finished { call: call_id, outcome: end.outcome() });
        Ok(Output { end, hook_call, context: self.hooked.context, was_safe })
    }
}

async fn given(body: Arc<dyn Body>, env: Env) -> BodyEnd {
    BodyEnd::Given(body.run(&env).await)
}

/// Runs a body until it ends, panics or is told to stop; a body that is stopped is dropped at once.
async fn stoppable(running: &Running<'_>, body: BoxFuture<'_, BodyEnd>) -> BodyEnd {
    let mut body = AssertUnwindSafe(body).catch_unwind();
    let mut cancelled = pin!(running.cx.cancellation.cancelled());
    match running.services.env.race("stop", &mut body, &mut cancelled).await {
        Either::Left(Ok(end)) => end,
        Either::Left(Err(panic)) => BodyEnd::Panicked(panic_message(&*panic)),
        Either::Right(cause) => BodyEnd::Cancelled(cause),
    }
}

impl BodyEnd {
    fn outcome(&self) -> Outcome {
        match self {
            BodyEnd::Tool(_) => Outcome::Ok,
            BodyEnd::Given(result) if result.is_error => Outcome::Error,
            BodyEnd::Given(_) => Outcome::Ok,
            BodyEnd::Failed(_) => Outcome::Error,
            BodyEnd::Panicked(_) => Outcome::Panicked,
            BodyEnd::Cancelled(_) => Outcome::Cancelled,
        }
    }
}
