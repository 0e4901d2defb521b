//! The moments that are about no single call: prompts, starts and ends, batches, notifications, compaction.

use std::sync::Arc;
use std::time::Duration;

use super::heard::Heard;
use super::inside::Inside;
use super::layers::Configured;
use super::outside::Outside;
use super::run::Hooks;
use super::wire::{EventInput, HookInput, HookOutput};
use super::{Hook, HookLayer, HookSession, HookStage, HookTransport};
use crate::contract::Context;
use crate::env::{Env, Task, TaskName};
use crate::message::CallId;
use crate::permission::Profile;

/// What a session's hooks are made of.
#[derive(Default)]
pub(crate) struct HookParts {
    pub(crate) code: Vec<Arc<dyn Hook>>,
    pub(crate) layers: Vec<HookLayer>,
    pub(crate) transport: Option<Arc<dyn HookTransport>>,
    pub(crate) fails_closed: bool,
    pub(crate) session: HookSession,
}

/// What all hooks of a moment said together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Told {
    /// Why what was to happen must not, with each hook's reason.
    pub(crate) blocked: Option<String>,
    /// Why the agent is not to go on.
    pub(crate) stop: Option<String>,
    /// What the model should know.
    pub(crate) context: Vec<String>,
    /// What each of them said.
    pub(crate) outputs: Vec<HookOutput>,
}

impl Hooks {
    /// The hooks of a session.
    pub(crate) fn new(parts: HookParts, profile: Profile) -> Hooks {
        let HookParts { code, layers, transport, fails_closed, session } = parts;
        let configured = Configured::new(&layers);
        Hooks::of(code, Outside::new(configured, transport, profile, fails_closed, session))
    }

    /// Tells hooks of a moment, and waits for all of them.
    pub(crate) async fn tell(
        &self,
        env: &Env,
        context: &Context,
        agent: Option<(&str, &str)>,
        event: EventInput,
    ) -> Told {
        let stage = event.stage();
        let hooks = self.at_moment(context, agent);
        let budget = (stage == HookStage::SessionEnd).then(|| self.shared.outside.session_end());
        let heard = hooks.tell_about(env, None, event, budget).await;
        let mut told = Told::default();
        let mut reasons = Vec::new();
        for (hook, heard) in heard {
            reasons.extend(heard.blocks(stage));
            if heard.has_failed && self.shared.outside.fails_closed && blocks_when_broken(stage) {
                reasons.push(format!("the hook `{hook}` failed: {}", heard.notices.join("; ")));
            }
            told.stop = told.stop.take().or(heard.stop());
            told.context.extend(heard.context);
            told.outputs.push(heard.output);
        }
        if matches!(stage, HookStage::UserPromptSubmit | HookStage::PostToolBatch) {
            told.context.extend(self.shared.outside.late.take());
        }
        told.blocked = (!reasons.is_empty()).then(|| reasons.join("\n"));
        told
    }

    /// Runs everyone whom an event concerns, side by side.
    pub(super) async fn tell_about(
        &self,
        env: &Env,
        call: Option<&CallId>,
        event: EventInput,
        budget: Option<Duration>,
    ) -> Vec<(String, Heard)> {
        let stage = event.stage();
        let common = self.bound().map(|bound| bound.common.clone()).unwrap_or_default();
        let matched = event.matched(&common).unwrap_or_default().to_owned();
        let mut running: Vec<(String, Task<Heard>)> = Vec::new();
        for hook in self.at(stage, &matched) {
            let name = hook.name().to_owned();
            let input = HookInput { common: common.clone(), event: event.clone() };
            let work = in_process(env.clone(), hook, call.cloned(), budget, input);
            running.push((name, env.spawn_task(TaskName { kind: "hook", index: running.len() }, work)));
        }
        self.start_outside(env, call, || event.clone(), |_name, heard| heard, &mut running);
        let mut all = Vec::with_capacity(running.len());
        for (name, task) in running {
            let heard = task.await.unwrap_or_else(|end| broken(stage, &end.to_string()));
            all.push((name, heard));
        }
        all
    }
}

async fn in_process(
    env: Env,
    hook: Inside,
    call: Option<CallId>,
    budget: Option<Duration>,
    input: HookInput,
) -> Heard {
    let stage = input.event.stage();
    match hook.said_at(&env, call.as_ref(), budget, &input).await {
        Ok(Ok(output)) => Heard::in_process(output),
        Ok(Err(error)) => broken(stage, &error.to_string()),
        Err(no_answer) => broken(stage, &no_answer.to_string()),
    }
}

/// Code in this process that failed closes what it could have closed, unless that would keep the agent going.
fn broken(stage: HookStage, error: &str) -> Heard {
    let block = blocks_when_broken(stage).then(|| format!("a hook failed: {error}"));
    Heard { block, notices: vec![format!("hook error: {error}")], has_failed: true, ..Heard::default() }
}

/// Whether what is to happen can be kept from happening, and that is the closed side.
fn blocks_when_broken(stage: HookStage) -> bool {
    matches!(stage, HookStage::UserPromptSubmit | HookStage::UserPromptExpansion | HookStage::PreCompact)
}
