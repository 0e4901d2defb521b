//! Step ③: PreToolUse hooks see the call, and may stop, answer or rewrite it.

use super::run::{Running, Stop, Stopped};
use super::valid::ValidCall;
use crate::contract::Origin;
use crate::hooks::PreToolUses;
use crate::message::RawInput;
use crate::permission::{Decision, HookSays};

/// A call that the PreToolUse hooks have seen.
pub(super) struct HookedCall {
    pub(super) valid: ValidCall,
    /// What the hooks said.
    pub(super) says: HookSays,
    /// The inputs it had before it was rewritten: rules that close are asked of these too.
    pub(super) earlier: Vec<EarlierInput>,
}

/// What a call would have done before it was rewritten.
pub(super) struct EarlierInput {
    pub(super) input: RawInput,
    pub(super) effects: crate::contract::Effects,
    pub(super) flags: crate::contract::Flags,
}

impl ValidCall {
    /// Lets the hooks see the call.
    pub(super) async fn pre_hooks(self, running: &Running<'_>) -> Result<HookedCall, Stopped> {
        let bound = self.bound(running);
        match running.hooks(bound.as_ref()).pre_tool_use(&running.services.env, &self.parsed.seen).await {
            Some(said) => Box::pin(self.heed(running, *said)).await,
            None => Ok(HookedCall { valid: self, says: HookSays::Nothing, earlier: Vec::new() }),
        }
    }

    /// Does what the hooks said.
    async fn heed(self, running: &Running<'_>, said: PreToolUses) -> Result<HookedCall, Stopped> {
        running.tell(said.notices);
        running.services.askable.hooks.stop_agent(said.stop);
        running.note_all(said.context).await;
        if let Some(denial) = said.denied {
            return Err(Stop::Denied(denial).into());
        }
        let hooked = HookedCall { valid: self, says: said.says, earlier: Vec::new() };
        match said.input {
            Some((input, origin)) => hooked.rewrite(running, &input, origin).await,
            None => Ok(hooked),
        }
    }
}

/// How often one call may be rewritten.
const REWRITES_MAX: usize = 3;

impl HookedCall {
    /// The same call with another input, parsed and validated again. Whether it is safe beside others is judged again.
    /// Only code in this process may set what the model may not.
    pub(super) async fn rewrite(
        mut self,
        running: &Running<'_>,
        input: &RawInput,
        origin: Origin,
    ) -> Result<HookedCall, Stopped> {
        let services = running.services;
        let call = &self.valid.parsed.call;
        let was_safe = self.valid.parsed.flags.concurrency_safe;
        self.earlier.push(EarlierInput {
            input: self.valid.parsed.seen.input.clone(),
            effects: call.effects(&running.cx.context.for_effects()),
            flags: self.valid.parsed.flags,
        });
        if self.earlier.len() > REWRITES_MAX {
            let reason = format!("permission denied: the input was rewritten more than {REWRITES_MAX} times");
            return Err(Stop::Denied(Decision::deny("hook", reason)).into());
        }
        let rewritten = self.valid.parsed.rewritten(input, origin, services.bodies.as_deref());
        let (parsed, converted) = rewritten.map_err(Stop::Refused)?;
        running.coerced(converted);
        running.describe(&parsed);
        if parsed.flags.concurrency_safe != was_safe {
            running.rejudge(parsed.flags.concurrency_safe).await;
        }
        let valid = parsed.validate(&running.cx).await.map_err(Stop::Refused)?;
        Ok(HookedCall { valid, ..self })
    }
}
