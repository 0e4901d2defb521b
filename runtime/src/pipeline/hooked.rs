//! Step ③: PreToolUse hooks see the call, and may stop, answer or rewrite it.

use super::parsed::ParsedCall;
use super::run::{Running, Stop, Stopped};
use super::valid::ValidCall;
use crate::contract::Origin;
use crate::hooks::PreToolUses;
use crate::message::RawInput;
use crate::permission::{Decision, HookSays};

/// A call that the PreToolUse hooks have seen.
pub(super) struct HookedCall {
    pub(super) valid: ValidCall,
    /// What was said of it and made of it; nothing for nearly every call.
    before: Option<Box<Before>>,
}

/// What came before the decision.
#[derive(Default)]
struct Before {
    /// What the hooks said.
    says: HookSays,
    /// The inputs that the call had before it was rewritten: rules that close are asked of these too.
    earlier: Vec<EarlierInput>,
    /// The input that the tool itself gave in place of another: it allows this one.
    own: Option<RawInput>,
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
        match running.hooks(bound.as_ref()).pre_tool_use(&running.services.env, &self.parsed.known.seen).await
        {
            Some(said) => Box::pin(self.heed(running, *said)).await,
            None => Ok(HookedCall { valid: self, before: None }),
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
        let before = Before { says: said.says, ..Before::default() };
        let hooked = HookedCall { valid: self, before: Some(Box::new(before)) };
        match said.input {
            Some((input, origin)) => hooked.rewrite(running, &input, origin).await,
            None => Ok(hooked),
        }
    }
}

/// How often one call may be rewritten.
const REWRITES_MAX: usize = 3;

impl HookedCall {
    /// What the hooks said.
    pub(super) fn says(&self) -> &HookSays {
        self.before.as_ref().map_or(&HookSays::Nothing, |before| &before.says)
    }

    /// The inputs that it had before it was rewritten.
    pub(super) fn earlier(&self) -> &[EarlierInput] {
        self.before.as_ref().map_or(&[], |before| &before.earlier)
    }

    /// Whether its input is the one that the tool itself gave.
    pub(super) fn is_tools_own(&self) -> bool {
        let own = self.before.as_ref().and_then(|before| before.own.as_ref());
        own == Some(&self.valid.parsed.known.seen.input)
    }

    /// Keeps the input as it is now among the earlier ones; gives how many there are.
    fn keep_input(&mut self, running: &Running<'_>) -> usize {
        let ParsedCall { known, call } = &self.valid.parsed;
        let effects = call.effects(&running.cx.context.for_effects());
        let earlier = EarlierInput { input: known.seen.input.clone(), effects, flags: known.flags };
        let before = self.before.get_or_insert_default();
        before.earlier.push(earlier);
        before.earlier.len()
    }

    /// The call with the input that the tool itself gives in place of its own. It is checked against the schema alone,
    /// and may set what the model may not.
    pub(super) async fn with_own(
        mut self,
        running: &Running<'_>,
        input: RawInput,
    ) -> Result<HookedCall, Stopped> {
        self.keep_input(running);
        let HookedCall { valid, mut before } = self;
        let parsed = valid.parsed.again(running, &input, Origin::Trusted).await?;
        before.get_or_insert_default().own = Some(input);
        Ok(HookedCall { valid: ValidCall { parsed }, before })
    }

    /// The same call with another input, parsed and validated again. Whether it is safe beside others is judged again.
    /// Only code in this process may set what the model may not.
    pub(super) async fn rewrite(
        mut self,
        running: &Running<'_>,
        input: &RawInput,
        origin: Origin,
    ) -> Result<HookedCall, Stopped> {
        if self.keep_input(running) > REWRITES_MAX {
            let reason = format!("permission denied: the input was rewritten more than {REWRITES_MAX} times");
            return Err(Stop::Denied(Decision::deny("hook", reason)).into());
        }
        let parsed = self.valid.parsed.again(running, input, origin).await?;
        let valid = parsed.validate(&running.cx).await?;
        Ok(HookedCall { valid, ..self })
    }
}

impl ParsedCall {
    /// The same call with another input, which is parsed and told like the first, and whose safety is judged again.
    async fn again(
        self,
        running: &Running<'_>,
        input: &RawInput,
        origin: Origin,
    ) -> Result<ParsedCall, Stopped> {
        let was_safe = self.known.flags.concurrency_safe;
        let rewritten = self.rewritten(input, origin, running.services.bodies.as_deref());
        let (parsed, converted) = rewritten?;
        running.coerced(converted);
        running.describe(&parsed);
        if parsed.known.flags.concurrency_safe != was_safe {
            running.rejudge(parsed.known.flags.concurrency_safe).await;
        }
        Ok(parsed)
    }
}
