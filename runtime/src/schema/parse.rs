//! Reading one input into its type.

use serde::Deserialize;
use serde_json::Value;

use super::problem::{Problem, shortened};
use super::walker::{Coercion, walk};
use super::{InputErrors, Schema, Trust, json};
use crate::contract::{Origin, ToolForm};
use crate::message::RawInput;

/// An input in the form its type has on the wire.
pub(crate) struct Typed<T> {
    /// The input.
    pub(crate) value: T,
    /// The input as JSON text, conversions made.
    pub(crate) text: RawInput,
    /// The conversions.
    pub(crate) coercions: Vec<Coercion>,
}

/// Reads an input into the form its type has on the wire. Only the model's inputs are converted: code in this process
/// has no excuse.
///
/// # Errors
/// Every problem at once.
pub(crate) fn parse<T: ToolForm>(
    input: &RawInput,
    origin: Origin,
    schema: &Schema,
) -> Result<Typed<T::Wire>, InputErrors> {
    let text = input.as_str();
    let trusts = match schema.trust() {
        Trust::Parser => true,
        Trust::ParserButFloats => !has_long_number(text),
        Trust::Nothing => false,
    };
    if trusts
        && is_object(text)
        && let Ok(value) = serde_json::from_str::<T::Wire>(text)
    {
        return Ok(Typed { value, text: input.clone(), coercions: Vec::new() });
    }
    parse_slowly::<T>(input, origin, schema)
}

/// The way of inputs that are not valid as they came, and of types whose parser takes more than their schema says.
#[cold]
fn parse_slowly<T: ToolForm>(
    input: &RawInput,
    origin: Origin,
    schema: &Schema,
) -> Result<Typed<T::Wire>, InputErrors> {
    let text = input.as_str();
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
        Ok(wire) => {
            let text = if coercions.is_empty() { input.clone() } else { RawInput::from_value(&value) };
            Ok(Typed { value: wire, text, coercions })
        }
        Err(error) => Err(errors(vec![Problem {
            path: String::new(),
            expected: "an input that fits the schema".to_owned(),
            received: shortened(text),
            hint: Some(error.to_string()),
        }])),
    }
}

/// How many digits every float holds as they are written.
const DIGITS_MAX: usize = 15;

/// Whether a number stands in the text that a float may not hold as written: many digits, or an exponent. Looks at the
/// text alone, so that digits inside strings count too; that costs a check and decides nothing.
fn has_long_number(text: &str) -> bool {
    let mut digits = 0;
    text.bytes().any(|byte| {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'.' | b'-' => {}
            b'e' | b'E' | b'+' if digits > 0 => return true,
            _other => digits = 0,
        }
        digits > DIGITS_MAX
    })
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
    let value = json::read(text).map_err(|error| not_json(text, &error))?;
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
