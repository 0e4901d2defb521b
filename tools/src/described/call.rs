//! One call of a described tool, and what it gave back.

use std::sync::Arc;

use serde_json::Value;
use toolwright::contract::{
    CallContext, ContextChange, Effects, EffectsContext, ErasedCall, ErasedOutput, Flags, InvalidInput,
    Opinion, ToolError,
};
use toolwright::env::BoxFuture;
use toolwright::message::{Content, Message};
use toolwright::permission::Permit;

use super::tool::Described;

/// How many lines of a result a person sees.
const SHOWN_LINES_MAX: usize = 3;

pub(super) struct DescribedCall {
    tool: Arc<Described>,
    input: Value,
}

impl DescribedCall {
    pub(super) fn new(tool: Arc<Described>, input: Value) -> DescribedCall {
        DescribedCall { tool, input }
    }
}

impl ErasedCall for DescribedCall {
    fn flags(&self) -> Flags {
        self.tool.flags
    }

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        (self.tool.effects)(&self.input, cx)
    }

    fn validate<'a>(&'a self, _cx: &'a CallContext) -> BoxFuture<'a, Result<(), InvalidInput>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn check_permissions<'a>(&'a self, _cx: &'a CallContext) -> BoxFuture<'a, Opinion> {
        Box::pin(std::future::ready(Opinion::Pass))
    }

    fn description(&self) -> String {
        self.user_facing_name()
    }

    fn user_facing_name(&self) -> String {
        self.tool.form.name.clone().into_owned()
    }

    fn classifier_input(&self) -> Option<String> {
        None
    }

    fn call(
        self: Box<Self>,
        permit: Permit,
        cx: Arc<CallContext>,
    ) -> BoxFuture<'static, Result<Box<dyn ErasedOutput>, ToolError>> {
        drop(permit);
        Box::pin(async move {
            let content = (self.tool.run)(self.input, cx).await?;
            let output: Box<dyn ErasedOutput> = Box::new(DescribedOutput(content));
            Ok(output)
        })
    }
}

struct DescribedOutput(Content);

impl ErasedOutput for DescribedOutput {
    fn to_json(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or(Value::Null)
    }

    fn content(&self) -> Content {
        self.0.clone()
    }

    fn render(&self) -> Vec<String> {
        self.0.to_text().lines().take(SHOWN_LINES_MAX).map(str::to_owned).collect()
    }

    fn take_new_messages(&mut self) -> Vec<Message> {
        Vec::new()
    }

    fn take_context_change(&mut self) -> Option<ContextChange> {
        None
    }
}
