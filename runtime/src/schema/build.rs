//! The schema of a tool's input or output, built from its type or given at run time.

use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::pattern::Patterns;
use super::{clean, marks, write};
use crate::contract::{Field, IntoReply, SessionFacts, ToolForm};

/// The schema of a tool's input or output. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Schema {
    walkable: Arc<Value>,
    text: Arc<str>,
    trust: Trust,
    patterns: Patterns,
    has_ids: bool,
}

impl PartialEq for Schema {
    fn eq(&self, other: &Schema) -> bool {
        // All else is made of it.
        self.walkable == other.walkable
    }
}

/// How far a derived parser alone can be trusted to take what the schema accepts and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It can.
    Parser,
    /// It can, but for numbers that a float could not hold as they were written.
    ParserButFloats,
    /// It cannot: each input is also checked along the schema.
    Nothing,
}

impl Schema {
    /// The schema of a typed tool's input, with the fields whose feature switch is on.
    #[must_use]
    pub fn of<T: ToolForm>(session: &SessionFacts) -> Schema {
        let mut raw = generated::<T::Wire>();
        if let Some(words) = raw.as_object_mut() {
            // A tool's docs are its prompt; what stands here is that of a struct that was flattened.
            words.remove("description");
        }
        for field in T::FIELDS {
            mark(&mut raw, field, session);
        }
        // What is not strict says so itself, and in which order its fields stand.
        if raw.get(marks::STRICT) != Some(&json!(false)) {
            let names: Vec<&str> = T::FIELDS.iter().map(|field| field.name).collect();
            raw[marks::ORDER] = json!(names);
            raw[marks::STRICT] = json!(true);
        }
        let examples = &T::form().examples;
        if !examples.is_empty() {
            raw[marks::EXAMPLES] = json!(examples);
        }
        Schema::marked(raw)
    }

    /// The schema of a typed tool's output.
    #[must_use]
    pub fn of_output<T: IntoReply<Data: JsonSchema>>() -> Schema {
        let settings =
            SchemaSettings::draft2020_12().for_serialize().with(|settings| settings.inline_subschemas = true);
        Schema::marked(settings.into_generator().into_root_schema_for::<T::Data>().to_value())
    }

    /// A schema known only at run time (JSON Schema 2020-12).
    #[must_use]
    pub fn new(mut raw: Value) -> Schema {
        marks::remove(&mut raw);
        Schema::marked(raw)
    }

    /// A schema whose marks, if it has any, are our own.
    pub(super) fn marked(raw: Value) -> Schema {
        let mut shown = raw.clone();
        clean::clean(&mut shown);
        let mut text = String::new();
        write::write(&shown, &mut text);
        let trust = marks::trust(&raw);
        let (patterns, has_ids) = (Patterns::of(&raw), has_ids(&raw, 0));
        Schema { walkable: Arc::new(raw), text: text.into(), trust, patterns, has_ids }
    }

    /// The schema as the model sees it: JSON, the same bytes for the same type everywhere.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The schema as the walker follows it, with the places where `null` is allowed.
    #[must_use]
    pub fn walkable(&self) -> &Value {
        &self.walkable
    }

    pub(crate) fn trust(&self) -> Trust {
        self.trust
    }

    pub(super) fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// The patterns of the schema that cannot be checked here: look-around, back-references, mistakes, sizes.
    pub fn unchecked_patterns(&self) -> impl Iterator<Item = &str> {
        self.patterns.unchecked()
    }

    /// Whether parts of the schema have names of their own, which references may mean.
    pub(super) fn has_ids(&self) -> bool {
        self.has_ids
    }
}

/// How deep a schema is searched for names of its parts.
const DEPTH_MAX: usize = 200;

fn has_ids(schema: &Value, depth: usize) -> bool {
    if depth > DEPTH_MAX {
        return true;
    }
    match schema {
        Value::Object(words) => {
            (depth > 0 && words.get("$id").is_some_and(Value::is_string))
                || words.values().any(|below| has_ids(below, depth + 1))
        }
        Value::Array(list) => list.iter().any(|below| has_ids(below, depth + 1)),
        _scalar => false,
    }
}

fn generated<W: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<W>().to_value()
}

/// Puts what is known of a field into its schema; takes a field away whose feature switch is off.
fn mark(raw: &mut Value, field: &Field, session: &SessionFacts) {
    if field.when.is_some_and(|feature| !session.features.contains(feature)) {
        if let Some(fields) = raw.get_mut("properties").and_then(Value::as_object_mut) {
            fields.remove(field.name);
        }
        if let Some(required) = raw.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name != field.name);
        }
        raw[marks::CONDITIONAL] = json!(true);
        return;
    }
    let Some(schema) = raw.get_mut("properties").and_then(|fields| fields.get_mut(field.name)) else {
        return;
    };
    let example = |text| serde_json::from_str(text).unwrap_or_else(|_plain_text| json!(text));
    marks::mark_field(schema, field, field.example.map(example));
}
