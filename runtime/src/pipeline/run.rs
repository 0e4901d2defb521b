//! One call from its place in line to its result: the steps in order, and what ends them early.

use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::FutureExt;

use super::body::BodySource;
use super::completion::{CallWork, Completion, Ended, Said};
use super::parsed::{ParsedCall, Planned, Refused, RefusedCall};
use super::permitted::PermittedCall;
use super::seen::Seen;
use super::store::ResultStore;
use crate::contract::{CallContext, Converted, FilesSeen, ResultLimit, SessionFacts, TurnFacts};
use crate::env::{Cause, Either, Env, panic_message};
use crate::event::span::{self, Step, inside, within};
use crate::event::{Event, Outcome, Refusal};
use crate::hooks::Hooks;
use crate::message::{CallId, Message};
use crate::permission::live::{Changes, LiveRules};
use crate::permission::race::Askable;
use crate::permission::{Decision, Files, Profile, Remember, announce};
use crate::scheduler::{Fells, Place};
use crate::session::{SharedContext, SiblingPolicy};

/// What every call of a session is run with.
pub(crate) struct Services {
    pub(crate) env: Env,
    pub(crate) rules: Arc<LiveRules>,
    /// Tells the questions that wait of changes.
    pub(crate) changes: Changes,
    pub(crate) remember: Option<Arc<dyn Remember>>,
    /// Whether no rule counts but those of managed settings.
    pub(crate) only_managed_rules: bool,
    pub(crate) profile: Profile,
    pub(crate) askable: Askable,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) store: Arc<dyn ResultStore>,
    pub(crate) bodies: Option<Arc<dyn BodySource>>,
    pub(crate) siblings: SiblingPolicy,
    pub(crate) context: Arc<SharedContext>,
    pub(crate) facts: Arc<SessionFacts>,
    pub(crate) files_seen: FilesSeen,
}

impl Services {
    /// What every turn of the session is given.
    pub(crate) fn facts_of_turn(&self) -> TurnFacts {
        let began = (self.context.now(), self.rules.now());
        TurnFacts::new(self.env.clone(), Arc::clone(&self.facts), self.files_seen.clone(), began)
    }
}

/// A call on its way through the steps.
pub(super) struct Running<'a> {
    pub(super) services: &'a Services,
    pub(super) place: &'a Place<CallWork>,
    pub(super) cx: Arc<CallContext>,
    pub(super) result_limit: ResultLimit,
    pub(super) cancels_siblings: bool,
    /// Nothing while there is nothing to say, as mostly where nobody listens.
    said: Mutex<Option<Box<Said>>>,
}

/// Why a call ends before its result is mapped. In a box, since few calls do.
pub(super) struct Stopped(pub(super) Box<Stop>);

/// What ends a call before its result is mapped.
pub(super) enum Stop {
    /// It is refused: nothing was decided.
    Refused(Refused),
    /// It is denied, and nobody has said so yet.
    Denied(Decision),
    /// It was decided that it may not run.
    Decided(Decision, Seen),
    /// It was allowed, and then a rewrite closed it again.
    Closed(Decision),
    /// It was cancelled before its body.
    Cancelled(Cause),
}

/// Runs one call to its result.
#[expect(clippy::manual_async_fn, reason = "the state of an `async fn` would hold what it is given twice")]
pub(crate) fn run(
    turn: Arc<TurnFacts>,
    planned: Planned,
    place: Place<CallWork>,
) -> impl Future<Output = ()> + Send + 'static {
    async move {
        let span = span::of_call(turn.turn, planned.id(), planned.tool());
        // In a box that is made where the task runs: a task is moved whole until then, and again when it has ended.
        let mut all = Box::pin(to_result(turn, planned, place));
        inside(&span, all.as_mut()).await;
    }
}

#[expect(clippy::manual_async_fn, reason = "the state of an `async fn` would hold what it is given twice")]
fn to_result(
    turn: Arc<TurnFacts>,
    planned: Planned,
    place: Place<CallWork>,
) -> impl Future<Output = ()> + Send {
    async move {
        let (completion, fells) = completed(turn, planned, &place).await;
        place.finish(completion, fells).await;
    }
}

/// What a call comes to, and whom it fells.
async fn completed(turn: Arc<TurnFacts>, planned: Planned, place: &Place<CallWork>) -> (Completion, Fells) {
    let services = place.work().services();
    let call = planned.id().clone();
    let env = &services.env;
    match planned {
        Planned::Refused(refused) => {
            let RefusedCall { tool_use, refused, .. } = *refused;
            let ended = match place.cancellation().cause() {
                Some(cause) => cancelled(services, &call, cause),
                None => refuse(services, &call, refused),
            };
            let said = Said { headline: tool_use.name, ..Said::default() };
            ended.complete(env, call, Some(Box::new(said)))
        }
        Planned::Parsed { call: parsed, converted } => {
            let running = Running::new(turn, &parsed, place);
            running.coerced(converted);
            let ended = to_end(&running, parsed).await;
            let said = running.said.into_inner().unwrap_or_else(PoisonError::into_inner);
            ended.complete(env, call, said)
        }
    }
}

