//! Equality as JSON Schema has it: numbers by their value, objects whatever the order of their fields.

use std::cmp::Ordering;

use serde_json::Value;

use super::number::compare;

/// Whether two values are the same.
pub(in crate::schema) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b) == Some(Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| equal(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Whether some item is the same as an earlier one. Items are sorted by a text that equal ones share, so that long
/// lists take no square of steps.
pub(super) fn first_repeated(items: &[Value]) -> Option<usize> {
    let mut keyed: Vec<(String, usize)> =
        items.iter().enumerate().map(|(index, item)| (canonical(item), index)).collect();
    keyed.sort();
    keyed.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).min()
}

/// A text that two values share exactly when they are equal.
fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => number_text(number),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            let mut entries: Vec<String> = fields
                .iter()
                .map(|(name, field)| format!("{}:{}", Value::from(name.as_str()), canonical(field)))
                .collect();
            entries.sort();
            format!("{{{}}}", entries.join(","))
        }
        other => other.to_string(),
    }
}

/// Integers as they are; a float that is one, as that integer.
fn number_text(number: &serde_json::Number) -> String {
    let decimal = crate::schema::json::decimal(&number.to_string());
    format!("{}{}e{}", if decimal.is_negative { "-" } else { "" }, decimal.digits, decimal.exponent)
}
