//! Running hooks: each in a task of its own, all awaited, their answers merged.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;

use super::{Hook, HookCall, HookError, HookStage, PostToolUse, PreDecision, PreToolUse};
use crate::env::{Env, Task, TaskEnd, TaskName};
use crate::event::Event;
use crate::message::{CallId, RawInput};
use crate::permission::{Answer, Decision, HookSays, Question};

/// The hooks of a session.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    hooks: Vec<Arc<dyn Hook>>,
}

/// A hook that runs, and its answer to come.
type Started<T> = (Arc<dyn Hook>, Task<Result<T, HookError>>);

/// What all PreToolUse hooks said together.
#[derive(Debug, Default)]
pub(crate) struct PreToolUses {
    /// The denial, if there is one.
    pub(crate) denied: Option<Decision>,
    /// What else they said.
    pub(crate) says: HookSays,
    /// The input to run instead.
    pub(crate) input: Option<RawInput>,
    /// What the model should know.
    pub(crate) context: Vec<String>,
}

impl Hooks {
    pub(crate) fn new(hooks: Vec<Arc<dyn Hook>>) -> Hooks {
        Hooks { hooks }
    }

    /// The hooks that want to see this tool at this stage, in the order they were added. One that panics over the
    /// question sees it: a hook that may be there to deny is not passed by.
    pub(crate) fn at(&self, stage: HookStage, tool: &str) -> Vec<Arc<dyn Hook>> {
        let wants = |hook: &Arc<dyn Hook>| hook.stages().contains(&stage) && hook.matches(tool);
        let wanted = |hook: &&Arc<dyn Hook>| catch_unwind(AssertUnwindSafe(|| wants(hook))).unwrap_or(true);
        self.hooks.iter().filter(wanted).cloned().collect()
    }

    /// Runs the PreToolUse hooks side by side and merges what they say: deny, then ask, then allow. The last rewrite,
    /// in the order the hooks were added, counts.
    pub(crate) async fn pre_tool_use(&self, env: &Env, call: &HookCall) -> PreToolUses {
        let running = self.start(env, HookStage::PreToolUse, call, |hook, call| async move {
            hook.pre_tool_use(&call).await
        });
        let mut merged = PreToolUses::default();
        for (hook, task) in running {
            let answer = task.await.unwrap_or_else(|end| Err(HookError(end.to_string())));
            merged.add(hook.name(), answer);
        }
        merged
    }

    /// Runs the hooks after a body; gives what the model should know.
    pub(crate) async fn post_tool_use(&self, env: &Env, call: &HookCall, output: &Value) -> Vec<String> {
        let output = Arc::new(output.clone());
        let running = self.start(env, HookStage::PostToolUse, call, |hook, call| {
            let output = Arc::clone(&output);
            async move { hook.post_tool_use(&call, &output).await }
        });
        contexts(running).await
    }

    /// Runs the hooks after a body that failed; gives what the model should know.
    pub(crate) async fn post_tool_use_failure(&self, env: &Env, call: &HookCall, error: &str) -> Vec<String> {
        let error: Arc<str> = error.into();
        let running = self.start(env, HookStage::PostToolUseFailure, call, |hook, call| {
            let error = Arc::clone(&error);
            async move { hook.post_tool_use_failure(&call, &error).await }
        });
        contexts(running).await
    }

    fn start<T, F>(
        &self,
        env: &Env,
        stage: HookStage,
        call: &HookCall,
        run: impl Fn(Arc<dyn Hook>, HookCall) -> F,
    ) -> Vec<Started<T>>
    where
        T: Answers + Send + 'static,
        F: Future<Output = Result<T, HookError>> + Send + 'static,
    {
        let hooks = self.at(stage, &call.tool);
        let start = |(index, hook): (usize, Arc<dyn Hook>)| {
            let work = run(Arc::clone(&hook), call.clone());
            let watched = watch(env.clone(), stage, call.call.clone(), Arc::clone(&hook), work);
            (hook, env.spawn_task(TaskName { kind: "hook", index }, watched))
        };
        hooks.into_iter().enumerate().map(start).collect()
    }
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.hooks.iter().map(|hook| hook.name())).finish()
    }
}

