//! Step ④: permission. What was decided on is what runs.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;

use super::granted::take_grants;
use super::guarded::guarded;
use super::hooked::HookedCall;
use super::judged::Judged;
use super::run::{Running, Stop, Stopped};
use super::seen::Seen;
use crate::contract::{CallContext, Opinion, Origin};
use crate::env::Either;
use crate::event::{Event, Verdict};
use crate::hooks::Kept;
use crate::message::RawInput;
use crate::mutant::Mutant;
use crate::permission::race::{Askable, Asked, CLASSIFIER, PERSON};
use crate::permission::{
    Asking, Claim, DecidedPlaces, Decision, Mode, ModeEpoch, Permit, Question, QuestionKey, Ruling,
    Suggestion, Who, Why, Worry, race,
};

/// A call that may run, with its permit.
pub(super) struct PermittedCall {
    pub(super) hooked: HookedCall,
    pub(super) permit: Permit,
    /// What it was decided in.
    pub(super) cx: Arc<CallContext>,
    /// What the answer that allowed it brought with it, and whose answer it was.
    pub(super) brought: Option<Box<Brought>>,
}

/// What the answer to a question brought with it.
pub(super) struct Brought {
    pub(super) kept: Kept,
    pub(super) by: Cow<'static, str>,
}

/// What the gate says of a call in a context, and what had changed until then.
struct Looked {
    judged: Judged,
    cx: Arc<CallContext>,
    seen: u64,
    epoch: ModeEpoch,
}

/// A decision, and what it was made in.
struct Decided {
    decision: Decision,
    /// Why somebody was asked, if anybody was.
    why: Option<Why>,
    places: DecidedPlaces,
    cx: Arc<CallContext>,
}

/// How decisions name the killswitch.
const KILLSWITCH: &str = "killswitch";

/// How often one call is judged anew because the mode has changed.
const JUDGED_MAX: usize = 100;

impl HookedCall {
    /// Decides whether the call may run. An answer that rewrites the input is followed by a check of the new input.
    pub(super) fn decide(
        self,
        running: &Running<'_>,
    ) -> impl Future<Output = Result<PermittedCall, Stopped>> + Send {
        // The state of an `async fn` would hold the call twice. What few calls do is boxed where it is called, so that
        // the others need no room for it.
        let mut hooked = self;
        async move {
            let looked = match hooked.valid.asked_tool(&running.cx).await {
                Opinion::AllowWith(input) => {
                    hooked = Box::pin(hooked.with_own(running, input)).await?;
                    None
                }
                opinion @ (Opinion::Pass | Opinion::Allow | Opinion::Ask(_) | Opinion::Deny(_)) => {
                    match hooked.permit_at_once(running, &opinion) {
                        Ok(permit) => {
                            let cx = Arc::clone(&running.cx);
                            return Ok(PermittedCall { hooked, permit, cx, brought: None });
                        }
                        Err(looked) => looked,
                    }
                }
            };
            Box::pin(hooked.decide_slowly(running, looked)).await
        }
    }

    /// The permit of a call that the gate allows at once, as nearly all are; else what there was to see, as far as it
    /// still counts.
    fn permit_at_once(
        &self,
        running: &Running<'_>,
        opinion: &Opinion,
    ) -> Result<Permit, Option<Box<Looked>>> {
        let changes = &running.services.changes;
        let (seen, epoch) = (changes.seen(), changes.epoch());
        if !running.services.context.is(&running.cx.context) {
            return Err(None);
        }
        let judged = self.judged(running, &running.cx, opinion);
        match &judged.ruling {
            Ruling::Decided(decision) if decision.verdict == Verdict::Allow => {
                let seen = &self.valid.parsed.known.seen;
                let is_settled = self.is_settled(running, epoch, decision);
                let permit = is_settled.then(|| decision.permit(&seen.call, &seen.input, judged.places));
                permit.flatten().ok_or(None)
            }
            Ruling::Decided(_) | Ruling::Ask(_) => {
                let cx = Arc::clone(&running.cx);
                Err(Some(Box::new(Looked { judged, cx, seen, epoch })))
            }
        }
    }
}

/// Tells hooks of a denial by the classifier, and the model what they say to it.
async fn after_denial(running: &Running<'_>, seen: &Seen, cx: &CallContext, decision: &Decision) {
    let is_classified = cx.context.mode == Mode::Auto && decision.by == CLASSIFIER;
    if is_classified
        && seen
            .hooks(running)
            .permission_denied(&running.services.env, &seen.known().seen, &decision.reason)
            .await
    {
        running.note("a hook says that the denied call may be tried once more".to_owned());
    }
}

