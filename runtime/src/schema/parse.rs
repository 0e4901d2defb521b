//! Reading one input into its type.

use serde::Deserialize;
use serde_json::Value;

use super::json::place;
use super::path::{Step, render};
use super::problem::{Problem, received, shortened};
use super::read::read;
use super::strict::ObjectOnly;
use super::walk::Coercion;
use super::{Input, InputErrors, Schema, Trust};
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

/// Reads an input that is valid as it came straight into the form its type has on the wire; nothing where it is not, or
/// where the type's parser takes more than its schema says.
#[inline]
pub(crate) fn parse_at_once<T: ToolForm>(input: &RawInput, schema: &Schema) -> Option<T::Wire> {
    let text = input.as_str();
    let trusts = match schema.trust() {
        Trust::Parser => true,
        Trust::ParserButFloats => !has_long_number(text),
        Trust::Nothing => false,
    };
    if !trusts {
        return None;
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    // Derived parsers take an array for a struct, and we do not.
    let wire = T::Wire::deserialize(ObjectOnly(&mut reader)).ok()?;
    reader.end().ok()?;
    Some(wire)
}

/// Reads any input into the form its type has on the wire. Only the model's inputs are converted: code in this process
/// has no excuse.
///
/// # Errors
/// Every problem at once.
#[cold]
#[inline(never)]
pub(crate) fn parse_slowly<T: ToolForm>(
    input: &RawInput,
    origin: Origin,
    schema: &Schema,
) -> Result<Typed<T::Wire>, InputErrors> {
    let read = read(input, origin, schema, None)?;
    // From the text where it is as it came: it holds wide integers that a value does not.
    let parsed = if read.coercions.is_empty() {
        serde_json::from_str(read.text.as_str())
    } else {
        T::Wire::deserialize(&read.value)
    };
    match parsed {
        Ok(value) => Ok(Typed { value, text: read.text, coercions: read.coercions }),
        Err(error) => {
            // A value has no places; its text has.
            let placed = if error.line() == 0 {
                serde_json::from_str::<T::Wire>(read.text.as_str()).err()
            } else {
                None
            };
            let problem = unreadable(&read, &placed.unwrap_or(error));
            Err(InputErrors::of(vec![problem], schema, Some(&read.value)))
        }
    }
}

/// The problem of an input that fits its schema and that the type's own parser refuses.
fn unreadable(read: &Input, error: &serde_json::Error) -> Problem {
    let place = place(read.text.as_str(), error.line(), error.column());
    let value = place.steps.iter().try_fold(&read.value, |value, step| match step {
        Step::Field(name) => value.get(name),
        Step::Item(index) => value.get(index),
    });
    let received = match place.steps.last() {
        Some(Step::Field(name)) if place.is_name => format!("the name `{}`", shortened(name)),
        _value => received(value.unwrap_or(&Value::Null)),
    };
    Problem {
        path: render(place.steps.iter()),
        expected: "a value that the tool can read".to_owned(),
        received,
        hint: Some(without_place(error)),
    }
}

/// What a parser says, without its place in the text.
fn without_place(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _place)| said);
    shortened(said)
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
