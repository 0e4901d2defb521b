//! Problems of an input, in words that a model can act on.

use std::fmt;

use serde_json::{Map, Value, json};

/// One problem of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, such as `questions[0].header`; empty for the whole input.
    pub path: String,
    /// What was expected there.
    pub expected: String,
    /// What came, shortened.
    pub received: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        write!(f, "expected {}, received {}", self.expected, self.received)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

/// Every problem of one input, and what a valid one looks like.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InputErrors {
    /// The problems: those of fields that came by name, then fields that are missing.
    pub problems: Vec<Problem>,
    /// The smallest input that fits the schema, as JSON.
    pub example: String,
}

impl InputErrors {
    /// The errors of one input of a tool with this schema.
    #[must_use]
    pub fn new(problems: Vec<Problem>, schema: &Value) -> InputErrors {
        InputErrors { problems, example: minimal(schema, 0).to_string() }
    }
}

impl fmt::Display for InputErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "- {problem}")?;
        }
        write!(f, "a minimal valid input: {}", self.example)
    }
}

/// How deep an example goes into nested types.
const EXAMPLE_DEPTH_MAX: usize = 8;

/// The smallest value that fits a schema, with placeholders for what cannot be known.
fn minimal(schema: &Value, depth: usize) -> Value {
    if depth > EXAMPLE_DEPTH_MAX {
        return Value::Null;
    }
    let fixed =
        schema.get("const").or_else(|| schema.get("examples")?.get(0)).or_else(|| schema.get("enum")?.get(0));
    if let Some(fixed) = fixed {
        return fixed.clone();
    }
    let branches = schema.get("anyOf").or_else(|| schema.get("oneOf"));
    if let Some(first) = branches.and_then(|branches| branches.get(0)) {
        return minimal(first, depth + 1);
    }
    let kind = schema.get("type").map(|kind| kind.get(0).unwrap_or(kind));
    match kind.and_then(Value::as_str) {
        Some("object") => Value::Object(minimal_fields(schema, depth)),
        Some("array") => json!([]),
        Some("string") => json!("…"),
        Some("integer") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("number") => json!(1.0),
        Some("boolean") => json!(true),
        _other => Value::Null,
    }
}

fn minimal_fields(schema: &Value, depth: usize) -> Map<String, Value> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let fields = required.filter_map(Value::as_str).map(|name| {
        let field = schema.get("properties").and_then(|all| all.get(name)).unwrap_or(&Value::Null);
        (name.to_owned(), minimal(field, depth + 1))
    });
    fields.collect()
}

/// How many characters of a received value are shown.
const SHOWN_CHARS_MAX: usize = 60;

/// A received value in words: its type, and the beginning of it.
pub(super) fn received(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(_) => "the boolean",
        Value::Number(_) => "the number",
        Value::String(_) => "the string",
        Value::Array(_) => "the array",
        Value::Object(_) => "the object",
    };
    format!("{kind} {}", shortened(&value.to_string()))
}

/// The beginning of a text, on one line.
pub(super) fn shortened(text: &str) -> String {
    let mut chars = text.chars();
    let mut short: String =
        chars.by_ref().take(SHOWN_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}