/// The steps, and what they come to when one ends the call or panics.
async fn to_end(running: &Running<'_>, parsed: ParsedCall) -> Ended {
    // In a box of its own: with it, the way of a call would not fit into one quick allocation.
    let caught = AssertUnwindSafe(Box::pin(steps(running, parsed))).catch_unwind().await;
    let caught = match caught {
        Ok(Ok(ended)) => Ok(ended),
        Ok(Err(Stopped(stop))) => AssertUnwindSafe(Box::pin(stop.end(running))).catch_unwind().await,
        Err(panic) => Err(panic),
    };
    caught.unwrap_or_else(|panic| {
        let text =
            format!("the call ended early: something around the tool panicked: {}", panic_message(&*panic));
        running.place.work().break_off(Outcome::Panicked, &text);
        Ended::error(text, running.any_fells())
    })
}

/// The steps up to the body may be cancelled at any point; the body has its own way.
async fn steps(running: &Running<'_>, parsed: ParsedCall) -> Result<Ended, Stopped> {
    // A call that was cancelled in the line takes no step at all.
    if let Some(cause) = running.cx.cancellation.cause() {
        return Err(cause.clone().into());
    }
    let permitted = unless_cancelled(running, pin!(before_body(running, parsed))).await?;
    let output = within(Step::Call, pin!(permitted.call(running))).await?;
    Ok(within(Step::Map, pin!(output.map(running))).await)
}

/// Waits for the steps before the body, unless the call is cancelled first. The steps are borrowed, so that what waits for
/// them is small and stands in one place of what waits for it.
async fn unless_cancelled<T>(
    running: &Running<'_>,
    mut before: Pin<&mut impl Future<Output = Result<T, Stopped>>>,
) -> Result<T, Stopped> {
    if let Some(permitted) = running.services.env.at_once(before.as_mut()).await {
        return permitted;
    }
    let mut cancelled = pin!(running.cx.cancellation.cancelled());
    match running.services.env.race("cancel", &mut cancelled, &mut before).await {
        Either::Left(cause) => Err(cause.into()),
        Either::Right(permitted) => permitted,
    }
}

async fn before_body(running: &Running<'_>, parsed: ParsedCall) -> Result<PermittedCall, Stopped> {
    let valid = within(Step::Validate, pin!(parsed.validate(&running.cx))).await?;
    let hooked = within(Step::PreHooks, pin!(valid.pre_hooks(running))).await?;
    within(Step::Permission, pin!(hooked.decide(running))).await
}

