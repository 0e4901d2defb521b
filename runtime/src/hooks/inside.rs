//! Hooks in this process: what one of them is told, and what it says.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::stage::Stages;
use super::watch::{NoAnswer, Watched, watch};
use super::wire::events::calls::{ToolFailure, ToolSuccess};
use super::wire::{EventInput, HookInput, HookOutput};
use super::{Hook, HookCall, HookError, HookStage, PostToolUse, PreDecision, PreToolUse, TIMEOUT_DEFAULT};
use crate::env::Env;
use crate::message::CallId;
use crate::mutant::Mutant;
use crate::permission::{Answer, Question};

/// How a body ended, as hooks are told.
#[derive(Clone, Debug)]
pub(crate) enum AfterBody {
    /// With this output.
    Success(Value),
    /// With this error; or it was not allowed to run.
    Failure(String),
}

impl AfterBody {
    pub(super) fn stage(&self) -> HookStage {
        match self {
            AfterBody::Success(_) => HookStage::PostToolUse,
            AfterBody::Failure(_) => HookStage::PostToolUseFailure,
        }
    }

    /// As hooks outside the process read it, with the input as it is shown to them.
    pub(super) fn told(&self, call: &HookCall, tool_input: Value, duration_ms: Option<u64>) -> EventInput {
        let (tool_name, tool_use_id) = (call.tool.clone(), call.call.as_str().to_owned());
        match self {
            AfterBody::Success(output) => EventInput::PostToolUse(ToolSuccess {
                tool_name,
                tool_input,
                tool_response: output.clone(),
                tool_use_id,
                duration_ms,
            }),
            AfterBody::Failure(error) => EventInput::PostToolUseFailure(ToolFailure {
                tool_name,
                tool_input,
                tool_use_id,
                error: error.clone(),
                is_interrupt: Some(false),
                duration_ms,
            }),
        }
    }
}

/// A hook in this process, and what it says of itself, once.
#[derive(Clone)]
pub(crate) struct Inside {
    hook: Arc<dyn Hook>,
    name: Arc<str>,
    limit: Duration,
    stages: Stages,
}

impl Inside {
    /// A hook that panics over one of the questions: one that may be there to deny is not passed by.
    pub(super) fn new(hook: Arc<dyn Hook>) -> Inside {
        let stages = guarded(|| Stages::of(hook.stages())).unwrap_or(Stages::ALL);
        let name = guarded(|| hook.name().into()).unwrap_or_else(|| "a hook without a name".into());
        let limit = guarded(|| hook.timeout()).unwrap_or(TIMEOUT_DEFAULT);
        Inside { hook, name, limit, stages }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_at(&self, stage: HookStage) -> bool {
        self.stages.has(stage)
    }

    /// Whether it wants to see this tool at this stage. One that panics over the question sees it.
    pub(super) fn wants(&self, stage: HookStage, tool: &str) -> bool {
        self.is_at(stage) && guarded(|| self.hook.matches(tool)).unwrap_or(true)
    }

    /// What it says before a call, or how it failed.
    pub(super) async fn pre_said(&self, env: &Env, call: &HookCall) -> Result<PreToolUse, String> {
        let watched = self.watched(HookStage::PreToolUse, &call.call);
        match watch(env, &watched, pre_word, async { self.hook.pre_tool_use(call).await }).await {
            Ok(said) => said.map_err(|error| error.to_string()),
            Err(no_answer) if is_passed_over(env, &no_answer) => Ok(PreToolUse::default()),
            Err(no_answer) => Err(no_answer.to_string()),
        }
    }

    /// What it would have the model know after a body. It can no longer stop anything, so its failure is only an event.
    pub(super) async fn post_said(&self, env: &Env, call: &HookCall, end: &AfterBody) -> Option<String> {
        let watched = self.watched(end.stage(), &call.call);
        let work = async {
            match end {
                AfterBody::Success(output) => self.hook.post_tool_use(call, output).await,
                AfterBody::Failure(error) => self.hook.post_tool_use_failure(call, error).await,
            }
        };
        let said = watch(env, &watched, post_word, work).await;
        said.ok()?.ok()?.context
    }

    /// What it says at a moment that is about no single call's body, within a budget where there is one.
    pub(super) async fn said_at(
        &self,
        env: &Env,
        call: Option<&CallId>,
        budget: Option<Duration>,
        input: &HookInput,
    ) -> Result<Result<HookOutput, HookError>, NoAnswer> {
        let limit = budget.map_or(self.limit, |budget| self.limit.min(budget));
        let watched = Watched { stage: input.event.stage(), call, hook: &self.name, limit };
        watch(env, &watched, moment_word, async { self.hook.on(input).await }).await
    }

    /// Its answer to a permission question.
    pub(crate) async fn permission_request(
        &self,
        env: &Env,
        question: &Question,
    ) -> Result<Option<Answer>, HookError> {
        if let Some(answer) = self.hook.race(env, question).await {
            return answer;
        }
        let watched = self.watched(HookStage::PermissionRequest, &question.call);
        match watch(env, &watched, request_word, async { self.hook.permission_request(question).await }).await
        {
            Ok(answer) => answer,
            Err(no_answer) => Err(HookError(no_answer.to_string())),
        }
    }

    fn watched<'a>(&'a self, stage: HookStage, call: &'a CallId) -> Watched<'a> {
        Watched { stage, call: Some(call), hook: &self.name, limit: self.limit }
    }
}

/// What its author's code gives; nothing where that panics.
fn guarded<T>(code: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(code)).ok()
}

/// Whether an implanted bug takes a hook without an answer for one that abstains.
fn is_passed_over(env: &Env, no_answer: &NoAnswer) -> bool {
    let mutant = match no_answer {
        NoAnswer::TimedOut(_) => Mutant::HookTimeoutPasses,
        NoAnswer::Ended(_) => Mutant::HookPanicPasses,
    };
    env.mutants().has(mutant)
}

fn pre_word(said: &Result<PreToolUse, HookError>) -> &'static str {
    let Ok(said) = said else { return "failed" };
    match (&said.decision, &said.input) {
        (Some(PreDecision::Deny(_)), _) => "denied",
        (Some(PreDecision::Ask(_)), _) => "asked",
        (_, Some(_)) => "rewrote",
        (Some(PreDecision::Allow(_)), None) => "allowed",
        (None, None) => "abstained",
    }
}

fn request_word(said: &Result<Option<Answer>, HookError>) -> &'static str {
    match said {
        Ok(Some(Answer::Allow { .. } | Answer::Always { .. })) => "allowed",
        Ok(Some(Answer::Deny { .. })) => "denied",
        Ok(None) => "abstained",
        Err(_) => "failed",
    }
}

fn moment_word(said: &Result<HookOutput, HookError>) -> &'static str {
    if said.is_ok() { "abstained" } else { "failed" }
}

fn post_word(said: &Result<PostToolUse, HookError>) -> &'static str {
    if said.is_ok() { "abstained" } else { "failed" }
}
