//! A tool as one session has it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use serde_json::Value;

use super::{Candidate, Part};
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
    schema: Arc<OnceLock<Schema>>,
    told: Arc<Told>,
}

/// What was made of tools for a session, kept for the next one: where it has the same tools under the same facts, their
/// schemas and definitions are the same too. The tools themselves, and their states, live no longer for it.
#[derive(Debug, Default)]
pub(crate) struct KnownTools(Mutex<Vec<KnownTool>>);

#[derive(Debug)]
struct KnownTool {
    // INVARIANT: what it points to is not used for another tool while it is here.
    tool: Weak<dyn ErasedTool>,
    session: Arc<SessionFacts>,
    schema: Arc<OnceLock<Schema>>,
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
        Pooled { tool, part, session, schema: Arc::default(), told: Arc::default() }
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
            schema: Arc::default(),
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

impl KnownTools {
    /// The tools of a session with these facts, with what is known of them.
    pub(super) fn pooled(&self, candidates: Vec<Candidate>, session: &Arc<SessionFacts>) -> Vec<Arc<Pooled>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut are_known = candidates.len() == known.len();
        let pooled = |(at, Candidate { tool, part, .. }): (usize, Candidate)| {
            let is_it = |known: &&KnownTool| known.is_of(&tool, session);
            // Mostly they are as they were, and so in the same order.
            let found = known.get(at).filter(is_it).or_else(|| known.iter().find(is_it));
            let Some(found) = found else {
                are_known = false;
                return Arc::new(Pooled::new(tool, part, Arc::clone(session)));
            };
            let (schema, told) = (Arc::clone(&found.schema), Arc::clone(&found.told));
            Arc::new(Pooled { tool, part, session: Arc::clone(session), schema, told })
        };
        let tools: Vec<Arc<Pooled>> = candidates.into_iter().enumerate().map(pooled).collect();
        if !are_known {
            *known = tools.iter().map(|tool| KnownTool::new(tool)).collect();
        }
        tools
    }
}

impl KnownTool {
    fn new(pooled: &Pooled) -> KnownTool {
        let Pooled { tool, session, schema, told, .. } = pooled;
        KnownTool {
            tool: Arc::downgrade(tool),
            session: Arc::clone(session),
            schema: Arc::clone(schema),
            told: Arc::clone(told),
        }
    }

    fn is_of(&self, tool: &Arc<dyn ErasedTool>, session: &SessionFacts) -> bool {
        std::ptr::addr_eq(self.tool.as_ptr(), Arc::as_ptr(tool)) && *self.session == *session
    }
}
