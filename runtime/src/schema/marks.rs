//! Marks that a schema carries inside this crate, and that no model sees: what the types behind it promise.

use serde_json::{Map, Value};

use super::build::Trust;

/// The names of an object's fields in declared order.
pub(super) const ORDER: &str = "x-order";
/// The type reads nothing but what the schema accepts.
pub(super) const STRICT: &str = "x-strict";
/// `false`: the value is not converted.
pub(super) const COERCE: &str = "x-coerce";
/// Some field is not there in this session, though the parser knows it.
pub(super) const CONDITIONAL: &str = "x-conditional";

/// Whether a key is one of the marks.
pub(super) fn is_mark(key: &str) -> bool {
    matches!(key, ORDER | STRICT | COERCE | CONDITIONAL)
}

/// How far the parser of the type behind a schema can be trusted by itself.
pub(super) fn trust(schema: &Value) -> Trust {
    let mut seen = Seen { has_floats: false };
    match (seen.is_exact(schema, false), seen.has_floats) {
        (false, _) => Trust::Nothing,
        (true, true) => Trust::ParserButFloats,
        (true, false) => Trust::Parser,
    }
}

struct Seen {
    has_floats: bool,
}

/// Words that a derived parser does not check.
const UNCHECKED: &[&str] = &[
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "contains",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "not",
    "if",
    "allOf",
    "$ref",
    "dependentRequired",
    "unevaluatedProperties",
    CONDITIONAL,
];

impl Seen {
    /// Whether a derived parser takes exactly what this schema accepts. `strict` tells that the type around it does.
    fn is_exact(&mut self, schema: &Value, strict: bool) -> bool {
        let Value::Object(map) = schema else { return *schema == Value::Bool(true) };
        let strict = strict || map.get(STRICT) == Some(&Value::Bool(true));
        let tuple = map.contains_key("prefixItems");
        let is_unchecked = |word: &&str| map.contains_key(*word) && !(tuple && word.ends_with("Items"));
        if UNCHECKED.iter().any(is_unchecked) || !has_natural_bounds(map) {
            return false;
        }
        if let Some(branches) = map.get("anyOf").or_else(|| map.get("oneOf")).and_then(Value::as_array) {
            let is_option = map.contains_key("anyOf") && branches.iter().any(is_null);
            return (strict || is_option) && branches.iter().all(|branch| self.is_exact(branch, strict));
        }
        if map.contains_key("enum") || map.contains_key("const") {
            return strict;
        }
        if names_type(map, "number") {
            self.has_floats = true;
            return map.get("format").and_then(Value::as_str) != Some("float");
        }
        self.is_exact_inside(map, strict)
    }

    fn is_exact_inside(&mut self, map: &Map<String, Value>, strict: bool) -> bool {
        let items =
            map.get("items").is_none_or(|items| *items == Value::Bool(false) || self.is_exact(items, false));
        let tuple = map.get("prefixItems").and_then(Value::as_array);
        let all_items =
            items && tuple.is_none_or(|tuple| tuple.iter().all(|item| self.is_exact(item, false)));
        match map.get("properties").and_then(Value::as_object) {
            Some(fields) => {
                let is_closed = map.get("additionalProperties") == Some(&Value::Bool(false));
                strict && is_closed && all_items && fields.values().all(|field| self.is_exact(field, false))
            }
            None => {
                all_items && map.get("additionalProperties").is_none_or(|others| self.is_exact(others, false))
            }
        }
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

fn names_type(map: &Map<String, Value>, name: &str) -> bool {
    match map.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == name),
        Some(kind) => kind == name,
        None => false,
    }
}

/// Whether bounds are those of the integer type itself, which the parser checks.
fn has_natural_bounds(map: &Map<String, Value>) -> bool {
    let format = map.get("format").and_then(Value::as_str).unwrap_or_default();
    let natural: (Option<i64>, Option<i64>) = match format {
        "uint8" => (Some(0), Some(i64::from(u8::MAX))),
        "uint16" => (Some(0), Some(i64::from(u16::MAX))),
        "int8" => (Some(i64::from(i8::MIN)), Some(i64::from(i8::MAX))),
        "int16" => (Some(i64::from(i16::MIN)), Some(i64::from(i16::MAX))),
        unsigned if unsigned.starts_with("uint") => (Some(0), None),
        _other => (None, None),
    };
    let is_natural = |word: &str, bound: Option<i64>| {
        map.get(word).is_none_or(|given| given.as_i64().is_some() && given.as_i64() == bound)
    };
    is_natural("minimum", natural.0) && is_natural("maximum", natural.1)
}
