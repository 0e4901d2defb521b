//! Step ④: permission. What was decided on is what runs.

use super::hooked::HookedCall;
use super::run::{Running, Stopped};
use super::seen::Seen;
use crate::contract::{CallContext, Effects, Flags, Opinion, Origin};
use crate::event::Verdict;
use crate::hooks::Kept;
use crate::message::RawInput;
use crate::permission::race::Askable;
use crate::permission::{
    Asking, Claim, Decision, HookSays, Mode, Permit, Question, Ruling, Subject, Who, judge, race,
};

/// A call that may run, with its permit.
pub(super) struct PermittedCall {
    pub(super) hooked: HookedCall,
    pub(super) permit: Permit,
    /// What the answer that allowed it brought with it, and whose answer it was.
    pub(super) kept: Kept,
    pub(super) by: String,
}

impl HookedCall {
    /// Decides whether the call may run. An answer that rewrites the input is followed by a check of the new input.
    pub(super) async fn decide(self, running: &Running<'_>) -> Result<PermittedCall, Stopped> {
        let services = running.services;
        let call_id = self.valid.parsed.tool_use.id.clone();
        let decision = match self.ruling(running, &running.cx).await {
            Ruling::Decided(decision) => Claim::settle(&services.env, &call_id, decision),
            Ruling::Ask(asking) => {
                let question = self.question(running, &asking);
                let askable = Askable { hooks: self.valid.seen(running).hooks, ..services.askable.clone() };
                race::ask(&services.env, running.place.index(), &asking, question, &askable).await
            }
        };
        let kept = services.askable.hooks.take_kept(&call_id, &decision.by);
        if decision.verdict == Verdict::Deny {
            let seen = self.valid.seen(running);
            seen.apply(running, Kept { updates: Vec::new(), ..kept }, &decision.by);
            self.after_denial(running, &seen, &decision).await;
            return Err(Stopped::Decided(decision, seen));
        }
        let hooked = match &decision.input {
            Some(input) => self.rewrite_decided(running, &decision, input).await?,
            None => self,
        };
        let input = &hooked.valid.parsed.input;
        match decision.permit(&call_id, input) {
            Some(permit) => Ok(PermittedCall { hooked, permit, kept, by: decision.by }),
            None => Err(Stopped::Decided(decision, hooked.valid.seen(running))),
        }
    }

    /// Tells hooks of a denial by the classifier, and the model what they say to it.
    async fn after_denial(&self, running: &Running<'_>, seen: &Seen, decision: &Decision) {
        let is_classified = running.cx.context.mode == Mode::Auto && decision.by == CLASSIFIER;
        if is_classified
            && seen.hooks.permission_denied(&running.services.env, &seen.call, &decision.reason).await
        {
            running.note(vec!["a hook says that the denied call may be tried once more".to_owned()]);
        }
    }

    async fn ruling(&self, running: &Running<'_>, cx: &CallContext) -> Ruling {
        let opinion = match self.valid.parsed.body {
            Some(_) => Opinion::Pass,
            None => self.valid.parsed.call.check_permissions(cx).await,
        };
        let call = &self.valid.parsed.call;
        let effects = call.effects(&cx.context.for_effects());
        let now = self.judge(running, cx, (effects, call.flags()), &self.says, &opinion);
        let is_denied = |ruling: &Ruling| matches!(ruling, Ruling::Decided(d) if d.verdict == Verdict::Deny);
        if is_denied(&now) {
            return now;
        }
        // A rewrite must not take a call out of the reach of a rule that closes or asks. With a hook's allow, only
        // such rules, the killswitch and tools that need a person are left to object.
        let allow = HookSays::Allow(String::new());
        let mut strict: Vec<Ruling> = Vec::new();
        for earlier in &self.earlier {
            let subject = (earlier.effects.clone(), earlier.flags);
            let before = self.judge(running, cx, subject, &allow, &Opinion::Pass);
            let objects = !matches!(&before, Ruling::Decided(d) if d.verdict == Verdict::Allow);
            strict.extend(objects.then_some(before));
        }
        let strictest = strict.iter().position(is_denied).unwrap_or(0);
        if strict.is_empty() { now } else { strict.swap_remove(strictest) }
    }

    fn judge(
        &self,
        running: &Running<'_>,
        cx: &CallContext,
        (effects, flags): (Effects, Flags),
        says: &HookSays,
        opinion: &Opinion,
    ) -> Ruling {
        let services = running.services;
        let form = self.valid.parsed.tool.form();
        let subject = Subject::new(form, flags, effects, &cx.context, services.files.as_ref());
        judge(&subject, &services.rules, services.profile, says, opinion, cx.facts.has_person)
    }

    /// Judges an allowed call once more, in the context it is to run in. What somebody allowed stays allowed while it
    /// would do the same in the same place; anything else must be asked anew, by another call.
    pub(super) async fn judge_again(&self, running: &Running<'_>, cx: &CallContext) -> Result<(), Stopped> {
        let call = &self.valid.parsed.call;
        let (before, now) = (&running.cx.context, &cx.context);
        let is_same = before.cwd == now.cwd
            && before.mode == now.mode
            && call.effects(&before.for_effects()) == call.effects(&now.for_effects());
        match self.ruling(running, cx).await {
            Ruling::Decided(denial) if denial.verdict == Verdict::Deny => Err(Stopped::Closed(denial)),
            Ruling::Ask(asking) if !is_same => {
                let reason = format!(
                    "permission denied: the session changed while the call waited, and now {}; call it again",
                    asking.reason
                );
                Err(Stopped::Closed(Decision::deny("gate", reason)))
            }
            Ruling::Decided(_) | Ruling::Ask(_) => Ok(()),
        }
    }

    fn question(&self, running: &Running<'_>, asking: &Asking) -> Question {
        let parsed = &self.valid.parsed;
        Question {
            call: parsed.tool_use.id.clone(),
            tool: parsed.tool_use.name.clone(),
            description: parsed.description(),
            input: parsed.input.clone(),
            reason: asking.reason.clone(),
            mode: running.cx.context.mode,
        }
    }

    /// The call with the input that the answer asks for. What the rules say now can only close, since the question
    /// itself was answered: a denial does, and so does a question that only a person may answer where a hook did.
    async fn rewrite_decided(
        self,
        running: &Running<'_>,
        decision: &Decision,
        input: &RawInput,
    ) -> Result<HookedCall, Stopped> {
        let is_outside = running.services.askable.hooks.is_outside(&decision.by);
        let origin = if is_outside { Origin::Model } else { Origin::Trusted };
        let hooked = match self.rewrite(running, input, origin).await {
            // It was allowed already; nothing is decided twice.
            Err(Stopped::Denied(denial)) => return Err(Stopped::Closed(denial)),
            rewritten => rewritten?,
        };
        match hooked.ruling(running, &running.cx).await {
            Ruling::Decided(denial) if denial.verdict == Verdict::Deny => Err(Stopped::Closed(denial)),
            Ruling::Ask(asking) if asking.who == Who::Person && decision.by != PERSON => {
                let reason =
                    format!("permission denied: {}, and it was not a person who allowed it", asking.reason);
                Err(Stopped::Closed(Decision::deny("gate", reason)))
            }
            Ruling::Decided(_) | Ruling::Ask(_) => Ok(hooked),
        }
    }
}

/// How decisions name the person.
const PERSON: &str = "person";
/// How decisions name the classifier.
const CLASSIFIER: &str = "classifier";
