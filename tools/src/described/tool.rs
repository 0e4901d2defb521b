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
pub(super) type Tell = dyn Fn(&Value, &EffectsContext<'_>) -> Effects + Send + Sync;

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
    described: Arc<Described>,
    schema: Schema,
    judge: Compiled,
}

/// What a tool and its calls share.
#[derive(Clone)]
pub(super) struct Described {
    pub(super) form: Form,
    pub(super) flags: Flags,
    pub(super) run: Arc<Run>,
    pub(super) effects: Arc<Tell>,
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
        let described = Described {
            form: Form { docs, ..Form::closed(Cow::Owned(name.into())) },
            flags: Flags::default(),
            run: Arc::new(move |input, cx| Box::pin(run(input, cx))),
            effects: Arc::new(|_, _| Effects::unknown("the tool does not say what it does")),
        };
        Ok(DescribedTool { described: Arc::new(described), schema: Schema::new(schema), judge })
    }

    /// Fills in more of the form than the name and the description.
    #[must_use]
    pub fn with_form(mut self, fill: impl FnOnce(&mut Form)) -> DescribedTool {
        fill(&mut Arc::make_mut(&mut self.described).form);
        self
    }

    /// Says what is true of every call. Only for tools whose author is trusted: a remote server's hints open nothing.
    #[must_use]
    pub fn with_flags(mut self, flags: Flags) -> DescribedTool {
        Arc::make_mut(&mut self.described).flags = flags;
        self
    }

    /// Says what a call would do, from its input.
    #[must_use]
    pub fn with_effects(
        mut self,
        effects: impl Fn(&Value, &EffectsContext<'_>) -> Effects + Send + Sync + 'static,
    ) -> DescribedTool {
        Arc::make_mut(&mut self.described).effects = Arc::new(effects);
        self
    }
}

impl ErasedTool for DescribedTool {
    fn form(&self) -> &Form {
        &self.described.form
    }

    fn prompt(&self) -> String {
        self.described.form.docs.clone().into_owned()
    }

    fn is_enabled(&self, _session: &SessionFacts) -> bool {
        true
    }

    fn input_schema(&self, _session: &SessionFacts) -> Schema {
        self.schema.clone()
    }

    fn parse(&self, input: &RawInput, origin: Origin, schema: &Schema) -> Result<Parsed, InputErrors> {
        let read = read(input, origin, schema, Some(&self.judge))?;
        let call = Box::new(DescribedCall::new(Arc::clone(&self.described), read.value));
        Ok(Parsed::converted(call, read.coercions, read.text))
    }
}

impl fmt::Debug for DescribedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DescribedTool").field("name", &self.described.form.name).finish_non_exhaustive()
    }
}
