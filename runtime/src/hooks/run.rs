//! Running hooks: all of them side by side, each in a task of its own, and their answers merged. One hook in this process
//! that has nobody beside it runs where it is: there is no order to be chosen.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::heard::Heard;
use super::inside::{AfterBody, Inside};
use super::merge::{PostToolUses, PreSaid, PreToolUses, is_same};
use super::outside::{Bound, Kept, Outside, Run};
use super::racer::Racer;
use super::wire::events::calls::{ToolCall, ToolRefusal};
use super::wire::{EventInput, HookInput, Specific};
use super::{Hook, HookAgent, HookCall, HookLayer, HookStage, PreToolUse};
use crate::contract::Context;
use crate::env::{Env, Task, TaskName, Tick};
use crate::message::{CallId, RawInput};
use crate::permission::{Files, Subject};

/// The hooks of a session. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(super) shared: Arc<Shared>,
    /// The call they were bound to: configured hooks see calls only so.
    bound: Option<Arc<Bound>>,
}

#[derive(Default)]
pub(super) struct Shared {
    code: Vec<Inside>,
    pub(super) outside: Arc<Outside>,
    /// Why the agent is not to go on.
    stop: Mutex<Option<String>>,
}

/// Whom a call meets at a stage.
enum Met<'a> {
    Nobody,
    /// One hook in this process.
    Alone(&'a Inside),
    /// More than one, or hooks that are configured; those in this process are these.
    SideBySide(Vec<Inside>),
}

impl Hooks {
    pub(super) fn of(code: Vec<Arc<dyn Hook>>, outside: Outside) -> Hooks {
        Hooks::with(code.into_iter().map(Inside::new).collect(), outside)
    }

    fn with(code: Vec<Inside>, outside: Outside) -> Hooks {
        let shared = Shared { code, outside: Arc::new(outside), stop: Mutex::new(None) };
        Hooks { shared: Arc::new(shared), bound: None }
    }

    /// The same hooks for a sub-agent, with its own behind them. What stops it stops nobody else.
    pub(crate) fn of_agent(&self, agent: HookAgent, own: Vec<HookLayer>) -> Hooks {
        Hooks::with(self.shared.code.clone(), self.shared.outside.of_agent(agent, own))
    }

    /// Whether anyone wants to be called at this moment.
    pub(crate) fn are_any_at(&self, stage: HookStage) -> bool {
        self.shared.outside.has(stage)
            || (stage == HookStage::PostToolBatch && self.shared.outside.late.is_any())
            || self.shared.code.iter().any(|inside| inside.is_at(stage))
    }

    /// Whether some of them are configured, and must be bound to a call to see it.
    pub(crate) fn are_configured(&self) -> bool {
        !self.shared.outside.is_empty()
    }

    /// These hooks for one call of a tool, by the name the model wrote, with what it would do.
    pub(crate) fn for_call(&self, call: &HookCall, subject: &Subject<'_>, files: &dyn Files) -> Hooks {
        let bound = self.shared.outside.bind(&call.tool, call.input.as_str(), subject, files);
        Hooks { shared: Arc::clone(&self.shared), bound: Some(Arc::new(bound)) }
    }

    /// The hooks in this process that want to see this tool at this stage, in the order they were added.
    fn inside<'a>(&'a self, stage: HookStage, tool: &'a str) -> impl Iterator<Item = &'a Inside> {
        self.shared.code.iter().filter(move |inside| inside.wants(stage, tool))
    }

    /// Whom a call of this tool meets at this stage. No list is made for nobody, and for one.
    fn met<'a>(&'a self, stage: HookStage, tool: &'a str) -> Met<'a> {
        let mut inside = self.inside(stage, tool);
        if self.bound.is_some() {
            return Met::SideBySide(inside.cloned().collect());
        }
        match (inside.next(), inside.next()) {
            (None, _) => Met::Nobody,
            (Some(alone), None) => Met::Alone(alone),
            (Some(one), Some(other)) => {
                Met::SideBySide([one, other].into_iter().chain(inside).cloned().collect())
            }
        }
    }

    /// The hooks in this process that want to see this tool at this stage, and the configured ones that may answer a
    /// permission question.
    pub(crate) fn at(&self, stage: HookStage, tool: &str) -> Vec<Inside> {
        let mut hooks: Vec<Inside> = self.inside(stage, tool).cloned().collect();
        if let (HookStage::PermissionRequest, Some(bound)) = (stage, &self.bound) {
            let outside = &self.shared.outside;
            hooks.extend(outside.racers(bound).into_iter().map(|handler| {
                let racer = Racer {
                    outside: Arc::clone(outside),
                    handler: handler.clone(),
                    bound: Arc::clone(bound),
                    name: handler.name(),
                };
                Inside::new(Arc::new(racer))
            }));
        }
        hooks
    }

