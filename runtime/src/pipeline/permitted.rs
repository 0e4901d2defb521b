//! Step ④: permission. What was decided on is what runs.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;

use super::granted::take_grants;
use super::guarded::guarded;
use super::hooked::{EarlierInput, HookedCall};
use super::run::{Running, Stop, Stopped};
use super::seen::Seen;
use super::valid::ValidCall;
use crate::contract::{CallContext, Effects, Flags, Opinion, Origin};
use crate::env::Either;
use crate::event::{Digest, Event, Verdict};
use crate::hooks::Kept;
use crate::message::RawInput;
use crate::mutant::Mutant;
use crate::permission::race::{Askable, Asked, CLASSIFIER, PERSON};
use crate::permission::{
    Asking, Claim, DecidedPlaces, Decision, HookSays, Mode, ModeEpoch, Permit, Question, QuestionKey, Ruling,
    Subject, Suggestion, Who, Why, Worry, judge, killswitch, race, suggestions,
};

/// A call that may run, with its permit.
pub(super) struct PermittedCall {
    pub(super) deciding: Deciding,
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

/// A call whose permission is to be decided.
pub(super) struct Deciding {
    pub(super) hooked: HookedCall,
    /// The input that the tool itself gave in place of another: it allows this one.
    own: Option<RawInput>,
}

/// What the gate says of a call, and of which places.
struct Judged {
    ruling: Ruling,
    places: DecidedPlaces,
    /// The rules that could have answered, where it asks.
    suggestions: Vec<Suggestion>,
}

impl Judged {
    /// Whether it is the same question, or the same answer.
    fn is_same(&self, other: &Judged) -> bool {
        self.ruling == other.ruling && self.places == other.places
    }
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
        // The state of an `async fn` would hold the call twice.
        let mut deciding = Deciding { hooked: self, own: None };
        async move {
            let opinion = match deciding.hooked.valid.asked_tool(&running.cx).await {
                Opinion::AllowWith(input) => {
                    deciding = Box::pin(deciding.with_own(running, input)).await?;
                    None
                }
                opinion @ (Opinion::Pass | Opinion::Allow | Opinion::Ask(_) | Opinion::Deny(_)) => {
                    Some(opinion)
                }
            };
            let decided = deciding.decided(running, opinion).await;
            deciding.followed(running, decided).await
        }
    }
}

impl ValidCall {
    /// The tool's word on the call as it is; a body that is not the tool's own has none.
    async fn asked_tool(&self, cx: &CallContext) -> Opinion {
        match self.parsed.body {
            Some(_) => Opinion::Pass,
            None => self.parsed.call.check_permissions(cx).await,
        }
    }
}

/// Tells hooks of a denial by the classifier, and the model what they say to it.
async fn after_denial(running: &Running<'_>, seen: &Seen, cx: &CallContext, decision: &Decision) {
    let is_classified = cx.context.mode == Mode::Auto && decision.by == CLASSIFIER;
    if is_classified
        && seen.hooks(running).permission_denied(&running.services.env, &seen.call, &decision.reason).await
    {
        running.note("a hook says that the denied call may be tried once more".to_owned());
    }
}

// What few calls do is boxed where it is called, so that the others need no room for it.
impl Deciding {
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
        let (deciding, places) = match &decision.input {
            Some(input) if !services.env.mutants().has(Mutant::AnswersInputIgnored) => {
                Box::pin(self.rewritten_by(running, &cx, &decision, input)).await?
            }
            Some(_) | None => (self, places),
        };
        match decision.permit(call, &deciding.hooked.valid.parsed.seen.input, places) {
            Some(permit) => Ok(PermittedCall { deciding, permit, cx, brought }),
            None => Err(Stop::Decided(decision, deciding.hooked.valid.seen(running)).into()),
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
        let seen = self.hooked.valid.seen(running);
        if let Some(Brought { kept, by }) = brought.map(|brought| *brought) {
            seen.apply(running, Brought { kept: Kept { updates: Vec::new(), ..kept }, by });
        }
        after_denial(running, &seen, cx, &decision).await;
        Stop::Decided(decision, seen).into()
    }

    /// The call with the input that the tool itself gives in place of its own. It is checked against the schema alone,
    /// and may set what the model may not.
    async fn with_own(self, running: &Running<'_>, input: RawInput) -> Result<Deciding, Stopped> {
        let Deciding { mut hooked, .. } = self;
        let call = &hooked.valid.parsed.call;
        let effects = call.effects(&running.cx.context.for_effects());
        let parsed = &hooked.valid.parsed;
        let earlier = EarlierInput { input: parsed.seen.input.clone(), effects, flags: parsed.flags };
        hooked.earlier.push(earlier);
        let was_safe = hooked.valid.parsed.flags.concurrency_safe;
        let bodies = running.services.bodies.as_deref();
        let (parsed, converted) =
            hooked.valid.parsed.rewritten(&input, Origin::Trusted, bodies).map_err(Stop::Refused)?;
        running.coerced(converted);
        running.describe(&parsed);
        if parsed.flags.concurrency_safe != was_safe {
            running.rejudge(parsed.flags.concurrency_safe).await;
        }
        hooked.valid.parsed = parsed;
        Ok(Deciding { hooked, own: Some(input) })
    }

