//! A configured hook as one of those who may answer a permission question.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::heard::Heard;
use super::layers::Handler;
use super::outside::{Bound, Kept, Outside, Run};
use super::wire::events::calls::ToolQuestion;
use super::wire::{
    Destination, EventInput, HookInput, PermissionUpdate, RequestWord, RuleBehavior, RuleValue, Specific,
};
use super::{Hook, HookError, HookStage};
use crate::env::Env;
use crate::message::RawInput;
use crate::permission::{Answer, Question};

/// A configured hook that may answer a permission question.
pub(super) struct Racer {
    pub(super) outside: Arc<Outside>,
    pub(super) handler: Handler,
    pub(super) bound: Arc<Bound>,
    pub(super) name: String,
}

#[async_trait]
impl Hook for Racer {
    fn name(&self) -> &str {
        &self.name
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PermissionRequest]
    }

    async fn permission_request(&self, _question: &Question) -> Result<Option<Answer>, HookError> {
        Ok(None)
    }

    async fn race(&self, env: &Env, question: &Question) -> Option<Result<Option<Answer>, HookError>> {
        let event = EventInput::PermissionRequest(ToolQuestion {
            tool_name: question.tool.clone(),
            tool_input: self.bound.shown(&question.input),
            permission_suggestions: suggested(question),
        });
        let run = Run {
            outside: Arc::clone(&self.outside),
            handler: self.handler.clone(),
            input: HookInput { common: self.bound.common.clone(), event },
            call: Some(question.call.clone()),
            cwd: self.bound.cwd.clone(),
            root: self.bound.root.clone(),
        };
        let heard = run.heard(env.clone()).await;
        Some(self.answer(question, &heard))
    }
}

impl Racer {
    fn answer(&self, question: &Question, heard: &Heard) -> Result<Option<Answer>, HookError> {
        if heard.has_failed && self.outside.fails_closed {
            return Err(HookError(heard.notices.join("; ")));
        }
        let keep = |kept| self.outside.keep(&question.call, &self.name, kept);
        if let Some(reason) = heard.stop() {
            keep(Kept { stop: Some(reason.clone()), ..Kept::default() });
            return Ok(Some(Answer::Deny { message: Some(reason) }));
        }
        let Some(Specific::PermissionRequest(said)) = &heard.output.hook_specific_output else {
            return Ok(None);
        };
        Ok(said.decision.as_ref().map(|word| match word {
            RequestWord::Allow { updated_input, updated_permissions } => {
                keep(Kept { updates: updated_permissions.clone().unwrap_or_default(), stop: None });
                let input = updated_input.clone().map(|input| RawInput::from_value(&Value::Object(input)));
                Answer::Allow { input }
            }
            RequestWord::Deny { message, interrupt } => {
                let why = || message.clone().unwrap_or_else(|| "a hook interrupted the agent".to_owned());
                keep(Kept { stop: (*interrupt == Some(true)).then(why), ..Kept::default() });
                Answer::Deny { message: message.clone() }
            }
        }))
    }
}

/// The rules that would answer a question, each as the change that keeps it for the session.
fn suggested(question: &Question) -> Option<Vec<PermissionUpdate>> {
    let update = |rule| PermissionUpdate::AddRules {
        rules: vec![rule],
        behavior: RuleBehavior::Allow,
        destination: Destination::Session,
    };
    let rules = question.suggestions.iter().filter_map(|suggestion| RuleValue::of(&suggestion.rule.text));
    let updates: Vec<_> = rules.map(update).collect();
    (!updates.is_empty()).then_some(updates)
}
