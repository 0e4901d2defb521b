//! One call from its place in line to its result: the steps in order, and what ends them early.

use std::pin::pin;
use std::sync::Arc;

use super::body::BodySource;
use super::completion::{CallWork, Completion};
use super::map::note;
use super::parsed::{ParsedCall, Planned, Refused};
use super::permitted::PermittedCall;
use super::store::ResultStore;
use crate::contract::{CallContext, Context, FilesSeen, ResultLimit, SessionFacts};
use crate::env::{Cause, Either, Env};
use crate::event::{Event, Refusal};
use crate::hooks::HookCall;
use crate::message::{CallId, Message, TurnId};
use crate::permission::race::Askable;
use crate::permission::{Claim, Decision, Files, Profile, RuleSet};
use crate::scheduler::{Fells, Place};
use crate::session::{SharedContext, SiblingPolicy};

/// What every call of a session is run with.
pub(crate) struct Services {
    pub(crate) env: Env,
    pub(crate) rules: RuleSet,
    pub(crate) profile: Profile,
    pub(crate) askable: Askable,
    pub(crate) files: Box<dyn Files>,
    pub(crate) store: Box<dyn ResultStore>,
    pub(crate) bodies: Option<Box<dyn BodySource>>,
    pub(crate) siblings: SiblingPolicy,
    pub(crate) context: SharedContext,
    pub(crate) facts: Arc<SessionFacts>,
    pub(crate) files_seen: FilesSeen,
}

/// The turn a call is in.
#[derive(Clone)]
pub(crate) struct TurnFacts {
    pub(crate) turn: TurnId,
    pub(crate) message: Option<String>,
    pub(crate) conversation: Arc<Vec<Message>>,
}

/// A call on its way through the steps.
pub(super) struct Running<'a> {
    pub(super) services: &'a Services,
    pub(super) place: &'a Place<CallWork>,
    pub(super) cx: Arc<CallContext>,
    pub(super) result_limit: ResultLimit,
    pub(super) cancels_siblings: bool,
    description: String,
}

/// Why a call ends before its result is mapped.
pub(super) enum Stopped {
    /// It is refused: nothing was decided.
    Refused(Refused),
    /// It is denied, and nobody has said so yet.
    Denied(Decision, Vec<String>),
    /// It was decided that it may not run.
    Decided(Decision, HookCall, Vec<String>),
    /// It was allowed, and then a rewrite closed it again.
    Closed(Decision, Vec<String>),
    /// It was cancelled before its body.
    Cancelled(Cause),
}

/// Runs one call to its result.
pub(crate) async fn run(services: Arc<Services>, facts: TurnFacts, planned: Planned, place: Place<CallWork>) {
    let call = planned.tool_use().id.clone();
    let (completion, fells) = match planned {
        Planned::Refused { refused, .. } => match place.cancellation().cause() {
            Some(cause) => (cancelled(&services, &call, cause), Fells::Nobody),
            None => (refuse(&services, &call, refused), any_fells(&services)),
        },
        Planned::Parsed { call: parsed, coercions, .. } => {
            for coercion in coercions {
                services.env.emit(|| Event::Coerced { call: call.clone(), coercion });
            }
            let running = Running::new(&services, facts, &parsed, &place);
            match steps(&running, parsed).await {
                Ok(done) => done,
                Err(stopped) => stopped.completion(&running, &call).await,
            }
        }
    };
    place.finish(completion, fells).await;
}

/// The steps up to the body may be cancelled at any point; the body has its own way.
async fn steps(running: &Running<'_>, parsed: ParsedCall) -> Result<(Completion, Fells), Stopped> {
    let permitted = {
        let mut before = pin!(before_body(running, parsed));
        let mut cancelled = pin!(running.cx.cancellation.cancelled());
        match running.services.env.race("cancel", &mut cancelled, &mut before).await {
            Either::Left(cause) => return Err(Stopped::Cancelled(cause)),
            Either::Right(permitted) => permitted?,
        }
    };
    Ok(permitted.call(running).await?.map(running).await)
}

