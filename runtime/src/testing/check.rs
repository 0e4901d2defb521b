//! What must hold of every tool, whatever it does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::field;
use crate::contract::{ErasedTool, Origin, ResultLimit, SessionFacts, Stateless, Tool};
use crate::message::RawInput;
use crate::registry::{Catalogue, Pool};
use crate::schema::{InputErrors, Schema};

/// How many characters a tool's name may have: the smallest limit among providers.
const NAME_CHARS_MAX: usize = 64;
/// A field that no tool has.
const NO_FIELD: &str = "no_tool_has_a_field_of_this_name";

/// Checks a tool without state.
///
/// # Panics
/// With everything that was found, as [`findings`] tells it.
#[track_caller]
pub fn check<T: Tool<State: Stateless>>() {
    check_with::<T>(Stateless::nothing());
}

/// Checks a tool with its state.
///
/// # Panics
/// With everything that was found, as [`findings`] tells it.
#[track_caller]
pub fn check_with<T: Tool>(state: T::State) {
    let mut catalogue = Catalogue::new();
    catalogue.add_with::<T>(state);
    check_catalogue(&catalogue);
}

/// Checks every tool of a catalogue, and that they do not stand in each other's way.
///
/// # Panics
/// With everything that was found, as [`findings`] tells it.
#[track_caller]
pub fn check_catalogue(catalogue: &Catalogue) {
    let found = findings(catalogue);
    assert!(found.is_empty(), "{} findings:\n- {}", found.len(), found.join("\n- "));
}

/// What is wrong with the tools of a catalogue: names that a provider refuses or that lead elsewhere, missing
/// descriptions, schemas that are open or differ from one time to the next, examples that do not parse, flags and
/// options that contradict each other. Nothing is run.
#[must_use]
pub fn findings(catalogue: &Catalogue) -> Vec<String> {
    let session = SessionFacts::default();
    let mut found = Vec::new();
    for tool in catalogue.built_in().iter().chain(catalogue.remote()) {
        let mut about = About { tool, session: &session, found: Vec::new() };
        about.name();
        about.form();
        about.schema();
        about.inputs();
        let name = tool.form().name.as_ref();
        found.extend(about.found.into_iter().map(|what| format!("`{name}` {what}")));
    }
    found.extend(routes(catalogue, &session));
    found
}

struct About<'a> {
    tool: &'a Arc<dyn ErasedTool>,
    session: &'a SessionFacts,
    found: Vec<String>,
}

impl About<'_> {
    fn find(&mut self, what: impl Into<String>) {
        self.found.push(what.into());
    }

    fn name(&mut self) {
        let form = self.tool.form();
        let names = std::iter::once(&form.name).chain(form.aliases.iter());
        for name in names.map(ToString::to_string) {
            let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if !((1..=NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(legal)) {
                self.find(format!(
                    "is called `{name}`: some provider refuses it; use 1 to {NAME_CHARS_MAX} letters, digits, `_` or `-`"
                ));
            } else if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                self.find(format!("is called `{name}`: some provider wants a letter or `_` first"));
            }
        }
    }

    fn form(&mut self) {
        let form = self.tool.form();
        if self.tool.prompt().trim().is_empty() {
            self.find("has no description: write a doc comment");
        }
        if form.should_defer && form.always_load {
            self.find("is both deferred and always loaded");
        }
        if form.timeout.is_some_and(|timeout| timeout.is_zero()) {
            self.find("has no time to run: its timeout is zero");
        }
        if form.max_result == ResultLimit::Chars(0) {
            self.find("may not say anything: its results are limited to no characters");
        }
    }

    fn schema(&mut self) {
        let schema = self.tool.input_schema(self.session);
        if schema.text() != self.tool.input_schema(self.session).text() {
            self.find("has another schema each time");
        }
        for pattern in schema.unchecked_patterns() {
            self.found.push(format!("has the pattern `{pattern}`, which cannot be checked in linear time"));
        }
        match serde_json::from_str::<Value>(schema.text()) {
            Ok(shown) => self.found.extend(field::findings(&shown, schema.walkable())),
            Err(error) => self.find(format!("has a schema that is no JSON: {error}")),
        }
    }

    fn inputs(&mut self) {
        let schema = self.tool.input_schema(self.session);
        let examples: Vec<String> = self.tool.form().examples.iter().map(ToString::to_string).collect();
        for example in &examples {
            match self.parse(example, &schema) {
                Ok(coercions) if coercions > 0 => {
                    self.find(format!("has the example `{example}`, which is taken only after conversions"));
                }
                Ok(_) => {}
                Err(errors) => self.find(format!("has the example `{example}`, which is refused:\n{errors}")),
            }
        }
        let minimal = InputErrors::new(Vec::new(), schema.walkable()).example;
        // Whether it is an example at all depends on patterns; its flags are looked at if it is.
        drop(self.parse(&minimal, &schema));
        for input in examples.iter().chain([&minimal]) {
            let mut more = match serde_json::from_str::<Value>(input) {
                Ok(Value::Object(fields)) => fields,
                _other => continue,
            };
            more.insert(NO_FIELD.to_owned(), Value::Bool(true));
            if self.parse(&Value::Object(more).to_string(), &schema).is_ok() {
                return self.find("takes fields that it does not have");
            }
        }
    }

    /// How many conversions an input took. The call is asked for its flags, which must not contradict each other.
    fn parse(&mut self, input: &str, schema: &Schema) -> Result<usize, InputErrors> {
        let parsed = self.tool.parse(&RawInput::new(input), Origin::Model, schema)?;
        let flags = parsed.call.flags();
        if flags.read_only && flags.destructive {
            self.find(format!("calls `{input}` both read-only and destructive"));
        }
        Ok(parsed.coercions().len())
    }
}

/// Whether every name and every alias leads to its tool, and the definitions are the same bytes each time.
fn routes(catalogue: &Catalogue, session: &SessionFacts) -> Vec<String> {
    let mut found = Vec::new();
    let pool = Pool::new(catalogue, session, |_name| true);
    let mut owners: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for tool in catalogue.built_in().iter().chain(catalogue.remote()) {
        let form = tool.form();
        if !seen.insert(form.name.as_ref()) {
            found.push(format!("`{}` is the name of two tools", form.name));
        }
        for name in std::iter::once(&form.name).chain(form.aliases.iter()) {
            owners.entry(name.as_ref()).or_default().insert(form.name.as_ref());
        }
    }
    for (name, owners) in owners.iter().filter(|(_, owners)| owners.len() > 1) {
        let owners: Vec<&str> = owners.iter().copied().collect();
        found.push(format!("`{name}` leads to several tools: `{}`", owners.join("`, `")));
    }
    for tool in pool.tools() {
        let form = tool.form();
        for name in std::iter::once(&form.name).chain(form.aliases.iter()) {
            if pool.find(name).is_err() {
                found.push(format!("`{name}` is a name of `{}`, and leads nowhere", form.name));
            }
        }
    }
    if pool.definitions() != Pool::new(catalogue, session, |_name| true).definitions() {
        found.push("the definitions are other bytes each time".to_owned());
    }
    found
}
