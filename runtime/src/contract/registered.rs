//! A typed tool as the pool holds it: its state, and no instance until an input was parsed.

use std::marker::PhantomData;
use std::mem::needs_drop;
use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::Value;

use super::erased::Unsaid;
use super::hidden;
use super::{
    CallContext, ContextChange, Cx, Effects, EffectsContext, ErasedCall, ErasedOutput, ErasedTool, Flags,
};
use super::{Form, IntoReply, InvalidInput, Opinion, Origin, Parsed, Reply, SessionFacts, Tool, ToolError};
use crate::env::BoxFuture;
use crate::message::{Content, Message, RawInput};
use crate::permission::Permit;
use crate::schema::{self, InputErrors, Schema};

/// What a tool has that needs no state: nothing.
#[diagnostic::on_unimplemented(
    message = "this tool has a state, and none is given",
    label = "the calls of this tool want a `{Self}`",
    note = "write `add_with::<…>(state)`, or `check_with::<…>(state)` in a test"
)]
pub trait Stateless: sealed::Sealed {
    /// Nothing.
    fn nothing() -> Self;
}

impl Stateless for () {
    fn nothing() {}
}

mod sealed {
    /// Only nothing is no state.
    pub trait Sealed {}

    impl Sealed for () {}
}

/// A tool and the state it was registered with.
#[derive(Debug)]
pub struct Registered<T: Tool> {
    state: Held<T::State>,
    form: PhantomData<fn() -> T>,
}

/// A state as the tool and its calls hold it.
#[derive(Debug)]
enum Held<S: 'static> {
    /// It has no size, so there is nothing to share and nobody to count.
    Nothing(&'static S),
    Shared(Arc<S>),
}

impl<S: 'static> Held<S> {
    fn new(state: S) -> Held<S> {
        if size_of::<S>() == 0 && !needs_drop::<S>() {
            // A box of nothing takes no memory, so none is leaked.
            Held::Nothing(Box::leak(Box::new(state)))
        } else {
            Held::Shared(Arc::new(state))
        }
    }
}

impl<S: 'static> Clone for Held<S> {
    fn clone(&self) -> Held<S> {
        match self {
            Held::Nothing(state) => Held::Nothing(state),
            Held::Shared(state) => Held::Shared(Arc::clone(state)),
        }
    }
}

impl<S: 'static> Held<S> {
    fn state(&self) -> &S {
        match self {
            Held::Nothing(state) => state,
            Held::Shared(state) => state,
        }
    }
}

impl<T: Tool> Registered<T> {
    /// A tool with its state.
    pub fn new(state: T::State) -> Registered<T> {
        Registered { state: Held::new(state), form: PhantomData }
    }
}

impl<T: Tool> ErasedTool for Registered<T> {
    fn form(&self) -> &Form {
        T::form()
    }

    fn prompt(&self) -> String {
        T::prompt(self.state.state()).into_owned()
    }

    fn is_enabled(&self, session: &SessionFacts) -> bool {
        T::is_enabled(self.state.state(), session)
    }

    fn input_schema(&self, session: &SessionFacts) -> Schema {
        Schema::of::<T>(session)
    }

    fn output_schema(&self) -> Option<Schema> {
        T::output_schema()
    }

    fn parse(&self, input: &RawInput, origin: Origin, schema: &Schema) -> Result<Parsed, InputErrors> {
        // The way of nearly every call, kept short. The place is there before the input, so that the input is moved
        // once.
        let place = Box::<TypedCall<T>>::new_uninit();
        if origin == Origin::Model
            && let Some(wire) = schema::parse_at_once::<T>(input, schema)
        {
            let input = T::from_wire(wire, self.state.state());
            let call = Box::write(place, TypedCall { input, state: self.state.clone() });
            return Ok(Parsed::as_given(call));
        }
        self.parse_with_care(input, origin, schema)
    }
}