    /// Decides in the context as it is now. What changes while somebody is asked may settle it, or make it another
    /// question.
    async fn decided(&self, running: &Running<'_>, mut opinion: Option<Opinion>) -> Decided {
        let (env, changes) = (&running.services.env, &running.services.changes);
        for _time in 0..JUDGED_MAX {
            let (seen, epoch) = (changes.seen(), changes.epoch());
            let cx = running.in_context_now();
            // The tool was asked already, unless it was about something else.
            let known = opinion.take().filter(|_| Arc::ptr_eq(&cx.context, &running.cx.context));
            let known = match known {
                Some(known) => known,
                None => Box::pin(self.opinion(&cx)).await,
            };
            let judged = self.judged(running, &cx, &known);
            let (decision, why, places) = match judged {
                Judged { ruling: Ruling::Decided(mut decision), places, .. } => {
                    if env.mutants().has(Mutant::BypassBeatsKillswitch)
                        && decision.by == KILLSWITCH
                        && cx.context.mode == Mode::BypassPermissions
                        && epoch != ModeEpoch::default()
                    {
                        decision = Decision::allow("mode", "the mode asks nothing");
                    }
                    (Claim::settle(env, &self.key(epoch), changes, decision), None, places)
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
        let bound = self.hooked.valid.bound(running);
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
        let call = &self.hooked.valid.parsed.call;
        guarded(|| call.classifier_input()).unwrap_or(None)
    }

    /// The tool's word. An input that it gave itself it allows; one that it would give now is not looked at any more.
    async fn opinion(&self, cx: &CallContext) -> Opinion {
        let is_own = self.own.as_ref() == Some(&self.hooked.valid.parsed.seen.input);
        match self.hooked.valid.asked_tool(cx).await {
            Opinion::Pass | Opinion::AllowWith(_) if is_own => Opinion::Allow,
            Opinion::AllowWith(_) => Opinion::Pass,
            said @ (Opinion::Pass | Opinion::Allow | Opinion::Ask(_) | Opinion::Deny(_)) => said,
        }
    }

    /// What the gate says now, the tool's word asked anew.
    async fn judged_now(&self, running: &Running<'_>, cx: &CallContext) -> Judged {
        let opinion = self.opinion(cx).await;
        self.judged(running, cx, &opinion)
    }

    /// What the gate says where this is the tool's word.
    fn judged(&self, running: &Running<'_>, cx: &CallContext, opinion: &Opinion) -> Judged {
        let HookedCall { valid, says, earlier } = &self.hooked;
        let parsed = &valid.parsed;
        let effects = parsed.call.effects(&cx.context.for_effects());
        let now = self.judge(running, cx, (effects, parsed.flags, &parsed.inputs()), says, opinion);
        let is_denied =
            |judged: &Judged| matches!(&judged.ruling, Ruling::Decided(d) if d.verdict == Verdict::Deny);
        if earlier.is_empty() || is_denied(&now) {
            return now;
        }
        // A rewrite must not take a call out of the reach of a rule that closes or asks. With a hook's allow, only
        // such rules, the killswitch and tools that need a person are left to object.
        let allow = HookSays::Allow(String::new());
        let mut strict: Vec<Judged> = Vec::new();
        for earlier in earlier {
            let inputs = [&earlier.input];
            let subject = (earlier.effects.clone(), earlier.flags, inputs.as_slice());
            let before = self.judge(running, cx, subject, &allow, &Opinion::Pass);
            let objects = !matches!(&before.ruling, Ruling::Decided(d) if d.verdict == Verdict::Allow);
            strict.extend(objects.then_some(before));
        }
        let strictest = strict.iter().position(is_denied).unwrap_or(0);
        if strict.is_empty() {
            return now;
        }
        // What runs is the input as it is now, and so are its places.
        let ruling = strict.swap_remove(strictest).ruling;
        // What would have allowed the input as it is now says nothing of the one before.
        Judged { ruling, places: now.places, suggestions: Vec::new() }
    }

    fn judge(
        &self,
        running: &Running<'_>,
        cx: &CallContext,
        (effects, flags, inputs): (Effects, Flags, &[&RawInput]),
        says: &HookSays,
        opinion: &Opinion,
    ) -> Judged {
        let services = running.services;
        let form = self.hooked.valid.parsed.tool.form();
        let files = services.files.as_ref();
        let subject = Subject::of_call(form, flags, effects, inputs.into(), &cx.context, files);
        let in_force = services.rules.now();
        let rules = in_force.in_mode(cx.context.mode);
        if services.env.is_heard()
            && let (Some(reason), Some(input)) = (killswitch(&subject), inputs.last())
        {
            let (call, input) = (running.cx.call.clone(), Digest::of(input.as_str()));
            services.env.emit(|| Event::Killswitch { call, input, reason });
        }
        let ruling = judge(&subject, rules, services.profile, says, opinion, cx.turn.session.has_person);
        let suggestions = match &ruling {
            Ruling::Ask(asking) if asking.why.may_last() => suggestions(&subject, rules, services.profile),
            Ruling::Ask(_) | Ruling::Decided(_) => Vec::new(),
        };
        Judged { ruling, places: DecidedPlaces::new(&subject), suggestions }
    }

    /// Judges an allowed call once more, in the context it is to run in; gives the places it may open there. What
    /// somebody allowed stays allowed while it would do the same in the same place; anything else must be asked anew,
    /// by another call.
    pub(super) async fn judge_again(
        &self,
        running: &Running<'_>,
        before: &CallContext,
        cx: &CallContext,
    ) -> Result<DecidedPlaces, Stopped> {
        let call = &self.hooked.valid.parsed.call;
        let (then, now) = (&before.context, &cx.context);
        let judged = self.judged_now(running, cx).await;
        let is_same = then.cwd == now.cwd
            && then.mode == now.mode
            && call.effects(&then.for_effects()) == call.effects(&now.for_effects())
            && before.places.get().is_none_or(|places| *places == judged.places);
        match judged.ruling {
            Ruling::Decided(denial) if denial.verdict == Verdict::Deny => Err(Stop::Closed(denial).into()),
            Ruling::Ask(asking) if !is_same => {
                let reason = format!(
                    "permission denied: the session changed while the call waited, and now {}; call it again",
                    asking.reason
                );
                Err(Stop::Closed(Decision::deny("gate", reason)).into())
            }
            Ruling::Decided(_) | Ruling::Ask(_) => Ok(judged.places),
        }
    }

    fn key(&self, epoch: ModeEpoch) -> QuestionKey {
        let parsed = &self.hooked.valid.parsed;
        QuestionKey { call: parsed.seen.call.clone(), input: parsed.seen.input.clone(), epoch }
    }

    /// The input that a person is asked about.
    fn asked_about(&self, running: &Running<'_>) -> &RawInput {
        let asks_first = running.services.env.mutants().has(Mutant::AsksAboutTheFirst);
        let first = self.hooked.earlier.first().filter(|_| asks_first);
        first.map_or(&self.hooked.valid.parsed.seen.input, |earlier| &earlier.input)
    }

    fn question(
        &self,
        running: &Running<'_>,
        cx: &CallContext,
        asking: &Asking,
        epoch: ModeEpoch,
        suggestions: Vec<Suggestion>,
    ) -> Question {
        let parsed = &self.hooked.valid.parsed;
        Question {
            call: parsed.seen.call.clone(),
            tool: parsed.seen.tool.clone(),
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
    ) -> Result<(Deciding, DecidedPlaces), Stopped> {
        let Deciding { hooked, own } = self;
        let is_outside = running.services.askable.hooks.is_outside(&decision.by);
        let origin = if is_outside { Origin::Model } else { Origin::Trusted };
        let hooked = match Box::pin(hooked.rewrite(running, input, origin)).await {
            // It was allowed already; nothing is decided twice.
            Err(Stopped(stop)) => match *stop {
                Stop::Denied(denial) => return Err(Stop::Closed(denial).into()),
                other => return Err(other.into()),
            },
            Ok(rewritten) => rewritten,
        };
        let deciding = Deciding { hooked, own };
        let Judged { ruling, places, .. } = deciding.judged_now(running, cx).await;
        let passes = running.services.env.mutants().has(Mutant::RewrittenPastKillswitch);
        match ruling {
            Ruling::Ask(asking) if asking.why == Why::Killswitch && passes => Ok((deciding, places)),
            Ruling::Decided(denial) if denial.verdict == Verdict::Deny => Err(Stop::Closed(denial).into()),
            Ruling::Ask(asking) if asking.who == Who::Person && decision.by != PERSON => {
                let reason =
                    format!("permission denied: {}, and it was not a person who allowed it", asking.reason);
                Err(Stop::Closed(Decision::deny("gate", reason)).into())
            }
            Ruling::Decided(_) | Ruling::Ask(_) => Ok((deciding, places)),
        }
    }
}
