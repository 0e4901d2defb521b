//! Conversions that lose nothing: each gives the one value that was meant, or none.

use serde_json::{Number, Value};

use super::super::json::{Commas, read};
use super::super::path::Path;
use super::Walker;
use super::equal::equal;
use super::value::is;

/// The largest magnitude below which every integer is a double of its own.
const INTEGRAL_MAX: f64 = 9_007_199_254_740_991.0;
/// How long a text may be that is read as a number or a boolean.
const SCALAR_BYTES_MAX: usize = 400;

impl Walker<'_> {
    /// Converts a value to a type, when nothing is lost by it.
    pub(super) fn convert(&mut self, value: &mut Value, kind: &str, path: &Path<'_>) -> bool {
        if !self.spend(super::weight(value)) {
            return false;
        }
        let Some(to) = converted(value, kind) else { return false };
        self.replace(value, to, path);
        true
    }
}

/// The value as another type, when nothing is lost by it.
fn converted(value: &Value, kind: &str) -> Option<Value> {
    match (value, kind) {
        (Value::Number(number), "integer") => integral(number).map(Value::Number),
        (Value::String(text), "integer" | "number" | "boolean") if text.len() <= SCALAR_BYTES_MAX => {
            let inner = whole(text)?;
            if is(&inner, kind) { Some(inner) } else { converted_number(&inner, kind) }
        }
        (Value::String(text), "array" | "object") => whole(text).filter(|inner| is(inner, kind)),
        _other => None,
    }
}

fn converted_number(inner: &Value, kind: &str) -> Option<Value> {
    match inner {
        Value::Number(number) if kind == "integer" => integral(number).map(Value::Number),
        _other => None,
    }
}

/// The listed value that a text writes out, where the text itself is not listed.
pub(super) fn to_listed(value: &Value, listed: &[Value]) -> Option<Value> {
    let Value::String(text) = value else { return None };
    if text.len() > SCALAR_BYTES_MAX {
        return None;
    }
    let inner = whole(text).filter(|inner| !inner.is_string() && !inner.is_null())?;
    listed.iter().find(|one| equal(one, &inner)).cloned()
}

/// The JSON that a text is, if it is JSON and no number of it is rounded.
fn whole(text: &str) -> Option<Value> {
    let read = read(text, Commas::Strict).ok()?;
    read.rounded.is_empty().then_some(read.value)
}

/// A float without a fraction, as the integer it is.
fn integral(number: &Number) -> Option<Number> {
    if !number.is_f64() {
        return None;
    }
    let float = number.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "the value is integral and within 53 bits")]
    (float.fract() == 0.0 && float.abs() <= INTEGRAL_MAX).then(|| Number::from(float as i64))
}
