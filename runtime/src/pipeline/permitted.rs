//! Step ④: permission. What was decided on is what runs.

use super::hooked::HookedCall;
use super::run::{Running, Stopped};
use crate::contract::{Effects, Flags, Opinion};
use crate::event::Verdict;
use crate::permission::{Asking, Claim, Decision, HookSays, Permit, Question, Ruling, Subject, judge, race};

/// A call that may run, with its permit.
pub(super) struct PermittedCall {
    pub(super) hooked: HookedCall,
    pub(super) permit: Permit,
}

impl HookedCall {
    /// Decides whether the call may run. An answer that rewrites the input is followed by a check of the new input.
    pub(super) async fn decide(self, running: &Running<'_>) -> Result<PermittedCall, Stopped> {
        let services = running.services;
        let call_id = self.valid.parsed.tool_use.id.clone();
        let decision = match self.ruling(running).await {
            Ruling::Decided(decision) => Claim::settle(&services.env, &call_id, decision),
            Ruling::Ask(asking) => {
                let question = self.question(running, &asking);
                race::ask(&services.env, running.place.index(), &asking, question, &services.askable).await
            }
        };
        if decision.verdict == Verdict::Deny {
            return Err(Stopped::Decided(decision, self.valid.hook_call(), self.context));
        }
        let hooked = match &decision.input {
            Some(input) => self.rewrite_decided(running, input).await?,
            None => self,
        };
        let input = hooked.valid.parsed.call.input();
        match decision.permit(&call_id, input) {
            Some(permit) => Ok(PermittedCall { hooked, permit }),
            None => Err(Stopped::Decided(decision, hooked.valid.hook_call(), hooked.context)),
        }
    }

    async fn ruling(&self, running: &Running<'_>) -> Ruling {
        let opinion = match self.valid.parsed.body {
            Some(_) => Opinion::Pass,
            None => self.valid.parsed.call.check_permissions(&running.cx).await,
        };
        let call = &self.valid.parsed.call;
        let now = self.judge(
            running,
            call.effects(&running.cx.context.for_effects()),
            call.flags(),
            &self.says,
            &opinion,
        );
        // A rewrite must not take a call out of the reach of a rule that closes.
        let stricter = self.earlier.iter().find_map(|earlier| {
            let before = self.judge(running, earlier.effects.clone(), earlier.flags, &HookSays::Nothing, &Opinion::Pass);
            let closes = matches!(&before, Ruling::Decided(Decision { verdict: Verdict::Deny, by, .. }) if by == "rule" || by == "killswitch");
            closes.then_some(before)
        });
        stricter.unwrap_or(now)
    }

    fn judge(
        &self,
        running: &Running<'_>,
        effects: Effects,
        flags: Flags,
        says: &HookSays,
        opinion: &Opinion,
    ) -> Ruling {
        let services = running.services;
        let form = self.valid.parsed.tool.form();
        let subject = Subject::new(form, flags, effects, &running.cx.context, services.files.as_ref());
        judge(&subject, &services.rules, services.profile, says, opinion, running.cx.facts.has_person)
    }

    fn question(&self, running: &Running<'_>, asking: &Asking) -> Question {
        let parsed = &self.valid.parsed;
        Question {
            call: parsed.tool_use.id.clone(),
            tool: parsed.tool_use.name.clone(),
            description: parsed.call.description(),
            input: parsed.call.input().clone(),
            reason: asking.reason.clone(),
            mode: running.cx.context.mode,
        }
    }

    /// The call with the input that the answer asks for. Rules that deny are asked again; what they say now can only
    /// close, since the question itself was answered.
    async fn rewrite_decided(
        self,
        running: &Running<'_>,
        input: &crate::message::RawInput,
    ) -> Result<HookedCall, Stopped> {
        let hooked = self.rewrite(running, input).await?;
        match hooked.ruling(running).await {
            Ruling::Decided(decision) if decision.verdict == Verdict::Deny => {
                Err(Stopped::Closed(decision, hooked.context))
            }
            Ruling::Decided(_) | Ruling::Ask(_) => Ok(hooked),
        }
    }
}