async fn before_body(running: &Running<'_>, parsed: ParsedCall) -> Result<PermittedCall, Stopped> {
    let valid = parsed.validate(&running.cx).await.map_err(Stopped::Refused)?;
    let hooked = valid.pre_hooks(running).await?;
    hooked.decide(running).await
}

impl<'a> Running<'a> {
    fn new(
        services: &'a Services,
        facts: TurnFacts,
        parsed: &ParsedCall,
        place: &'a Place<CallWork>,
    ) -> Running<'a> {
        let context: Arc<Context> = services.context.now();
        let cx = CallContext {
            env: services.env.clone(),
            call: parsed.tool_use.id.clone(),
            turn: facts.turn,
            message: facts.message,
            context,
            facts: Arc::clone(&services.facts),
            cancellation: place.cancellation(),
            files: services.files_seen.clone(),
            conversation: facts.conversation,
        };
        let form = parsed.tool.form();
        Running {
            services,
            place,
            cx: Arc::new(cx),
            result_limit: form.max_result,
            cancels_siblings: form.cancels_siblings,
            description: format!("{}: {}", parsed.call.user_facing_name(), parsed.call.description()),
        }
    }

    pub(super) async fn rejudge(&self, safe: bool) {
        let env = &self.services.env;
        self.place.rejudge(safe, || env.emit(|| Event::Rejudged { call: self.cx.call.clone(), safe })).await;
    }

    /// Tells what a person sees of the call.
    pub(super) fn render(&self, lines: Vec<String>) {
        self.services.env.emit(|| Event::Rendered {
            call: self.cx.call.clone(),
            lines: std::iter::once(self.description.clone()).chain(lines).collect(),
        });
    }
}

impl Stopped {
    async fn completion(self, running: &Running<'_>, call: &CallId) -> (Completion, Fells) {
        let services = running.services;
        match self {
            Stopped::Refused(refused) => (refuse(services, call, refused), any_fells(services)),
            Stopped::Cancelled(cause) => (cancelled(services, call, &cause), Fells::Nobody),
            Stopped::Denied(decision, context) => {
                let decision = Claim::settle(&services.env, call, decision);
                (denied(call, &decision, context), any_fells(services))
            }
            Stopped::Decided(decision, hook_call, mut context) => {
                // The reference version runs the hooks for failures after a denial too.
                if services.profile == Profile::V2_1_88 {
                    let hooks = &services.askable.hooks;
                    context.extend(
                        hooks.post_tool_use_failure(&services.env, &hook_call, &decision.reason).await,
                    );
                }
                (denied(call, &decision, context), any_fells(services))
            }
            Stopped::Closed(decision, context) => {
                let step = Refusal::Validation;
                services.env.emit(|| Event::Refused {
                    call: call.clone(),
                    step,
                    reason: decision.reason.clone(),
                });
                (denied(call, &decision, context), any_fells(services))
            }
        }
    }
}

fn denied(call: &CallId, decision: &Decision, context: Vec<String>) -> Completion {
    let mut completion = Completion::error(call, decision.reason.clone());
    completion.new_messages = context.into_iter().map(note).collect();
    completion
}

fn refuse(services: &Services, call: &CallId, refused: Refused) -> Completion {
    let Refused { step, reason, result } = refused;
    services.env.emit(|| Event::Refused { call: call.clone(), step, reason });
    Completion { result, new_messages: Vec::new() }
}

fn cancelled(services: &Services, call: &CallId, cause: &Cause) -> Completion {
    services.env.emit(|| Event::Refused {
        call: call.clone(),
        step: Refusal::Cancelled,
        reason: cause.to_string(),
    });
    Completion::error(call, format!("the call was cancelled before it ran: {cause}"))
}

/// Under the policy `Any` every error result fells the siblings, also one without a body.
fn any_fells(services: &Services) -> Fells {
    match services.siblings {
        SiblingPolicy::Any => Fells::Siblings,
        SiblingPolicy::None | SiblingPolicy::Marked => Fells::Nobody,
    }
}
