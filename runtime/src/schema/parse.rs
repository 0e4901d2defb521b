//! Reading one input into its type.

use serde::Deserialize;
use serde_json::Value;

use super::problem::{Problem, shortened};
use super::walker::{Coercion, walk};
use super::{InputErrors, Schema};
use crate::contract::{Origin, ToolForm};
use crate::message::RawInput;

/// An input in its type.
pub(crate) struct Typed<T> {
    /// The typed input.
    pub(crate) value: T,
    /// The input as JSON text, conversions made.
    pub(crate) text: RawInput,
    /// The conversions.
    pub(crate) coercions: Vec<Coercion>,
}

/// Reads an input into its type. Only the model's inputs are converted: code in this process has no excuse.
///
/// # Errors
/// Every problem at once.
pub(crate) fn parse<T: ToolForm>(
    input: &RawInput,
    origin: Origin,
    schema: &Schema,
) -> Result<Typed<T>, InputErrors> {
    let text = input.as_str();
    if is_object(text)
        && let Ok(wire) = serde_json::from_str::<T::Wire>(text)
    {
        return Ok(Typed { value: T::from_wire(wire), text: input.clone(), coercions: Vec::new() });
    }
    let errors = |problems| InputErrors::new(problems, schema.walkable());
    let mut coercions = Vec::new();
    let mut value = whole(text, schema, &mut coercions).map_err(|problem| errors(vec![problem]))?;
    let walked = walk(&mut value, schema.walkable());
    coercions.extend(walked.coercions);
    let mut problems = walked.problems;
    if origin == Origin::Trusted {
        problems.extend(coercions.iter().map(not_exact));
    }
    if !problems.is_empty() {
        return Err(errors(problems));
    }
    match T::Wire::deserialize(&value) {
        Ok(wire) => Ok(Typed { value: T::from_wire(wire), text: RawInput::from_value(&value), coercions }),
        Err(error) => Err(errors(vec![Problem {
            path: String::new(),
            expected: "an input that fits the schema".to_owned(),
            received: shortened(text),
            hint: Some(error.to_string()),
        }])),
    }
}

/// Whether the text is a JSON object, if it is JSON: derived parsers take an array for a struct, and we do not.
fn is_object(text: &str) -> bool {
    text.trim_ascii_start().starts_with('{')
}

/// The input as a JSON object: as it is, from nothing where nothing is needed, or from a string that holds one.
fn whole(text: &str, schema: &Schema, coercions: &mut Vec<Coercion>) -> Result<Value, Problem> {
    let empty = || Value::Object(serde_json::Map::new());
    if text.trim().is_empty() {
        return Ok(empty());
    }
    let value: Value = serde_json::from_str(text).map_err(|error| not_json(text, &error))?;
    match &value {
        Value::Null if schema.allows_empty() => {
            coercions.push(Coercion { path: String::new(), from: value, to: empty() });
            Ok(empty())
        }
        Value::String(inner) if inner.trim().is_empty() && schema.allows_empty() => {
            coercions.push(Coercion { path: String::new(), from: value, to: empty() });
            Ok(empty())
        }
        _other => Ok(value),
    }
}

fn not_json(text: &str, error: &serde_json::Error) -> Problem {
    let hint =
        if error.is_eof() { "it ends too early: send it again, whole" } else { "send one JSON object" };
    Problem {
        path: String::new(),
        expected: "a JSON object".to_owned(),
        received: format!("`{}`, which is not valid JSON ({error})", shortened(text)),
        hint: Some(hint.to_owned()),
    }
}

fn not_exact(coercion: &Coercion) -> Problem {
    Problem {
        path: coercion.path.clone(),
        expected: format!("exactly {}", coercion.to),
        received: coercion.from.to_string(),
        hint: Some("inputs from code are not converted".to_owned()),
    }
}
