//! Gemini's function declarations: a subset of OpenAPI 3.0 without references, constants and closed objects.
//!
//! That objects are closed is not said; the tool refuses unknown fields all the same. Source: the `Schema` object of the
//! Gemini API.

use serde_json::{Map, Value, json};

use super::shaping::{Shaping, explain, explain_format, one_of_to_any_of, says_type};
use crate::schema::marks;

const REFUSED: &[(&str, &str)] = &[
    ("$ref", "refers to itself"),
    ("allOf", "must fit several schemas at once"),
    ("not", "must not fit a schema"),
    ("if", "depends on a condition"),
    ("dependentRequired", "has fields that require others"),
    ("dependentSchemas", "has fields that bring schemas with them"),
    ("patternProperties", "has fields named by a pattern"),
    ("propertyNames", "has names that must fit a schema"),
    ("unevaluatedProperties", "is closed over parts"),
    ("prefixItems", "is a list with a type for each place: make it a struct"),
    ("contains", "must contain something"),
    ("uniqueItems", "has items that differ from each other"),
    ("multipleOf", "must be a multiple of a number"),
];

pub(super) fn shape(schema: &mut Value, shaping: &mut Shaping) {
    super::mcp::shape(schema, shaping);
    if let Value::Object(words) = schema {
        words.remove("$defs");
    }
    visit(schema, shaping);
}

fn visit(schema: &mut Value, shaping: &mut Shaping) {
    let Value::Object(words) = schema else {
        return shaping.refuse("may be anything, and each value needs a type");
    };
    shaping.refuse_words(words, REFUSED);
    if !says_type(words) {
        shaping.refuse("may be anything, and each value needs a type");
    }
    listed(words, shaping);
    exclusive(words, shaping);
    explain(words);
    one_of_to_any_of(words, shaping);
    types(words, shaping);
    if words.get("type").is_some_and(|kind| kind == "string")
        && words.get("format").is_some_and(|format| format != "date-time" && format != "enum")
    {
        explain_format(words);
    }
    if words.get("type").is_some_and(|kind| kind == "object") {
        object(words, shaping);
    }
    shaping.below(words, visit);
}

/// A constant text is a list of one; lists of anything but texts are not known.
fn listed(words: &mut Map<String, Value>, shaping: &mut Shaping) {
    match words.remove("const") {
        Some(fixed @ Value::String(_)) => {
            words.insert("type".to_owned(), json!("string"));
            words.insert("enum".to_owned(), json!([fixed]));
        }
        Some(other) => shaping.refuse(format!("must be {other}, and only texts can be fixed")),
        None => {}
    }
    let listed = words.get("enum").and_then(Value::as_array);
    if listed.is_some_and(|listed| !listed.iter().all(|value| value.is_string() || value.is_null())) {
        shaping.refuse("lists values that are no texts, and only texts can be listed");
    }
}

/// An exclusive bound of an integer is the bound beside it.
fn exclusive(words: &mut Map<String, Value>, shaping: &mut Shaping) {
    let is_integer = words.get("type").is_some_and(|kind| kind == "integer");
    for (exclusive, inclusive, step) in
        [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)]
    {
        let Some(bound) = words.get(exclusive) else { continue };
        match bound.as_i64().and_then(|bound| bound.checked_add(step)) {
            Some(bound) if is_integer && !words.contains_key(inclusive) => {
                words.remove(exclusive);
                words.insert(inclusive.to_owned(), json!(bound));
            }
            _other => shaping.refuse(format!(
                "has a bound that is not part of it, and there is no word for it (`{exclusive}`)"
            )),
        }
    }
}

/// That a value may be `null` has a word of its own; several other types are a choice.
fn types(words: &mut Map<String, Value>, shaping: &mut Shaping) {
    let is_null = |branch: &Value| branch.get("type").is_some_and(|kind| kind == "null");
    let mut nullable = false;
    if let Some(Value::Array(listed)) = words.get_mut("enum") {
        listed.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(branches)) = words.get_mut("anyOf") {
        nullable = branches.iter().any(is_null);
        branches.retain(|branch| !is_null(branch));
    }
    if words.get("type").is_some_and(Value::is_array)
        && let Some(Value::Array(mut kinds)) = words.remove("type")
    {
        nullable |= kinds.iter().any(|kind| kind == "null");
        kinds.retain(|kind| kind != "null");
        match kinds.as_slice() {
            [only] => drop(words.insert("type".to_owned(), only.clone())),
            _several if words.contains_key("anyOf") => shaping.refuse("has several types beside a choice"),
            _several => {
                let branches: Vec<Value> = kinds.iter().map(|kind| json!({"type": kind})).collect();
                words.insert("anyOf".to_owned(), Value::Array(branches));
            }
        }
    }
    if nullable {
        words.insert("nullable".to_owned(), json!(true));
    }
}

fn object(words: &mut Map<String, Value>, shaping: &mut Shaping) {
    if words.remove("additionalProperties").is_some_and(|others| others != Value::Bool(false)) {
        shaping.refuse("is a map, and objects have fixed fields: make it a list of pairs");
    }
    if let Some(order) = words.get(marks::ORDER).cloned() {
        let fields = words.get("properties").and_then(Value::as_object);
        let is_there =
            |name: &Value| name.as_str().is_some_and(|name| fields.is_some_and(|all| all.contains_key(name)));
        let order: Vec<Value> =
            order.as_array().into_iter().flatten().filter(|name| is_there(name)).cloned().collect();
        if order.len() > 1 {
            words.insert("propertyOrdering".to_owned(), Value::Array(order));
        }
    }
}