    /// Those that a call of this tool would meet before it runs, in words.
    pub(crate) fn before(&self, tool: &str) -> Vec<String> {
        let named = |stage: HookStage, name: &str| format!("{} {name}", stage.name());
        let at = |stage| self.at(stage, tool).into_iter().map(move |hook| named(stage, hook.name()));
        let outside = self.bound.iter().flat_map(|bound| self.shared.outside.before(bound));
        let outside = outside.map(|name| named(HookStage::PreToolUse, &name));
        at(HookStage::PreToolUse).chain(outside).chain(at(HookStage::PermissionRequest)).collect()
    }

    /// Whether one of them would be asked about a call of this tool.
    pub(crate) fn answer(&self, tool: &str) -> bool {
        !self.at(HookStage::PermissionRequest, tool).is_empty()
    }

    /// An input as hooks outside the process see it.
    fn shown(&self, input: &RawInput) -> Value {
        self.bound.as_ref().map(|bound| bound.shown(input)).unwrap_or_default()
    }

    /// Whether a decision's author is a hook outside this process.
    pub(crate) fn is_outside(&self, by: &str) -> bool {
        self.shared.outside.is_author(by)
    }

    /// What the answer that decided a permission question brings with it, where it brings anything.
    pub(crate) fn take_kept(&self, call: &CallId, by: &str) -> Option<Kept> {
        self.are_configured().then(|| self.shared.outside.take_kept(call, by)).flatten()
    }

    /// Keeps the agent from going on.
    pub(crate) fn stop_agent(&self, reason: Option<String>) {
        let Some(reason) = reason else { return };
        self.shared.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
    }

