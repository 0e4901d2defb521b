//! The trait a tool author implements, and the one that `#[tool]` does.

use std::borrow::Cow;
use std::future::Future;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::erased::Unsaid;
use super::hidden::no_internal;
use super::{
    Cx, Effects, EffectsContext, Field, Flags, Form, IntoReply, InvalidInput, SessionFacts, ToolError,
};
use crate::message::{Content, RawInput};
use crate::schema::Schema;

/// The facts of a tool, generated from its struct by `#[tool]`. Facts come only from attributes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool yet",
    label = "it has no `#[tool]` above it",
    note = "write `#[tool]` above the struct, or above the function"
)]
pub trait ToolForm: Sized + Send + Sync + 'static {
    /// What the tool is given at registration.
    type State: Send + Sync + 'static;
    /// What it reports while it runs.
    type Progress: Serialize + Send + 'static;
    /// The fields as they are on the wire.
    #[doc(hidden)]
    type Wire: DeserializeOwned + JsonSchema;
    /// What is known of the fields besides their types, in declared order.
    #[doc(hidden)]
    const FIELDS: &'static [Field];

    /// The names of the internal fields, which only code in this process may set.
    #[doc(hidden)]
    const INTERNAL: &'static [&'static str] = &[];

    /// What is true whatever the input.
    fn form() -> &'static Form;

    /// What is true of this input.
    fn flags(&self) -> Flags;

    /// The input from its form on the wire, and from what the tool was given at registration.
    #[doc(hidden)]
    fn from_wire(wire: Self::Wire, state: &Self::State) -> Self;

    /// Sets the internal field of this name.
    ///
    /// # Errors
    /// Why the value is none for it.
    #[doc(hidden)]
    fn set_internal(&mut self, name: &str, value: Value) -> Result<(), String> {
        let _ = name;
        Err(no_internal(value))
    }
}

/// What a tool itself has to say about permission, after the rules were consulted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// Nothing: rules and mode decide.
    Pass,
    /// Run it, unless someone must be asked.
    Allow,
    /// Run it with this input instead, unless someone must be asked. It is checked against the schema and may set
    /// internal fields; `validate_input` is not asked again. Whoever is asked is asked about this input, and rules that
    /// close look at both.
    AllowWith(RawInput),
    /// Ask, with this reason.
    Ask(String),
    /// Refuse, with this reason.
    Deny(String),
}

/// A tool's behaviour. The struct is the input of one call; only `call` must be written.
pub trait Tool: ToolForm {
    /// What `call` gives back: plain serialisable data, or a [`Reply`](super::Reply).
    type Output: IntoReply;

    /// What this call would do: the only thing that rules and the killswitch look at. Unknown unless said, so that
    /// someone is asked.
    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        let _ = cx;
        Effects::unknown("the tool does not say what it does")
    }

    /// Whether the input makes sense, beyond fitting the schema. Runs before hooks and permission, so it must change
    /// nothing.
    fn validate_input(&self, cx: &Cx<'_, Self>) -> impl Future<Output = Result<(), InvalidInput>> + Send {
        let _ = cx;
        Unsaid::<Result<(), InvalidInput>>::default()
    }

    /// What the tool itself says about permission. Nothing unless said.
    fn check_permissions(&self, cx: &Cx<'_, Self>) -> impl Future<Output = Opinion> + Send {
        let _ = cx;
        Unsaid::<Opinion>::default()
    }

    /// Does the work.
    fn call(&self, cx: &Cx<'_, Self>) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;

    /// The data as the model reads it: a string as it is, anything else as JSON, unless said.
    fn result_content(data: &<Self::Output as IntoReply>::Data) -> Content {
        super::erased::json_content(data)
    }

    /// The schema of the data, where the tool promises one: usually `Some(Schema::of_output::<Self::Output>())`.
    fn output_schema() -> Option<Schema> {
        None
    }

    /// Whether the tool can be used in this session.
    fn is_enabled(state: &Self::State, session: &SessionFacts) -> bool {
        let _ = (state, session);
        true
    }

    /// What the model reads about the tool: the struct's docs unless said. Frozen for the session.
    fn prompt(state: &Self::State) -> Cow<'static, str> {
        let _ = state;
        Self::form().docs.clone()
    }

    /// One line about this call, for dialogs and timelines.
    fn description(&self) -> String {
        self.user_facing_name().into_owned()
    }

    /// The tool's name for a person.
    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&Self::form().name)
    }

    /// What a classifier may see of this call. Nothing unless said, and then it abstains.
    fn classifier_input(&self) -> Option<String> {
        None
    }

    /// What a person sees while the call runs, a line each, each report in place of the one before; nothing unless said.
    fn render_progress(progress: &Self::Progress) -> Vec<String> {
        let _ = progress;
        Vec::new()
    }

    /// What a person sees of the result, a line each: the first lines of what the model reads, unless said.
    fn render_result(data: &<Self::Output as IntoReply>::Data) -> Vec<String> {
        super::erased::first_lines(&Self::result_content(data))
    }
}
