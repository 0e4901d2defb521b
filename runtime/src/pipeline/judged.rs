//! What the gate says of a call in a context, with the tool's own word.

use super::hooked::HookedCall;
use super::run::{Running, Stop, Stopped};
use super::valid::ValidCall;
use crate::contract::{CallContext, Effects, Flags, Opinion};
use crate::event::{Digest, Event, Verdict};
use crate::message::RawInput;
use crate::permission::{
    DecidedPlaces, Decision, HookSays, Ruling, Subject, Suggestion, judge, killswitch, suggestions,
};

/// What the gate says of a call, and of which places.
pub(super) struct Judged {
    pub(super) ruling: Ruling,
    pub(super) places: DecidedPlaces,
    /// The rules that could have answered, where it asks.
    pub(super) suggestions: Vec<Suggestion>,
}

impl Judged {
    /// Whether it is the same question, or the same answer.
    pub(super) fn is_same(&self, other: &Judged) -> bool {
        self.ruling == other.ruling && self.places == other.places
    }
}

impl ValidCall {
    /// The tool's word on the call as it is; a body that is not the tool's own has none.
    pub(super) async fn asked_tool(&self, cx: &CallContext) -> Opinion {
        match self.parsed.known.body {
            Some(_) => Opinion::Pass,
            None => self.parsed.call.check_permissions(cx).await,
        }
    }
}

impl HookedCall {
    /// The tool's word. An input that it gave itself it allows; one that it would give now is not looked at any more.
    async fn opinion(&self, cx: &CallContext) -> Opinion {
        let is_own = self.is_tools_own();
        match self.valid.asked_tool(cx).await {
            Opinion::Pass | Opinion::AllowWith(_) if is_own => Opinion::Allow,
            Opinion::AllowWith(_) => Opinion::Pass,
            said @ (Opinion::Pass | Opinion::Allow | Opinion::Ask(_) | Opinion::Deny(_)) => said,
        }
    }

    /// What the gate says now, the tool's word asked anew.
    pub(super) async fn judged_now(&self, running: &Running<'_>, cx: &CallContext) -> Judged {
        let opinion = self.opinion(cx).await;
        self.judged(running, cx, &opinion)
    }

    /// What the gate says where this is the tool's word.
    pub(super) fn judged(&self, running: &Running<'_>, cx: &CallContext, opinion: &Opinion) -> Judged {
        let (parsed, says, earlier) = (&self.valid.parsed, self.says(), self.earlier());
        let effects = parsed.call.effects(&cx.context.for_effects());
        let now =
            self.judge(running, cx, (effects, parsed.known.flags, &parsed.known.inputs()), says, opinion);
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
        let form = self.valid.parsed.known.tool.form();
        let files = services.files.as_ref();
        let subject = Subject::of_call(form, flags, effects, inputs.into(), &cx.context, files);
        let in_force = services.rules.refreshed(&cx.turn.rules);
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
        let call = &self.valid.parsed.call;
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
}
