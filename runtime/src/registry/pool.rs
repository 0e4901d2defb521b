//! The tools of one session, in the order the model sees them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::Catalogue;
use crate::contract::{ErasedTool, Form, Origin, Parsed, SessionFacts};
use crate::message::RawInput;
use crate::nearest::nearest;
use crate::schema::{InputErrors, ProfileError, ProviderProfile, Schema};

/// The tools of one session: the program's own by name, then remote ones by name; the program's own win a name.
#[derive(Debug, Default)]
pub struct Pool {
    tools: Vec<Arc<Pooled>>,
    routes: BTreeMap<String, usize>,
    session: Arc<SessionFacts>,
}

/// A tool as one session has it: its schema and its definition are made at their first use and then stay as they are,
/// byte for byte, so that the model's cache stays valid.
#[derive(Debug)]
pub struct Pooled {
    tool: Arc<dyn ErasedTool>,
    session: Arc<SessionFacts>,
    schema: OnceLock<Schema>,
    definition: OnceLock<Arc<str>>,
}

/// A name that is no tool in the pool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnknownTool {
    /// The name that was asked for.
    pub name: String,
    /// The nearest names in the pool, best first.
    pub nearest: Vec<String>,
}

/// How many names an unknown-tool error lists.
const NEAREST_MAX: usize = 10;

impl Pool {
    /// The tools of a catalogue that are enabled in this session and that `keep` keeps.
    #[must_use]
    pub fn new(catalogue: &Catalogue, session: &SessionFacts, keep: impl Fn(&Form) -> bool) -> Pool {
        let mut pool = Pool { session: Arc::new(session.clone()), ..Pool::default() };
        for part in [catalogue.built_in(), catalogue.remote()] {
            let mut part: Vec<&Arc<dyn ErasedTool>> = part.iter().collect();
            part.sort_by(|a, b| a.form().name.cmp(&b.form().name));
            for tool in part {
                let name = tool.form().name.as_ref();
                let is_new = !pool.routes.contains_key(name);
                if is_new && keep(tool.form()) && tool.is_enabled(session) {
                    pool.routes.insert(name.to_owned(), pool.tools.len());
                    pool.tools.push(Arc::new(Pooled::new(Arc::clone(tool), Arc::clone(&pool.session))));
                }
            }
        }
        pool.route_aliases();
        pool
    }

    /// The tools of this pool that `keep` keeps, with the same schemas and definitions.
    #[must_use]
    pub fn kept(&self, keep: impl Fn(&Form) -> bool) -> Pool {
        let mut pool = Pool { session: Arc::clone(&self.session), ..Pool::default() };
        for tool in self.tools.iter().filter(|tool| keep(tool.form())) {
            pool.routes.insert(tool.form().name.clone().into_owned(), pool.tools.len());
            pool.tools.push(Arc::clone(tool));
        }
        pool.route_aliases();
        pool
    }

    /// An alias never takes a tool's own name, and the first tool in the pool's order keeps an alias that two claim.
    fn route_aliases(&mut self) {
        for (index, tool) in self.tools.iter().enumerate() {
            for alias in tool.form().aliases.iter() {
                self.routes.entry(alias.clone().into_owned()).or_insert(index);
            }
        }
    }

    /// The tool that a name or an alias means.
    ///
    /// # Errors
    /// [`UnknownTool`], with the nearest names that the model can see.
    pub fn find(&self, name: &str) -> Result<&Arc<Pooled>, UnknownTool> {
        self.routes.get(name).map(|index| &self.tools[*index]).ok_or_else(|| self.unknown(name))
    }

    /// The tools, in the order the model sees them.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Pooled>] {
        &self.tools
    }

    /// The definitions as the model gets them, one JSON object a tool: the same bytes all through the session.
    #[must_use]
    pub fn definitions(&self) -> Vec<Arc<str>> {
        self.tools.iter().map(|tool| Arc::clone(tool.definition())).collect()
    }

    /// Everything that a provider's subset of JSON Schema cannot express, with the names of the tools.
    #[must_use]
    pub fn profile_errors(&self, profile: ProviderProfile) -> Vec<(String, ProfileError)> {
        let of = |tool: &Arc<Pooled>| {
            let name = tool.form().name.clone().into_owned();
            tool.schema().profile_errors(profile).into_iter().map(move |error| (name.clone(), error))
        };
        self.tools.iter().flat_map(of).collect()
    }

    fn unknown(&self, name: &str) -> UnknownTool {
        let mut names: Vec<&str> = self.tools.iter().map(|tool| tool.form().name.as_ref()).collect();
        let mut best = Vec::new();
        while best.len() < NEAREST_MAX
            && let Some(near) = nearest(name, names.iter().copied())
        {
            best.push(near.to_owned());
            names.retain(|other| *other != near);
        }
        if best.is_empty() {
            best = names.into_iter().take(NEAREST_MAX).map(str::to_owned).collect();
        }
        UnknownTool { name: name.to_owned(), nearest: best }
    }
}

impl Pooled {
    fn new(tool: Arc<dyn ErasedTool>, session: Arc<SessionFacts>) -> Pooled {
        Pooled { tool, session, schema: OnceLock::new(), definition: OnceLock::new() }
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

    /// The schema of its input in this session.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| self.tool.input_schema(&self.session))
    }

    /// What the model is told of it: `{"name":…,"description":…,"input_schema":…}`.
    #[must_use]
    pub fn definition(&self) -> &Arc<str> {
        self.definition.get_or_init(|| {
            let quoted = |text: &str| Value::from(text).to_string();
            let (name, prompt) = (quoted(&self.form().name), quoted(&self.tool.prompt()));
            format!(r#"{{"name":{name},"description":{prompt},"input_schema":{}}}"#, self.schema().text())
                .into()
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

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no tool `{}`", self.name)?;
        match self.nearest.as_slice() {
            [] => f.write_str(", and no other tool either"),
            [only] => write!(f, "; did you mean `{only}`?"),
            many => write!(f, "; the nearest tools are `{}`", many.join("`, `")),
        }
    }
}

impl fmt::Debug for dyn ErasedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ErasedTool").field(&self.form().name).finish()
    }
}
