//! Step ⑤: the body runs. The only place where a permit is used up.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use super::body::{Body, BodyResult};
use super::guarded::guarded;
use super::hooked::HookedCall;
use super::parsed::ParsedCall;
use super::permitted::PermittedCall;
use super::run::{Running, Stop, Stopped};
use super::seen::Seen;
use crate::contract::{CallContext, ErasedCall, ErasedOutput, Flags, InterruptBehavior, ToolError};
use crate::env::{Cause, Env, panic_message};
use crate::event::Outcome;
use crate::mutant::Mutant;
use crate::permission::{Decision, Permit};
use crate::scheduler::{Shield, Start};

/// What a body ended with.
pub(super) struct Output {
    pub(super) end: BodyEnd,
    pub(super) seen: Seen,
    /// Whether the call ran beside others.
    pub(super) was_safe: bool,
}

/// The ways a body ends. Few end in the large ones, so that these are boxed.
pub(super) enum BodyEnd {
    /// The tool gave its output.
    Tool(Box<dyn ErasedOutput>),
    /// A body that is not the tool's own gave its result.
    Given(Box<BodyResult>),
    /// The tool failed, in words for the model.
    Failed(Box<ToolError>),
    /// The tool panicked.
    Panicked(Arc<str>),
    /// It was stopped.
    Cancelled(Cause),
}

impl PermittedCall {
    /// Waits for the body's turn and runs it.
    #[expect(clippy::manual_async_fn, reason = "the state of an `async fn` would hold the call twice")]
    pub(super) fn call(
        mut self,
        running: &Running<'_>,
    ) -> impl Future<Output = Result<Output, Stopped>> + Send {
        async move {
            let bound = self.hooked.valid.bound(running);
            let parsed = &self.hooked.valid.parsed;
            // INVARIANT: one call is decided once, so no places were set before.
            let is_first = self.cx.places.set(self.permit.take_places()).is_ok();
            if !is_first || !self.permit.is_for(&parsed.known.seen.call, &parsed.known.seen.input) {
                let reason = "the input is not the one that was decided on";
                return Err(Stop::Closed(Decision::deny("gate", reason)).into());
            }
            let shield = match parsed.known.tool.form().interrupt {
                InterruptBehavior::Cancel => Shield::Open,
                InterruptBehavior::Block => Shield::Closed,
            };
            let cx = self.hooked.start(running, shield, self.cx).await?;
            let ParsedCall { known, call } = self.hooked.valid.parsed;
            let (flags, body) = (known.flags, known.body.clone());
            let seen = Seen::begun(known, bound, &running.services.env);
            // Later calls see the change; this one was decided on, and has begun.
            if let Some(brought) = self.brought {
                seen.apply(running, *brought);
            }
            tell_classifier(running, &seen, flags, call.as_ref());
            let end = match body {
                Some(body) => Box::pin(given(running, body)).await,
                None => {
                    let limit = seen.known().tool.form().timeout;
                    let body = pin!(own(&running.services.env, limit, call, self.permit, cx));
                    stoppable(running, body).await
                }
            };
            running.place.work().end_body(end.outcome());
            Ok(Output { end, seen, was_safe: flags.concurrency_safe })
        }
    }
}

/// Runs a body that is not the tool's own.
async fn given(running: &Running<'_>, body: Arc<dyn Body>) -> BodyEnd {
    let body = pin!(async { BodyEnd::Given(Box::new(body.run(&running.services.env).await)) });
    stoppable(running, body).await
}

/// Runs the tool's own body within its limit, if it has one; a body that is late is dropped at once.
#[expect(clippy::manual_async_fn, reason = "the state of an `async fn` would hold the call twice")]
fn own(
    env: &Env,
    limit: Option<Duration>,
    call: Box<dyn ErasedCall>,
    permit: Permit,
    cx: Arc<CallContext>,
) -> impl Future<Output = BodyEnd> + Send {
    async move {
        let body = call.call(permit, cx);
        let ended = match limit {
            None => Ok(body.await),
            Some(limit) => env.timeout(limit, body).await,
        };
        match ended {
            Ok(Ok(output)) => BodyEnd::Tool(output),
            Ok(Err(error)) => BodyEnd::Failed(Box::new(error)),
            Err(elapsed) => {
                let text = format!("the tool {elapsed}, which is its limit, and was stopped");
                BodyEnd::Failed(Box::new(ToolError::new(text)))
            }
        }
    }
}

/// A classifier is told of what the agent does, as far as it may see it.
fn tell_classifier(running: &Running<'_>, seen: &Seen, flags: Flags, call: &dyn ErasedCall) {
    let Some(classifier) = &running.services.askable.classifier else { return };
    if !flags.read_only {
        let visible = guarded(|| call.classifier_input()).unwrap_or(None);
        classifier.done(&seen.known().seen.tool, visible);
    }
}

impl HookedCall {
    /// Starts the body when its turn has come; gives the context that it runs in. A call that was rewritten and then
    /// ran alone may have changed the context while this one waited behind it: then it is judged again.
    async fn start(
        &self,
        running: &Running<'_>,
        shield: Shield,
        decided: Arc<CallContext>,
    ) -> Result<Arc<CallContext>, Stopped> {
        let context = &running.services.context;
        let (work, input) = (running.place.work(), &self.valid.parsed.known.seen.input);
        let mut renewed: Option<Arc<CallContext>> = None;
        loop {
            let cx = renewed.as_ref().unwrap_or(&decided);
            let is_ready = || context.is(&cx.context);
            let started = running.place.start_body_if(shield, is_ready, || work.begin_body(input)).await;
            match started? {
                Start::Begun => return Ok(renewed.unwrap_or(decided)),
                Start::NotReady => renewed = Some(Box::pin(self.renewed(running, &decided, cx)).await?),
            }
        }
    }

    /// The context as it is now, for a call that may run in it too.
    async fn renewed(
        &self,
        running: &Running<'_>,
        decided: &CallContext,
        before: &CallContext,
    ) -> Result<Arc<CallContext>, Stopped> {
        let mut now = CallContext { context: running.services.context.now(), ..CallContext::clone(before) };
        // A call that is stopped meanwhile learns the cause at its next try.
        let judging = Box::pin(self.judge_again(running, decided, &now));
        let judged = running.unless_stopped(judging).await;
        if let Some(places) = judged.transpose()? {
            now.places = places.into();
        }
        Ok(Arc::new(now))
    }
}

/// Runs a body until it ends, panics or is told to stop; a body that is stopped is dropped at once.
async fn stoppable(running: &Running<'_>, body: impl Future<Output = BodyEnd> + Send + Unpin) -> BodyEnd {
    let mut body = AssertUnwindSafe(body).catch_unwind();
    let panicked = |panic: Box<dyn Any + Send>| BodyEnd::Panicked(panic_message(&*panic));
    let env = &running.services.env;
    if let Some(ended) = env.at_once(Pin::new(&mut body)).await {
        return ended.unwrap_or_else(panicked);
    }
    if env.mutants().has(Mutant::DeafToStop) {
        return body.await.unwrap_or_else(panicked);
    }
    match Box::pin(running.until_stopped("stop", &mut body)).await {
        Ok(ended) => ended.unwrap_or_else(panicked),
        Err(cause) => BodyEnd::Cancelled(cause),
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