/// Asks one hook a permission question.
pub(crate) async fn permission_request(
    env: Env,
    hook: Arc<dyn Hook>,
    question: Question,
) -> Result<Option<Answer>, HookError> {
    let call = question.call.clone();
    let asked = Arc::clone(&hook);
    let work = async move { asked.permission_request(&question).await };
    watch(env, HookStage::PermissionRequest, call, hook, work).await
}

/// Runs one hook within its time, with an event at its beginning and its end.
async fn watch<T: Answers>(
    env: Env,
    stage: HookStage,
    call: CallId,
    hook: Arc<dyn Hook>,
    work: impl Future<Output = Result<T, HookError>> + Send,
) -> Result<T, HookError> {
    let name = || hook.name().to_owned();
    env.emit(|| Event::HookStarted { call: call.clone(), hook: name(), stage });
    let caught = futures_util::FutureExt::catch_unwind(AssertUnwindSafe(work));
    let (answer, word) = match env.timeout(hook.timeout(), caught).await {
        Ok(Ok(Ok(answer))) => {
            let word = answer.word();
            (Ok(answer), word)
        }
        Ok(Ok(Err(error))) => (Err(error), "failed"),
        Ok(Err(panic)) => {
            let end = TaskEnd::Panicked(crate::env::panic_message(&*panic));
            (Err(HookError(end.to_string())), "failed")
        }
        Err(elapsed) => (Err(HookError(elapsed.to_string())), "timed out"),
    };
    env.emit(|| Event::HookFinished { call: call.clone(), hook: name(), stage, answer: word });
    answer
}

/// What a hook answered, in a word for events.
trait Answers: Send + 'static {
    fn word(&self) -> &'static str;
}

impl Answers for PreToolUse {
    fn word(&self) -> &'static str {
        match (&self.decision, &self.input) {
            (Some(PreDecision::Deny(_)), _) => "denied",
            (Some(PreDecision::Ask(_)), _) => "asked",
            (_, Some(_)) => "rewrote",
            (Some(PreDecision::Allow(_)), None) => "allowed",
            (None, None) => "abstained",
        }
    }
}

impl Answers for Option<Answer> {
    fn word(&self) -> &'static str {
        match self {
            Some(Answer::Allow { .. } | Answer::Always { .. }) => "allowed",
            Some(Answer::Deny { .. }) => "denied",
            None => "abstained",
        }
    }
}

impl Answers for PostToolUse {
    fn word(&self) -> &'static str {
        "abstained"
    }
}

impl PreToolUses {
    fn add(&mut self, hook: &str, answer: Result<PreToolUse, HookError>) {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let reason = format!("the hook `{hook}` failed, so the call is denied: {error}");
                self.denied.get_or_insert(Decision::deny(format!("hook {hook}"), reason));
                return;
            }
        };
        let rewrites = answer.input.is_some();
        match answer.decision {
            Some(PreDecision::Deny(reason)) => {
                let denial =
                    Decision { rule: answer.source, ..Decision::deny(format!("hook {hook}"), reason) };
                self.denied.get_or_insert(denial);
            }
            Some(PreDecision::Ask(reason)) if !matches!(self.says, HookSays::Ask(_)) => {
                self.says = HookSays::Ask(reason);
            }
            Some(PreDecision::Ask(_)) => {}
            // An allow is for the input that the hook has seen, or that it gives itself.
            Some(PreDecision::Allow(reason)) if rewrites || self.input.is_none() => {
                if !matches!(self.says, HookSays::Ask(_)) {
                    self.says = HookSays::Allow(reason);
                }
            }
            Some(PreDecision::Allow(_)) | None => {
                if rewrites && matches!(self.says, HookSays::Allow(_)) {
                    self.says = HookSays::Nothing;
                }
            }
        }
        self.input = answer.input.or(self.input.take());
        self.context.extend(answer.context);
    }
}

/// A hook after a call can no longer stop anything, so its failure is only an event.
async fn contexts(running: Vec<Started<PostToolUse>>) -> Vec<String> {
    let mut found = Vec::new();
    for (_hook, task) in running {
        if let Ok(Ok(PostToolUse { context: Some(context) })) = task.await {
            found.push(context);
        }
    }
    found
}
