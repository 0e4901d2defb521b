//! Step ⑤: the body runs. The only place where a permit is used up.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use super::body::BodyResult;
use super::guarded::guarded;
use super::parsed::ParsedCall;
use super::permitted::{Deciding, PermittedCall};
use super::run::{Running, Stopped};
use super::seen::Seen;
use crate::contract::{CallContext, ErasedOutput, InterruptBehavior, ToolError};
use crate::env::{Cause, Either, Env, Tick, panic_message};
use crate::event::Outcome;
use crate::mutant::Mutant;
use crate::permission::Decision;
use crate::scheduler::{Shield, Start};

/// What a body ended with.
pub(super) struct Output {
    pub(super) end: BodyEnd,
    pub(super) seen: Seen,
    /// When it began.
    pub(super) begun: Tick,
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
    Failed(ToolError),
    /// The tool panicked.
    Panicked(Arc<str>),
    /// It was stopped.
    Cancelled(Cause),
}

impl PermittedCall {
    /// Waits for the body's turn and runs it.
    pub(super) async fn call(self, running: &Running<'_>) -> Result<Output, Stopped> {
        let PermittedCall { deciding, permit, cx, kept, by } = self;
        let seen = deciding.hooked.valid.seen(running);
        let parsed = &deciding.hooked.valid.parsed;
        if !permit.is_for(&seen.call.call, &parsed.input) {
            let reason = "the input is not the one that was decided on";
            return Err(Stopped::Closed(Decision::deny("gate", reason)));
        }
        let shield = match parsed.tool.form().interrupt {
            InterruptBehavior::Cancel => Shield::Open,
            InterruptBehavior::Block => Shield::Closed,
        };
        let cx = Arc::new(CallContext { places: Some(permit.places()), ..CallContext::clone(&cx) });
        let cx = deciding.start(running, shield, cx).await?;
        let begun = running.services.env.now();
        // Later calls see the change; this one was decided on, and has begun.
        seen.apply(running, kept, &by);
        let work = running.place.work();
        let parsed = deciding.hooked.valid.parsed;
        tell_classifier(running, &parsed);
        let was_safe = parsed.flags.concurrency_safe;
        let env = running.services.env.clone();
        let limit = parsed.tool.form().timeout;
        let end = {
            let body = pin!(async move {
                match parsed.body {
                    Some(body) => BodyEnd::Given(body.run(&env).await),
                    None => in_time(&env, limit, parsed.call.call(permit, cx)).await,
                }
            });
            stoppable(running, body).await
        };
        work.end_body(end.outcome());
        Ok(Output { end, seen, begun, was_safe })
    }
}

/// Runs a tool's own body within its limit, if it has one; a body that is late is dropped at once.
async fn in_time(
    env: &Env,
    limit: Option<Duration>,
    body: impl Future<Output = Result<Box<dyn ErasedOutput>, ToolError>>,
) -> BodyEnd {
    let ended = match limit {
        None => Ok(body.await),
        Some(limit) => env.timeout(limit, body).await,
    };
    match ended {
        Ok(Ok(output)) => BodyEnd::Tool(output),
        Ok(Err(error)) => BodyEnd::Failed(error),
        Err(elapsed) => BodyEnd::Failed(ToolError::new(format!(
            "the tool {elapsed}, which is its limit, and was stopped"
        ))),
    }
}

/// A classifier is told of what the agent does, as far as it may see it.
fn tell_classifier(running: &Running<'_>, parsed: &ParsedCall) {
    let Some(classifier) = &running.services.askable.classifier else { return };
    if !parsed.flags.read_only {
        let visible = guarded(|| parsed.call.classifier_input()).unwrap_or(None);
        classifier.done(&parsed.tool_use.name, visible);
    }
}

impl Deciding {
    /// Starts the body when its turn has come; gives the context that it runs in. A call that was rewritten and then
    /// ran alone may have changed the context while this one waited behind it: then it is judged again.
    async fn start(
        &self,
        running: &Running<'_>,
        shield: Shield,
        decided: Arc<CallContext>,
    ) -> Result<Arc<CallContext>, Stopped> {
        let context = &running.services.context;
        let work = running.place.work();
        let mut cx = Arc::clone(&decided);
        loop {
            let is_ready = || context.is(&cx.context);
            let started = running.place.start_body_if(shield, is_ready, || work.begin_body()).await;
            match started.map_err(Stopped::Cancelled)? {
                Start::Begun => return Ok(cx),
                Start::NotReady => {
                    let mut now = CallContext { context: context.now(), ..CallContext::clone(&cx) };
                    // A call that is stopped meanwhile learns the cause at its next try.
                    let judging = Box::pin(self.judge_again(running, &decided, &now));
                    let judged = running.unless_stopped(judging).await;
                    if let Some(places) = judged.transpose()? {
                        now.places = Some(Arc::new(places));
                    }
                    cx = Arc::new(now);
                }
            }
        }
    }
}

/// Runs a body until it ends, panics or is told to stop; a body that is stopped is dropped at once.
async fn stoppable(running: &Running<'_>, body: impl Future<Output = BodyEnd> + Unpin) -> BodyEnd {
    let mut body = AssertUnwindSafe(body).catch_unwind();
    let mut cancelled = pin!(running.cx.cancellation.cancelled());
    match running.services.env.race("stop", &mut body, &mut cancelled).await {
        Either::Left(Ok(end)) => end,
        Either::Left(Err(panic)) => BodyEnd::Panicked(panic_message(&*panic)),
        Either::Right(_cause) if running.services.env.mutants().has(Mutant::DeafToStop) => {
            body.await.unwrap_or_else(|panic| BodyEnd::Panicked(panic_message(&*panic)))
        }
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
