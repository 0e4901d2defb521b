//! OpenAI's structured outputs: every field is required, every object closed, and few words are known.
//!
//! An optional field becomes one that may be `null`, where the tool reads `null` as nothing; one with a default that
//! does not take `null` becomes required. Source: "Structured Outputs", supported schemas.

use serde_json::{Map, Value, json};

use super::shaping::{Shaping, explain, explain_format, one_of_to_any_of, says_type};
use crate::schema::marks;

/// How many fields a schema may have, all objects together.
const FIELDS_MAX: usize = 5_000;
/// How deep objects may be nested.
const DEPTH_MAX: usize = 10;
/// How many values may be listed, all lists together.
const LISTED_MAX: usize = 1_000;
/// How many characters names and listed values may have together.
const CHARS_MAX: usize = 120_000;
/// The formats of strings that are known.
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

const REFUSED: &[(&str, &str)] = &[
    ("allOf", "must fit several schemas at once"),
    ("not", "must not fit a schema"),
    ("if", "depends on a condition"),
    ("dependentRequired", "has fields that require others"),
    ("dependentSchemas", "has fields that bring schemas with them"),
    ("patternProperties", "has fields named by a pattern"),
    ("propertyNames", "has names that must fit a schema"),
    ("unevaluatedProperties", "is closed over parts"),
    ("minProperties", "has a least number of fields"),
    ("maxProperties", "has a greatest number of fields"),
    ("prefixItems", "is a list with a type for each place: make it a struct"),
    ("contains", "must contain something"),
    ("uniqueItems", "has items that differ from each other"),
    ("minLength", "has a least length"),
    ("maxLength", "has a greatest length"),
];

/// Where `null` is allowed, before that is taken for noise.
const NULLABLE: &str = "x-nullable";

/// Notes which fields may be `null`.
pub(super) fn keep_null(schema: &mut Value) {
    match schema {
        Value::Object(words) => {
            if takes_null(words) {
                words.insert(NULLABLE.to_owned(), json!(true));
            }
            words.values_mut().for_each(keep_null);
        }
        Value::Array(list) => list.iter_mut().for_each(keep_null),
        _scalar => {}
    }
}

fn takes_null(words: &Map<String, Value>) -> bool {
    let is_null = |kind: &Value| kind == "null";
    let kinds = words.get("type").and_then(Value::as_array);
    let branches = words.get("anyOf").and_then(Value::as_array);
    kinds.is_some_and(|kinds| kinds.iter().any(is_null))
        || branches
            .is_some_and(|branches| branches.iter().any(|branch| branch.get("type").is_some_and(is_null)))
}

pub(super) fn shape(schema: &mut Value, shaping: &mut Shaping) {
    super::mcp::shape(schema, shaping);
    if schema.get("anyOf").or_else(|| schema.get("oneOf")).is_some() {
        shaping.refuse("may not be a choice at its top: put the choice into a field");
    }
    let mut size = Size::default();
    size.add(schema, 0);
    size.check(shaping);
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
    explain(words);
    one_of_to_any_of(words, shaping);
    if words.get("format").and_then(Value::as_str).is_some_and(|format| !FORMATS.contains(&format)) {
        explain_format(words);
    }
    if words.get("type").is_some_and(|kind| kind == "object") {
        object(words, shaping);
    }
    shaping.below(words, visit);
    if words.remove(NULLABLE).is_some() && !takes_null(words) {
        allow_null(words);
    }
}

/// Closes an object and requires its fields, in declared order.
fn object(words: &mut Map<String, Value>, shaping: &mut Shaping) {
    match words.get("additionalProperties") {
        Some(Value::Bool(false)) => {}
        Some(Value::Object(_) | Value::Bool(true)) => {
            shaping.refuse("is a map, and objects have fixed fields: make it a list of pairs");
        }
        _open => shaping.refuse(
            "is open, and objects must be closed: add `#[serde(deny_unknown_fields)]` or derive `Params`",
        ),
    }
    let names: Vec<Value> = words
        .get("properties")
        .and_then(Value::as_object)
        .map(|fields| fields.keys().map(|name| json!(name)).collect())
        .unwrap_or_default();
    words.insert("required".to_owned(), Value::Array(names));
}

/// Adds `null` to what is allowed.
fn allow_null(words: &mut Map<String, Value>) {
    if let Some(Value::Array(listed)) = words.get_mut("enum") {
        listed.push(Value::Null);
    }
    if let Some(Value::Array(branches)) = words.get_mut("anyOf") {
        return branches.push(json!({"type": "null"}));
    }
    if let Some(kind @ Value::String(_)) = words.get_mut("type") {
        *kind = json!([kind.clone(), "null"]);
        return;
    }
    // A constant or a reference: a choice around it.
    let own: Map<String, Value> = std::mem::take(words);
    words.insert("anyOf".to_owned(), json!([own, {"type": "null"}]));
}

/// How large a schema is.
#[derive(Default)]
struct Size {
    fields: usize,
    depth: usize,
    listed: usize,
    chars: usize,
}

impl Size {
    fn add(&mut self, schema: &Value, depth: usize) {
        match schema {
            Value::Object(words) => {
                let fields = words.get("properties").and_then(Value::as_object);
                let depth = depth + usize::from(fields.is_some_and(|fields| !fields.is_empty()));
                self.depth = self.depth.max(depth);
                self.fields += fields.map_or(0, Map::len);
                self.chars += fields.into_iter().flat_map(Map::keys).map(String::len).sum::<usize>();
                let listed = words.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                self.listed += listed.len();
                self.chars += listed.iter().map(|value| value.to_string().len()).sum::<usize>();
                words
                    .iter()
                    .filter(|(word, _)| !marks::is_mark(word))
                    .for_each(|(_, below)| self.add(below, depth));
            }
            Value::Array(list) => list.iter().for_each(|below| self.add(below, depth)),
            _scalar => {}
        }
    }

    fn check(&self, shaping: &mut Shaping) {
        for (what, size, max) in [
            ("fields", self.fields, FIELDS_MAX),
            ("levels of objects", self.depth, DEPTH_MAX),
            ("listed values", self.listed, LISTED_MAX),
            ("characters in names and listed values", self.chars, CHARS_MAX),
        ] {
            if size > max {
                shaping.refuse(format!("has {size} {what}, and at most {max} are taken"));
            }
        }
    }
}