impl HookedCall {
    /// Does what was decided.
    async fn followed(self, running: &Running<'_>, decided: Decided) -> Result<PermittedCall, Stopped> {
        let Decided { decision, why, places, cx } = decided;
        let services = running.services;
        let call = &running.cx.call;
        let mut brought = services.askable.hooks.take_kept(call, &decision.by).map(|kept| {
            let by = decision.by.clone();
            Box::new(Brought { kept, by })
        });
        if decision.verdict == Verdict::Deny {
            return Err(Box::pin(self.denied(running, &cx, decision, brought)).await);
        }
        if decision.by == PERSON
            && let Some(classifier) = &services.askable.classifier
        {
            classifier.person_allowed();
        }
        if !decision.grants.is_empty() || brought.is_some() {
            let granted = brought.as_mut().map(|brought| take_grants(&mut brought.kept.updates));
            let grants = [decision.grants.clone(), granted.unwrap_or_default()].concat();
            Box::pin(running.keep_rules(&grants, why)).await;
        }
        let (hooked, places) = match &decision.input {
            Some(input) if !services.env.mutants().has(Mutant::AnswersInputIgnored) => {
                Box::pin(self.rewritten_by(running, &cx, &decision, input)).await?
            }
            Some(_) | None => (self, places),
        };
        match decision.permit(call, &hooked.valid.parsed.known.seen.input, places) {
            Some(permit) => Ok(PermittedCall { hooked, permit, cx, brought }),
            None => Err(Stop::Decided(decision, hooked.valid.seen(running)).into()),
        }
    }

    /// The end of a call that was denied.
    async fn denied(
        self,
        running: &Running<'_>,
        cx: &CallContext,
        decision: Decision,
        brought: Option<Box<Brought>>,
    ) -> Stopped {
        let seen = self.valid.seen(running);
        if let Some(Brought { kept, by }) = brought.map(|brought| *brought) {
            seen.apply(running, Brought { kept: Kept { updates: Vec::new(), ..kept }, by });
        }
        after_denial(running, &seen, cx, &decision).await;
        Stop::Decided(decision, seen).into()
    }

    /// Decides, whatever it takes, and does what was decided. What was seen already is not looked for again.
    async fn decide_slowly(
        self,
        running: &Running<'_>,
        looked: Option<Box<Looked>>,
    ) -> Result<PermittedCall, Stopped> {
        let decided = Box::pin(self.decided(running, looked)).await;
        self.followed(running, decided).await
    }

    /// Decides in the context as it is now. What changes while somebody is asked may settle it, or make it another
    /// question.
    async fn decided(&self, running: &Running<'_>, mut looked: Option<Box<Looked>>) -> Decided {
        let env = &running.services.env;
        for _time in 0..JUDGED_MAX {
            let Looked { judged, cx, seen, epoch } = match looked.take() {
                Some(looked) => *looked,
                None => Box::pin(self.look(running)).await,
            };
            let (decision, why, places) = match judged {
                Judged { ruling: Ruling::Decided(mut decision), places, .. } => {
                    if env.mutants().has(Mutant::BypassBeatsKillswitch)
                        && decision.by == KILLSWITCH
                        && cx.context.mode == Mode::BypassPermissions
                        && epoch != ModeEpoch::default()
                    {
                        decision = Decision::allow("mode", "the mode asks nothing");
                    }
                    (self.is_settled(running, epoch, &decision).then_some(decision), None, places)
                }
                Judged { ruling: Ruling::Ask(ref asking), .. } => {
                    let answer = Box::pin(self.answer(running, &cx, &judged, asking, (seen, epoch)));
                    let (answer, why) = (answer.await, asking.why);
                    (answer, Some(why), judged.places)
                }
            };
            let runs = || Decision::allow("gate", "the question is gone");
            let withdrawn = env.mutants().has(Mutant::WithdrawnRuns).then(runs);
            if let Some(decision) = decision.or(withdrawn) {
                return Decided { decision, why, places, cx };
            }
        }
        let decision =
            Decision::deny("gate", "permission denied: the mode changes faster than it can be decided in");
        crate::permission::announce(env, &running.cx.call, &decision);
        Decided { decision, why: None, places: DecidedPlaces::default(), cx: Arc::clone(&running.cx) }
    }

    /// What the gate says in the context as it is now, the tool's word asked anew.
    async fn look(&self, running: &Running<'_>) -> Looked {
        let changes = &running.services.changes;
        let (seen, epoch) = (changes.seen(), changes.epoch());
        let cx = running.in_context_now();
        let judged = self.judged_now(running, &cx).await;
        Looked { judged, cx, seen, epoch }
    }

    /// Tells a decision that nobody competed for; says whether it still counts.
    fn is_settled(&self, running: &Running<'_>, asked_in: ModeEpoch, decision: &Decision) -> bool {
        let services = running.services;
        let call = &self.valid.parsed.known.seen;
        Claim::is_settled(&services.env, (&call.call, &call.input), (asked_in, &services.changes), decision)
    }