impl<T: Tool> Registered<T> {
    /// The way of inputs that are not valid as they came, and of those of code in this process.
    #[cold]
    #[inline(never)]
    fn parse_with_care(
        &self,
        input: &RawInput,
        origin: Origin,
        schema: &Schema,
    ) -> Result<Parsed, InputErrors> {
        let split = if origin == Origin::Trusted { hidden::split::<T>(input) } else { None };
        let rest = split.as_ref().map_or(input, |(rest, _internal)| rest);
        let parsed = schema::parse_slowly::<T>(rest, origin, schema)?;
        let mut call =
            TypedCall { input: T::from_wire(parsed.value, self.state.state()), state: self.state.clone() };
        if let Some((_rest, internal)) = split {
            hidden::set(&mut call.input, internal)
                .map_err(|problems| InputErrors::of(problems, schema, None))?;
            // Inputs of code in this process are never converted, and this one has fields that the rest has not.
            return Ok(Parsed::as_given(Box::new(call)));
        }
        Ok(Parsed::converted(Box::new(call), parsed.coercions, parsed.text))
    }
}

struct TypedCall<T: Tool> {
    input: T,
    state: Held<T::State>,
}

impl<T: Tool> TypedCall<T> {
    fn cx<'a>(&'a self, call: &'a CallContext) -> Cx<'a, T> {
        Cx::new(call, self.state.state())
    }
}

impl<T: Tool> ErasedCall for TypedCall<T> {
    fn flags(&self) -> Flags {
        self.input.flags()
    }

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        self.input.effects(cx)
    }

    fn validate<'a>(&'a self, cx: &'a CallContext) -> BoxFuture<'a, Result<(), InvalidInput>> {
        let own = self.cx(cx);
        if without_state(|| self.input.validate_input(&own)) == Some(Ok(())) {
            return Box::pin(Unsaid::<Result<(), InvalidInput>>::default());
        }
        Box::pin(async move { self.input.validate_input(&self.cx(cx)).await })
    }

    fn check_permissions<'a>(&'a self, cx: &'a CallContext) -> BoxFuture<'a, Opinion> {
        let own = self.cx(cx);
        if without_state(|| self.input.check_permissions(&own)) == Some(Opinion::Pass) {
            return Box::pin(Unsaid::<Opinion>::default());
        }
        Box::pin(async move { self.input.check_permissions(&self.cx(cx)).await })
    }

    fn description(&self) -> String {
        self.input.description()
    }

    fn user_facing_name(&self) -> String {
        self.input.user_facing_name().into_owned()
    }

    fn classifier_input(&self) -> Option<String> {
        self.input.classifier_input()
    }

    fn call(
        self: Box<Self>,
        permit: Permit,
        cx: Arc<CallContext>,
    ) -> BoxFuture<'static, Result<Box<dyn ErasedOutput>, ToolError>> {
        drop(permit);
        Box::pin(async move {
            let output = self.input.call(&self.cx(&cx)).await?;
            let output: Box<dyn ErasedOutput> = Box::new(TypedOutput::<T>(output.into_reply()));
            Ok(output)
        })
    }
}

/// What a future without a state comes to at once, such as that of a method that a tool leaves as it is. To ask it once
/// more is to ask the same, so nothing is lost where it waits; one with a state is not even made.
fn without_state<F: Future>(method: impl FnOnce() -> F) -> Option<F::Output> {
    if size_of::<F>() == 0 { pin!(method()).now_or_never() } else { None }
}

struct TypedOutput<T: Tool>(Reply<<T::Output as IntoReply>::Data>);

impl<T: Tool> ErasedOutput for TypedOutput<T> {
    fn to_json(&self) -> Value {
        serde_json::to_value(&self.0.data).unwrap_or(Value::Null)
    }

    fn content(&self) -> Content {
        T::result_content(&self.0.data)
    }

    fn render(&self) -> Vec<String> {
        T::render_result(&self.0.data)
    }

    fn take_new_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.0.new_messages)
    }

    fn take_context_change(&mut self) -> Option<ContextChange> {
        self.0.context_change.take()
    }
}
