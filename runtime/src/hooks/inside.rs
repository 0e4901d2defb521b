//! Hooks in this process: what one of them is told, and what it says.

use std::sync::Arc;

use serde_json::Value;

use super::watch::{NoAnswer, Watched, watch};
use super::wire::EventInput;
use super::wire::events::calls::{ToolFailure, ToolSuccess};
use super::{Hook, HookCall, HookError, HookStage, PostToolUse, PreDecision, PreToolUse};
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

/// What one hook in this process says before a call, or how it failed.
pub(super) async fn pre_said(env: &Env, hook: &dyn Hook, call: &HookCall) -> Result<PreToolUse, String> {
    let watched = watched(hook, HookStage::PreToolUse, &call.call);
    match watch(env, &watched, pre_word, hook.pre_tool_use(call)).await {
        Ok(said) => said.map_err(|error| error.to_string()),
        Err(no_answer) if is_passed_over(env, &no_answer) => Ok(PreToolUse::default()),
        Err(no_answer) => Err(no_answer.to_string()),
    }
}

/// Whether an implanted bug takes a hook without an answer for one that abstains.
fn is_passed_over(env: &Env, no_answer: &NoAnswer) -> bool {
    let mutant = match no_answer {
        NoAnswer::TimedOut(_) => Mutant::HookTimeoutPasses,
        NoAnswer::Ended(_) => Mutant::HookPanicPasses,
    };
    env.mutants().has(mutant)
}

/// What one hook in this process would have the model know after a body. It can no longer stop anything, so its failure
/// is only an event.
pub(super) async fn post_said(
    env: &Env,
    hook: &dyn Hook,
    call: &HookCall,
    end: &AfterBody,
) -> Option<String> {
    let work = match end {
        AfterBody::Success(output) => hook.post_tool_use(call, output),
        AfterBody::Failure(error) => hook.post_tool_use_failure(call, error),
    };
    let watched = watched(hook, end.stage(), &call.call);
    let said = watch(env, &watched, post_word, work).await;
    said.ok()?.ok()?.context
}

/// Asks one hook a permission question.
pub(crate) async fn permission_request(
    env: Env,
    hook: Arc<dyn Hook>,
    question: Question,
) -> Result<Option<Answer>, HookError> {
    if let Some(answer) = hook.race(&env, &question).await {
        return answer;
    }
    let watched = watched(hook.as_ref(), HookStage::PermissionRequest, &question.call);
    match watch(&env, &watched, request_word, hook.permission_request(&question)).await {
        Ok(answer) => answer,
        Err(no_answer) => Err(HookError(no_answer.to_string())),
    }
}

fn watched<'a>(hook: &'a dyn Hook, stage: HookStage, call: &'a CallId) -> Watched<'a> {
    Watched { stage, call: Some(call), hook: hook.name(), limit: hook.timeout() }
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

fn post_word(said: &Result<PostToolUse, HookError>) -> &'static str {
    if said.is_ok() { "abstained" } else { "failed" }
}