    /// Asks, and waits for the answer. Nothing when the mode changed meanwhile, or when the gate has come to say
    /// something else: then the question is withdrawn.
    async fn answer(
        &self,
        running: &Running<'_>,
        cx: &CallContext,
        judged: &Judged,
        asking: &Asking,
        (mut seen, epoch): (u64, ModeEpoch),
    ) -> Option<Decision> {
        let services = running.services;
        let (env, changes) = (&services.env, &services.changes);
        let asked = Asked {
            index: running.place.index(),
            asking,
            question: self.question(running, cx, asking, epoch, judged.suggestions.clone()),
            visible: self.visible(),
            cwd: cx.context.cwd.display().to_string(),
            conversation: Arc::clone(&cx.turn.conversation),
        };
        let bound = self.valid.bound(running);
        let askable = services.askable.clone();
        let askable = Askable { hooks: bound.unwrap_or(askable.hooks), ..askable };
        let mut answer = pin!(race::ask(env, changes, &askable, asked));
        loop {
            let mut changed = pin!(changes.after(seen));
            match env.race("question", &mut answer, &mut changed).await {
                Either::Left(decision) => return decision,
                // Whichever was looked at first: a question that was answered is not withdrawn.
                Either::Right(()) => {
                    if let Some(decision) = answer.as_mut().now_or_never() {
                        return decision;
                    }
                }
            }
            seen = changes.seen();
            let now = running.in_context_now();
            let reason = if changes.epoch() != epoch {
                "the mode has changed"
            } else if !self.judged_now(running, &now).await.is_same(judged) {
                "rules or directories have changed"
            } else {
                continue;
            };
            let call = running.cx.call.clone();
            env.emit(|| Event::Withdrawn { call, reason: reason.to_owned() });
            return None;
        }
    }

    /// What a classifier may see of the call. A tool that cannot say shows nothing.
    fn visible(&self) -> Option<String> {
        let call = &self.valid.parsed.call;
        guarded(|| call.classifier_input()).unwrap_or(None)
    }

    fn key(&self, epoch: ModeEpoch) -> QuestionKey {
        let parsed = &self.valid.parsed;
        QuestionKey { call: parsed.known.seen.call.clone(), input: parsed.known.seen.input.clone(), epoch }
    }

    /// The input that a person is asked about.
    fn asked_about(&self, running: &Running<'_>) -> &RawInput {
        let asks_first = running.services.env.mutants().has(Mutant::AsksAboutTheFirst);
        let first = self.earlier().first().filter(|_| asks_first);
        first.map_or(&self.valid.parsed.known.seen.input, |earlier| &earlier.input)
    }

    fn question(
        &self,
        running: &Running<'_>,
        cx: &CallContext,
        asking: &Asking,
        epoch: ModeEpoch,
        suggestions: Vec<Suggestion>,
    ) -> Question {
        let parsed = &self.valid.parsed;
        Question {
            call: parsed.known.seen.call.clone(),
            tool: parsed.known.seen.tool.clone(),
            description: parsed.description(),
            input: self.asked_about(running).clone(),
            reason: asking.reason.clone(),
            why: asking.why,
            mode: cx.context.mode,
            context: Arc::clone(&cx.context),
            suggestions,
            worry: Worry::default(),
            agents: Vec::new(),
            key: self.key(epoch),
        }
    }

    /// The call with the input that the answer asks for, and its places. What the rules say now can only close, since
    /// the question itself was answered: a denial does, and so does a question that only a person may answer where
    /// somebody else did.
    async fn rewritten_by(
        self,
        running: &Running<'_>,
        cx: &CallContext,
        decision: &Decision,
        input: &RawInput,
    ) -> Result<(HookedCall, DecidedPlaces), Stopped> {
        let is_outside = running.services.askable.hooks.is_outside(&decision.by);
        let origin = if is_outside { Origin::Model } else { Origin::Trusted };
        let hooked = match Box::pin(self.rewrite(running, input, origin)).await {
            // It was allowed already; nothing is decided twice.
            Err(Stopped(stop)) => match *stop {
                Stop::Denied(denial) => return Err(Stop::Closed(denial).into()),
                other => return Err(other.into()),
            },
            Ok(rewritten) => rewritten,
        };
        let Judged { ruling, places, .. } = hooked.judged_now(running, cx).await;
        let passes = running.services.env.mutants().has(Mutant::RewrittenPastKillswitch);
        match ruling {
            Ruling::Ask(asking) if asking.why == Why::Killswitch && passes => Ok((hooked, places)),
            Ruling::Decided(denial) if denial.verdict == Verdict::Deny => Err(Stop::Closed(denial).into()),
            Ruling::Ask(asking) if asking.who == Who::Person && decision.by != PERSON => {
                let reason =
                    format!("permission denied: {}, and it was not a person who allowed it", asking.reason);
                Err(Stop::Closed(Decision::deny("gate", reason)).into())
            }
            Ruling::Decided(_) | Ruling::Ask(_) => Ok((hooked, places)),
        }
    }
}
