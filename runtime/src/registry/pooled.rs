//! A tool as one session has it.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::Part;
use crate::contract::{ErasedTool, Form, Origin, Parsed, SessionFacts};
use crate::message::RawInput;
use crate::schema::{InputErrors, Schema};

/// A tool as one session has it: its schema and its definition are made at their first use and then stay as they are,
/// byte for byte, so that the model's cache stays valid.
#[derive(Debug)]
pub struct Pooled {
    tool: Arc<dyn ErasedTool>,
    part: Part,
    session: Arc<SessionFacts>,
    schema: OnceLock<Schema>,
    told: Arc<Told>,
}

/// What the model was told of a tool. It outlives a new version of the tool, such as after a reconnect.
#[derive(Debug, Default)]
struct Told {
    definition: OnceLock<Arc<str>>,
    deferred: OnceLock<Arc<str>>,
}

impl Pooled {
    pub(super) fn new(tool: Arc<dyn ErasedTool>, part: Part, session: Arc<SessionFacts>) -> Pooled {
        Pooled { tool, part, session, schema: OnceLock::new(), told: Arc::default() }
    }

    /// Another version of this tool, of which the model is told what it was told of this one. Its inputs are read along
    /// its own schema.
    pub(super) fn renewed(&self, tool: Arc<dyn ErasedTool>) -> Pooled {
        // What the first version is told by must be fixed before it is gone.
        let _told = self.definition();
        Pooled {
            tool,
            part: self.part,
            session: Arc::clone(&self.session),
            schema: OnceLock::new(),
            told: Arc::clone(&self.told),
        }
    }

    /// What is true of the tool whatever its input.
    #[must_use]
    pub fn form(&self) -> &Form {
        self.tool.form()
    }

    /// The tool itself.
    #[must_use]
    pub fn tool(&self) -> &Arc<dyn ErasedTool> {
        &self.tool
    }

    /// Whose tool it is.
    #[must_use]
    pub fn part(&self) -> Part {
        self.part
    }

    /// The schema of its input in this session.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| self.tool.input_schema(&self.session))
    }

    /// What the model is told of it: `{"name":…,"description":…,"input_schema":…}`.
    #[must_use]
    pub fn definition(&self) -> &Arc<str> {
        self.told.definition.get_or_init(|| {
            let quoted = |text: &str| Value::from(text).to_string();
            let (name, prompt) = (quoted(&self.form().name), quoted(&self.tool.prompt()));
            format!(r#"{{"name":{name},"description":{prompt},"input_schema":{}}}"#, self.schema().text())
                .into()
        })
    }

    /// Its definition with the mark that keeps it from the model until a result refers to it.
    pub(super) fn deferred(&self) -> &Arc<str> {
        self.told.deferred.get_or_init(|| {
            let whole = self.definition();
            let open = whole.strip_suffix('}').unwrap_or(whole);
            format!(r#"{open},"defer_loading":true}}"#).into()
        })
    }

    /// Parses an input of this tool.
    ///
    /// # Errors
    /// Every problem of the input at once, in words for the model.
    pub fn parse(&self, input: &RawInput, origin: Origin) -> Result<Parsed, InputErrors> {
        self.tool.parse(input, origin, self.schema())
    }
}