    /// Why the agent is not to go on, once.
    pub(crate) fn take_stop(&self) -> Option<String> {
        self.shared.stop.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Runs the PreToolUse hooks side by side and merges what they say.
    /// Nothing where none has anything to say.
    pub(crate) async fn pre_tool_use(&self, env: &Env, call: &HookCall) -> Option<Box<PreToolUses>> {
        match self.met(HookStage::PreToolUse, &call.tool) {
            Met::Nobody => None,
            Met::Alone(alone) => {
                let said = alone.pre_said(env, call).await;
                if said.as_ref().is_ok_and(PreToolUse::is_silent) {
                    return None;
                }
                let said = PreSaid::in_process(alone.name().to_owned(), said);
                Some(Box::new(PreToolUses::merged(&call.input, vec![said])))
            }
            Met::SideBySide(ours) => Some(Box::pin(self.pre_side_by_side(env, call, ours)).await),
        }
    }

    async fn pre_side_by_side(&self, env: &Env, call: &HookCall, ours: Vec<Inside>) -> Box<PreToolUses> {
        let mut running: Vec<(String, Task<PreSaid>)> = Vec::new();
        for hook in ours {
            let (inner, asked, name) = (env.clone(), call.clone(), hook.name().to_owned());
            let named = name.clone();
            let work = async move { PreSaid::in_process(named, hook.pre_said(&inner, &asked).await) };
            running.push((name, env.spawn_task(TaskName { kind: "hook", index: running.len() }, work)));
        }
        self.start_pre_outside(env, call, &mut running);
        let mut said = Vec::with_capacity(running.len());
        for (name, task) in running {
            said.push(task.await.unwrap_or_else(|end| PreSaid::broken(name, &end.to_string())));
        }
        Box::new(PreToolUses::merged(&call.input, said))
    }

    fn start_pre_outside(&self, env: &Env, call: &HookCall, running: &mut Vec<(String, Task<PreSaid>)>) {
        if self.bound.is_none() {
            return;
        }
        let event = || {
            EventInput::PreToolUse(ToolCall {
                tool_name: call.tool.clone(),
                tool_input: self.shown(&call.input),
                tool_use_id: call.call.as_str().to_owned(),
            })
        };
        let fails_closed = self.shared.outside.fails_closed;
        let (asked, shown) = (call.input.clone(), RawInput::from_value(&self.shown(&call.input)));
        // What gives back the input as it was shown has not changed it.
        let said = move |name, heard| {
            let said = PreSaid::outside(name, heard, fails_closed);
            let input = said.input.map(|input| if is_same(&input, &shown) { asked.clone() } else { input });
            PreSaid { input, ..said }
        };
        self.start_outside(env, Some(&call.call), event, said, running);
    }

    /// Runs the hooks after a body, which began then, if there was one. Nothing where none has anything to say.
    pub(crate) async fn after_body(
        &self,
        env: &Env,
        call: &HookCall,
        end: &AfterBody,
        begun: Option<Tick>,
    ) -> Option<Box<PostToolUses>> {
        match self.met(end.stage(), &call.tool) {
            Met::Nobody => None,
            Met::Alone(alone) => {
                let context = alone.post_said(env, call, end).await?;
                Some(Box::new(PostToolUses { context: vec![context], ..PostToolUses::default() }))
            }
            Met::SideBySide(ours) => {
                Some(Box::pin(self.after_side_by_side(env, call, end, begun, ours)).await)
            }
        }
    }

    async fn after_side_by_side(
        &self,
        env: &Env,
        call: &HookCall,
        end: &AfterBody,
        begun: Option<Tick>,
        ours: Vec<Inside>,
    ) -> Box<PostToolUses> {
        let stage = end.stage();
        let mut merged = Box::<PostToolUses>::default();
        let mut running: Vec<(String, Task<Heard>)> = Vec::new();
        let shared = Arc::new(end.clone());
        for hook in ours {
            let (inner, call, name) = (env.clone(), call.clone(), hook.name().to_owned());
            let end = Arc::clone(&shared);
            let work = async move {
                let context = hook.post_said(&inner, &call, &end).await;
                Heard { context: context.into_iter().collect(), ..Heard::default() }
            };
            running.push((name, env.spawn_task(TaskName { kind: "hook", index: running.len() }, work)));
        }
        let event = || end.told(call, self.shown(&call.input), begun.map(|begun| millis(env, begun)));
        self.start_outside(env, Some(&call.call), event, |_name, heard| heard, &mut running);
        for (name, task) in running {
            if let Ok(heard) = task.await {
                merged.add(&name, stage, heard);
            }
        }
        merged
    }

    /// Tells hooks that the classifier denied a call; says whether one would have the model try again.
    pub(crate) async fn permission_denied(&self, env: &Env, call: &HookCall, reason: &str) -> bool {
        let event = EventInput::PermissionDenied(ToolRefusal {
            tool_name: call.tool.clone(),
            tool_input: self.shown(&call.input),
            tool_use_id: call.call.as_str().to_owned(),
            reason: reason.to_owned(),
        });
        let heard = self.tell_about(env, Some(&call.call), event, None).await;
        heard.iter().any(|(_, heard)| {
            matches!(&heard.output.hook_specific_output, Some(Specific::PermissionDenied(said)) if said.retry)
        })
    }

    /// Starts the configured hooks that an event concerns.
    pub(super) fn start_outside<T: Send + 'static>(
        &self,
        env: &Env,
        call: Option<&CallId>,
        event: impl Fn() -> EventInput,
        said: impl Fn(String, Heard) -> T + Clone + Send + 'static,
        running: &mut Vec<(String, Task<T>)>,
    ) {
        let Some(bound) = &self.bound else { return };
        let outside = &self.shared.outside;
        let event = event();
        for handler in outside.concerned(&event, bound) {
            let name = handler.name();
            let run = Run {
                outside: Arc::clone(outside),
                handler: handler.clone(),
                input: HookInput { common: bound.common.clone(), event: event.clone() },
                call: call.cloned(),
                cwd: bound.cwd.clone(),
                root: bound.root.clone(),
            };
            let (inner, told, said) = (env.clone(), name.clone(), said.clone());
            let work = async move {
                let heard = run.heard(inner).await;
                said(told, heard)
            };
            running.push((name, env.spawn_task(TaskName { kind: "hook", index: running.len() }, work)));
        }
    }

    /// The same hooks at a moment that is about no call.
    pub(super) fn at_moment(&self, context: &Context, agent: Option<(&str, &str)>) -> Hooks {
        let mut bound = self.shared.outside.unbound(context);
        if let Some((id, kind)) = agent {
            bound.common.agent_id = Some(id.to_owned());
            bound.common.agent_type = Some(kind.to_owned());
        }
        Hooks { shared: Arc::clone(&self.shared), bound: Some(Arc::new(bound)) }
    }

    /// What every configured hook is given beside the event; nothing where they are bound to nothing.
    pub(super) fn bound(&self) -> Option<&Bound> {
        self.bound.as_deref()
    }
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.shared.code.iter().map(Inside::name);
        f.debug_list().entries(names).finish_non_exhaustive()
    }
}

fn millis(env: &Env, begun: Tick) -> u64 {
    u64::try_from(env.now().since(begun).as_millis()).unwrap_or(u64::MAX)
}
