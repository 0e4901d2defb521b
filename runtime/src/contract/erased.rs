//! Tools, calls and outputs with their types erased: what the registry, the scheduler and the pipeline hold.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use serde::Serialize;
use serde_json::Value;

use super::ToolError;
use super::{
    CallContext, ContextChange, Effects, EffectsContext, Flags, Form, InvalidInput, Opinion, SessionFacts,
};
use crate::env::BoxFuture;
use crate::message::{Content, Message, RawInput};
use crate::permission::Permit;
use crate::schema::{Coercion, InputErrors, Schema};

/// Where an input comes from: what the model may not set, trusted code may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The model, or anything outside the process.
    Model,
    /// Code in this process: a tool's own decision, an in-process hook.
    Trusted,
}

/// A call that was parsed: the typed input behind its erased form, and what had to be converted on the way.
#[derive(Debug)]
pub struct Parsed {
    /// The call.
    pub call: Box<dyn ErasedCall>,
    /// What was converted; nothing where the input stayed as it was given, which is nearly always.
    pub converted: Option<Box<Converted>>,
}

/// An input that was not taken as it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The conversions, in the order they were made.
    pub coercions: Vec<Coercion>,
    /// The input as JSON text with the conversions made.
    pub input: RawInput,
}

impl Parsed {
    /// A call whose input stayed as it was given.
    #[must_use]
    pub fn as_given(call: Box<dyn ErasedCall>) -> Parsed {
        Parsed { call, converted: None }
    }

    /// A call whose input became `input` by these conversions; without any it stayed as it was given.
    #[must_use]
    pub fn converted(call: Box<dyn ErasedCall>, coercions: Vec<Coercion>, input: RawInput) -> Parsed {
        let converted = (!coercions.is_empty()).then(|| Box::new(Converted { coercions, input }));
        Parsed { call, converted }
    }

    /// The conversions, in the order they were made.
    #[must_use]
    pub fn coercions(&self) -> &[Coercion] {
        self.converted.as_ref().map_or(&[], |converted| &converted.coercions)
    }

    /// The input as JSON text, conversions made, where `given` was parsed.
    #[must_use]
    pub fn input<'a>(&'a self, given: &'a RawInput) -> &'a RawInput {
        self.converted.as_ref().map_or(given, |converted| &converted.input)
    }
}

/// A tool in the pool. No call exists before its input was parsed.
pub trait ErasedTool: Send + Sync + 'static {
    /// What is true whatever the input.
    fn form(&self) -> &Form;

    /// What the model reads about it.
    fn prompt(&self) -> String;

    /// Whether it can be used in this session.
    fn is_enabled(&self, session: &SessionFacts) -> bool;

    /// The schema of its input in this session. The pool asks once and keeps the answer.
    fn input_schema(&self, session: &SessionFacts) -> Schema;

    /// The schema of its output as JSON, where it promises one.
    fn output_schema(&self) -> Option<Schema> {
        None
    }

    /// Parses an input along the schema that this session has for it.
    ///
    /// # Errors
    /// Every problem of the input at once, in words for the model.
    fn parse(&self, input: &RawInput, origin: Origin, schema: &Schema) -> Result<Parsed, InputErrors>;
}

/// One call whose input was parsed.
pub trait ErasedCall: Send + Sync {
    /// What is true of this input.
    fn flags(&self) -> Flags;

    /// What it would do.
    fn effects(&self, cx: &EffectsContext<'_>) -> Effects;

    /// Whether the input makes sense.
    fn validate<'a>(&'a self, cx: &'a CallContext) -> BoxFuture<'a, Result<(), InvalidInput>>;

    /// What the tool itself says about permission.
    fn check_permissions<'a>(&'a self, cx: &'a CallContext) -> BoxFuture<'a, Opinion>;

    /// One line about this call.
    fn description(&self) -> String;

    /// The tool's name for a person.
    fn user_facing_name(&self) -> String;

    /// What a classifier may see of it; nothing means that it abstains.
    fn classifier_input(&self) -> Option<String>;

    /// Does the work. The permit and the call are consumed together: one permission, one run.
    fn call(
        self: Box<Self>,
        permit: Permit,
        cx: Arc<CallContext>,
    ) -> BoxFuture<'static, Result<Box<dyn ErasedOutput>, ToolError>>;
}

/// What a body gave back.
pub trait ErasedOutput: Send {
    /// The data as JSON, for hooks.
    fn to_json(&self) -> Value;

    /// The data as the model reads it.
    fn content(&self) -> Content;

    /// What a person sees of it, a line each.
    fn render(&self) -> Vec<String>;

    /// Takes the messages to put into the conversation.
    fn take_new_messages(&mut self) -> Vec<Message>;

    /// Takes the change to the context of later calls.
    fn take_context_change(&mut self) -> Option<ContextChange>;
}

impl std::fmt::Debug for dyn ErasedCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ErasedCall").finish_non_exhaustive()
    }
}

/// What a method comes to that a tool leaves as it is. It has no state, so it takes no memory, boxed or not.
pub(super) struct Unsaid<T>(PhantomData<fn() -> T>);

impl<T> Default for Unsaid<T> {
    fn default() -> Unsaid<T> {
        Unsaid(PhantomData)
    }
}

impl Future for Unsaid<Result<(), InvalidInput>> {
    type Output = Result<(), InvalidInput>;

    fn poll(self: Pin<&mut Self>, _cx: &mut task::Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Ok(()))
    }
}

impl Future for Unsaid<Opinion> {
    type Output = Opinion;

    fn poll(self: Pin<&mut Self>, _cx: &mut task::Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Opinion::Pass)
    }
}

/// Data as the model reads it unless the tool says otherwise: a string as it is, anything else as JSON.
pub(super) fn json_content(data: &impl Serialize) -> Content {
    match serde_json::to_value(data) {
        Ok(Value::String(text)) => Content::Text(text),
        Ok(Value::Null) => Content::Text(String::new()),
        Ok(value) => Content::Text(value.to_string()),
        Err(error) => Content::Text(format!("the result cannot be shown as JSON: {error}")),
    }
}

/// How many lines of a result a person sees unless the tool says otherwise.
const SHOWN_LINES_MAX: usize = 3;

/// The first lines of a result.
pub(crate) fn first_lines(content: &Content) -> Vec<String> {
    content.to_text().lines().take(SHOWN_LINES_MAX).map(str::to_owned).collect()
}
