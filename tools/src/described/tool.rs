//! A tool from its description.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde_json::Value;
use toolwright::contract::{
    CallContext, Effects, EffectsContext, ErasedTool, Flags, Form, Origin, Parsed, SessionFacts, ToolError,
};
use toolwright::env::BoxFuture;
use toolwright::message::{Content, RawInput};
use toolwright::schema::{InputErrors, Schema, read};

use super::call::DescribedCall;
use super::judge::{Compiled, SchemaError};

pub(super) type Run =
    dyn Fn(Value, Arc<CallContext>) -> BoxFuture<'static, Result<Content, ToolError>> + Send + Sync;
type Tell = dyn Fn(&Value, &EffectsContext<'_>) -> Effects + Send + Sync;

/// A tool that is known only at run time. What is not said of it is closed: not read-only, not safe beside others, its
/// effects unknown, so that someone is asked.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use toolwright::message::Content;
/// use toolwright::registry::Catalogue;
/// use toolwright_tools::described::DescribedTool;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
///     "required": ["city"],
/// });
/// let weather = DescribedTool::new("weather", "Tells the weather.", schema, |input, _cx| async move {
///     Ok(Content::from(format!("rain in {}", input["city"])))
/// })?;
/// let mut catalogue = Catalogue::new();
/// catalogue.add_remote(Arc::new(weather))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DescribedTool {
    form: Form,
    flags: Flags,
    schema: Schema,
    judge: Compiled,
    run: Arc<Run>,
    effects: Arc<Tell>,
}

impl DescribedTool {
    /// A tool from its name, what the model reads about it, the schema of its input, and what it does.
    ///
    /// # Errors
    /// A schema that is not valid, describes no object, refers to what is elsewhere, or has patterns that cannot be
    /// matched in linear time (look-around, back-references).
    pub fn new<F, R>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        run: F,
    ) -> Result<DescribedTool, SchemaError>
    where
        F: Fn(Value, Arc<CallContext>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Content, ToolError>> + Send + 'static,
    {
        if schema.get("type").is_none_or(|kind| kind != "object") {
            return Err(SchemaError::NotAnObject);
        }
        let judge = Compiled::new(&schema)?;
        let docs = Cow::Owned(description.into());
        Ok(DescribedTool {
            form: Form { docs, ..Form::closed(Cow::Owned(name.into())) },
            flags: Flags::default(),
            schema: Schema::new(schema),
            judge,
            run: Arc::new(move |input, cx| Box::pin(run(input, cx))),
            effects: Arc::new(|_, _| Effects::unknown("the tool does not say what it does")),
        })
    }

    /// Fills in more of the form than the name and the description.
    #[must_use]
    pub fn with_form(mut self, fill: impl FnOnce(&mut Form)) -> DescribedTool {
        fill(&mut self.form);
        self
    }

    /// Says what is true of every call. Only for tools whose author is trusted: a remote server's hints open nothing.
    #[must_use]
    pub fn with_flags(mut self, flags: Flags) -> DescribedTool {
        self.flags = flags;
        self
    }

    /// Says what a call would do, from its input.
    #[must_use]
    pub fn with_effects(
        mut self,
        effects: impl Fn(&Value, &EffectsContext<'_>) -> Effects + Send + Sync + 'static,
    ) -> DescribedTool {
        self.effects = Arc::new(effects);
        self
    }

    pub(super) fn flags(&self) -> Flags {
        self.flags
    }

    pub(super) fn effects(&self, input: &Value, cx: &EffectsContext<'_>) -> Effects {
        (self.effects)(input, cx)
    }

    pub(super) fn run(
        &self,
        input: Value,
        cx: Arc<CallContext>,
    ) -> BoxFuture<'static, Result<Content, ToolError>> {
        (self.run)(input, cx)
    }
}

impl ErasedTool for DescribedTool {
    fn form(&self) -> &Form {
        &self.form
    }

    fn prompt(&self) -> String {
        self.form.docs.clone().into_owned()
    }

    fn is_enabled(&self, _session: &SessionFacts) -> bool {
        true
    }

    fn input_schema(&self, _session: &SessionFacts) -> Schema {
        self.schema.clone()
    }

    fn parse(
        self: Arc<Self>,
        input: &RawInput,
        origin: Origin,
        schema: &Schema,
    ) -> Result<Parsed, InputErrors> {
        let read = read(input, origin, schema, Some(&self.judge))?;
        let converted = (!read.coercions.is_empty()).then_some(read.text);
        let call = Box::new(DescribedCall::new(self, read.value));
        Ok(Parsed { call, coercions: read.coercions, converted })
    }
}

impl fmt::Debug for DescribedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DescribedTool").field("name", &self.form.name).finish_non_exhaustive()
    }
}