impl<'a> Running<'a> {
    fn new(turn: Arc<TurnFacts>, parsed: &ParsedCall, place: &'a Place<CallWork>) -> Running<'a> {
        let services = place.work().services();
        let context = services.context.refreshed(&turn.context);
        let cx = CallContext {
            call: parsed.known.seen.call.clone(),
            turn,
            context,
            cancellation: place.cancellation().clone(),
            places: OnceLock::new(),
        };
        let form = parsed.known.tool.form();
        let running = Running {
            services,
            place,
            cx: Arc::new(cx),
            result_limit: form.max_result,
            cancels_siblings: form.cancels_siblings,
            said: Mutex::default(),
        };
        running.describe(parsed);
        running
    }

    /// The hooks of the session, or those of them that are bound to the call.
    pub(super) fn hooks<'h>(&'h self, bound: Option<&'h Hooks>) -> &'h Hooks {
        bound.unwrap_or(&self.services.askable.hooks)
    }

    /// What the call is run with, in the context as it is now.
    pub(super) fn in_context_now(&self) -> Arc<CallContext> {
        if self.services.context.is(&self.cx.context) {
            return Arc::clone(&self.cx);
        }
        Arc::new(CallContext { context: self.services.context.now(), ..CallContext::clone(&self.cx) })
    }

    pub(super) async fn rejudge(&self, safe: bool) {
        let env = &self.services.env;
        self.place.rejudge(safe, || env.emit(|| Event::Rejudged { call: self.cx.call.clone(), safe })).await;
    }

    /// Keeps what hooks want the model to know, however the call ends.
    pub(super) fn note(&self, text: String) {
        self.say(|said| said.notes.push(Message::note(text)));
    }

    /// Keeps what hooks want the person to know, however the call ends.
    pub(super) fn tell(&self, notices: Vec<String>) {
        if !notices.is_empty() {
            self.say(|said| said.notices.extend(notices));
        }
    }

    /// Keeps what the person sees of a result.
    pub(super) fn show(&self, lines: Vec<String>) {
        self.say(|said| said.shown = Some(lines));
    }

    /// Keeps what the tool puts into the conversation.
    pub(super) fn put_in(&self, messages: Vec<Message>) {
        if !messages.is_empty() {
            self.say(|said| said.new_messages = messages);
        }
    }

    /// The call has another input now. It is put into words for those who listen.
    pub(super) fn describe(&self, parsed: &ParsedCall) {
        if self.services.env.is_heard() {
            let headline = parsed.headline();
            self.say(|said| said.headline = headline);
        }
    }

    pub(super) fn coerced(&self, converted: Option<Box<Converted>>) {
        let Some(converted) = converted else { return };
        for coercion in converted.coercions {
            self.services.env.emit(|| Event::Coerced { call: self.cx.call.clone(), coercion });
        }
    }

    /// Waits for work after the body, unless the call is told to stop meanwhile; the work is dropped then.
    pub(super) async fn unless_stopped<T>(
        &self,
        mut work: impl Future<Output = T> + Send + Unpin,
    ) -> Option<T> {
        match self.services.env.at_once(Pin::new(&mut work)).await {
            Some(value) => Some(value),
            None => Box::pin(self.until_stopped("after", &mut work)).await.ok(),
        }
    }

    /// Waits for work, or until the call is told to stop.
    ///
    /// # Errors
    /// Why the call is to stop.
    pub(super) async fn until_stopped<T>(
        &self,
        label: &'static str,
        work: &mut (impl Future<Output = T> + Send + Unpin),
    ) -> Result<T, Cause> {
        let mut cancelled = pin!(self.cx.cancellation.cancelled());
        match self.services.env.race(label, work, &mut cancelled).await {
            Either::Left(value) => Ok(value),
            Either::Right(cause) => Err(cause),
        }
    }

    /// See [`any_fells`].
    pub(super) fn any_fells(&self) -> Fells {
        any_fells(self.services)
    }

    fn say(&self, say: impl FnOnce(&mut Said)) {
        say(self.said.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default());
    }
}

impl From<Stop> for Stopped {
    #[cold]
    fn from(stop: Stop) -> Stopped {
        Stopped(Box::new(stop))
    }
}

impl From<Refused> for Stopped {
    #[cold]
    fn from(refused: Refused) -> Stopped {
        Stop::Refused(refused).into()
    }
}

impl From<Cause> for Stopped {
    #[cold]
    fn from(cause: Cause) -> Stopped {
        Stop::Cancelled(cause).into()
    }
}

impl Stop {
    async fn end(self, running: &Running<'_>) -> Ended {
        let services = running.services;
        let call = &running.cx.call;
        match self {
            Stop::Refused(refused) => refuse(services, call, refused),
            Stop::Cancelled(cause) => cancelled(services, call, &cause),
            Stop::Denied(decision) => {
                announce(&services.env, call, &decision);
                Ended::error(decision.reason.into_owned(), any_fells(services))
            }
            Stop::Decided(decision, seen) => {
                // The reference version runs the hooks for failures after a denial too.
                if services.profile == Profile::V2_1_88 {
                    seen.after_failure(running, &decision.reason).await;
                }
                Ended::error(decision.reason.into_owned(), any_fells(services))
            }
            Stop::Closed(decision) => {
                let reason = decision.reason.to_string();
                services.env.emit(|| Event::Refused { call: call.clone(), step: Refusal::Closed, reason });
                Ended::error(decision.reason.into_owned(), any_fells(services))
            }
        }
    }
}

fn refuse(services: &Services, call: &CallId, refused: Refused) -> Ended {
    let Refused { step, reason, text } = refused;
    services.env.emit(|| Event::Refused { call: call.clone(), step, reason });
    Ended::error(text, any_fells(services))
}

fn cancelled(services: &Services, call: &CallId, cause: &Cause) -> Ended {
    services.env.emit(|| Event::Refused {
        call: call.clone(),
        step: Refusal::Cancelled,
        reason: cause.to_string(),
    });
    Ended::error(format!("the call was cancelled before it ran: {cause}"), Fells::Nobody)
}

/// Under the policy `Any` every error result fells the siblings, also one without a body.
fn any_fells(services: &Services) -> Fells {
    match services.siblings {
        SiblingPolicy::Any => Fells::Siblings,
        SiblingPolicy::None | SiblingPolicy::Marked => Fells::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What common allocators hand out without a search.
    const QUICK_BYTES: usize = 1_024;

    /// What is moved in place of a call.
    const TASK_BYTES: usize = 256;

    fn size_of_all<F>(_all: impl FnOnce(Arc<TurnFacts>, Planned, Place<CallWork>) -> F) -> usize {
        size_of::<F>()
    }

    fn size_of_steps<'a, F>(_steps: impl FnOnce(&'a Running<'a>, ParsedCall) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn the_steps_of_a_call_fit_into_one_quick_allocation() {
        let size = size_of_steps(steps);
        assert!(size <= QUICK_BYTES, "{size} bytes");
    }

    #[test]
    fn the_way_of_a_call_fits_into_one_too_and_its_task_is_small() {
        let whole = size_of_all(to_result);
        assert!(whole <= QUICK_BYTES, "{whole} bytes");
        let task = size_of_all(run);
        assert!(task <= TASK_BYTES, "{task} bytes");
    }
}
