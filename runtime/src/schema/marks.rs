//! Marks that a schema carries inside this crate, and that no model sees: what the types behind it promise.

use serde_json::{Map, Value};

use super::build::Trust;
use crate::contract::{Coerce, Field};

/// The names of an object's fields in declared order.
pub(super) const ORDER: &str = "x-order";
/// The type reads nothing but what the schema accepts.
pub(super) const STRICT: &str = "x-strict";
/// `false`: the value is not converted.
pub(super) const COERCE: &str = "x-coerce";
/// Some field is not there in this session, though the parser knows it.
pub(super) const CONDITIONAL: &str = "x-conditional";

/// Other names that a field is read by. Only the walker honours them, so a type that has them is not trusted.
pub(super) const ALIASES: &str = "x-aliases";
/// Other names that variants are read by, and the field that holds them where one does.
pub(super) const VARIANTS: &str = "x-variants";

/// Whole inputs that the tool's author gives as examples, as texts of JSON. No model is sent them with the schema.
pub(super) const EXAMPLES: &str = "x-examples";

/// Whether a key is one of the marks.
pub(super) fn is_mark(key: &str) -> bool {
    matches!(key, ORDER | STRICT | COERCE | CONDITIONAL | ALIASES | VARIANTS | EXAMPLES)
}

/// Takes the marks out of a schema that is not made here: they are promises, and only our own types make them.
pub(super) fn remove(schema: &mut Value) {
    let Value::Object(words) = schema else { return };
    words.retain(|word, _| !is_mark(word));
    for (word, value) in words.iter_mut() {
        match (word.as_str(), value) {
            // Data, in which any name may stand.
            ("const" | "enum" | "default" | "examples" | "required" | "type", _) => {}
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
                | "dependencies",
                Value::Object(named),
            ) => named.values_mut().for_each(remove),
            (_, Value::Array(list)) => list.iter_mut().for_each(remove),
            (_, schema) => remove(schema),
        }
    }
}

/// The names of an object's fields: in declared order where that is known, the others by name.
pub(super) fn declared(words: &Map<String, Value>) -> Vec<&str> {
    let order: Vec<&str> =
        words.get(ORDER).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let place = |name: &str| order.iter().position(|field| *field == name).unwrap_or(order.len());
    let fields = words.get("properties").and_then(Value::as_object);
    let mut names: Vec<&str> = fields.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    names.sort_by_key(|name| (place(name), *name));
    names
}

/// Marks the schema of a field with what is known of it.
pub(super) fn mark_field(schema: &mut Value, field: &Field, example: Option<Value>) {
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Map::new());
    }
    let Value::Object(words) = schema else { return };
    if field.coerce == Coerce::Never {
        words.insert(COERCE.to_owned(), Value::Bool(false));
    }
    if !field.aliases.is_empty() {
        words.insert(ALIASES.to_owned(), field.aliases.iter().copied().collect());
    }
    if let Some(example) = example {
        words.insert("examples".to_owned(), Value::Array(vec![example]));
    }
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

/// Words that say nothing about which values fit.
const ANNOTATIONS: &[&str] = &[
    "$schema",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    ORDER,
    STRICT,
    COERCE,
    EXAMPLES,
];

/// The shapes that a derived parser reads exactly as a schema of that shape says. Whatever is not listed is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Null,
    Boolean,
    String,
    Integer,
    Number,
    List,
    Tuple,
    Struct,
    Listed,
    Branches,
}

impl Shape {
    /// The words that a schema of this shape may have, beside annotations.
    const fn words(self) -> &'static [&'static str] {
        match self {
            Shape::Null | Shape::Boolean => &["type"],
            Shape::String => &["type", "format"],
            Shape::Integer | Shape::Number => &["type", "format", "minimum", "maximum"],
            Shape::List => &["type", "items"],
            Shape::Tuple => &["type", "items", "prefixItems", "minItems", "maxItems"],
            Shape::Struct => &["type", "properties", "required", "additionalProperties"],
            Shape::Listed => &["type", "enum", "const"],
            Shape::Branches => &["anyOf", "oneOf"],
        }
    }

    fn of(map: &Map<String, Value>) -> Option<Shape> {
        if map.contains_key("anyOf") || map.contains_key("oneOf") {
            return Some(Shape::Branches);
        }
        if map.contains_key("enum") || map.contains_key("const") {
            return Some(Shape::Listed);
        }
        Some(match only_type(map)? {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "string" => Shape::String,
            "integer" => Shape::Integer,
            "number" => Shape::Number,
            "array" if map.contains_key("prefixItems") => Shape::Tuple,
            "array" => Shape::List,
            "object" => Shape::Struct,
            _other => return None,
        })
    }
}

impl Seen {
    /// Whether a derived parser takes exactly what this schema accepts. `strict` tells that the type around it does.
    fn is_exact(&mut self, schema: &Value, strict: bool) -> bool {
        let Value::Object(map) = schema else { return false };
        let strict = map.get(STRICT).and_then(Value::as_bool).unwrap_or(strict);
        let Some(shape) = Shape::of(map) else { return false };
        let is_known =
            |word: &String| shape.words().contains(&word.as_str()) || ANNOTATIONS.contains(&word.as_str());
        if !map.keys().all(is_known) {
            return false;
        }
        match shape {
            Shape::Null | Shape::Boolean | Shape::String => true,
            Shape::Integer => has_natural_bounds(map),
            Shape::Number => {
                self.has_floats = true;
                let is_double = map.get("format").is_some_and(|format| format == "double");
                is_double && !map.contains_key("minimum") && !map.contains_key("maximum")
            }
            Shape::List => map.get("items").is_some_and(|items| self.is_exact(items, false)),
            Shape::Tuple => self.is_exact_tuple(map),
            Shape::Struct => strict && self.is_exact_struct(map),
            Shape::Listed => strict,
            Shape::Branches => self.is_exact_branches(map, strict),
        }
    }

    fn is_exact_struct(&mut self, map: &Map<String, Value>) -> bool {
        let is_closed = map.get("additionalProperties") == Some(&Value::Bool(false));
        let fields = map.get("properties").and_then(Value::as_object);
        is_closed && fields.into_iter().flatten().all(|(_, field)| self.is_exact(field, false))
    }

    fn is_exact_tuple(&mut self, map: &Map<String, Value>) -> bool {
        let items = map.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let has_length =
            |word: &str| map.get(word).and_then(Value::as_u64) == u64::try_from(items.len()).ok();
        has_length("minItems")
            && has_length("maxItems")
            && map.get("items").is_none_or(|others| *others == Value::Bool(false))
            && items.iter().all(|item| self.is_exact(item, false))
    }

    fn is_exact_branches(&mut self, map: &Map<String, Value>, strict: bool) -> bool {
        let branches = match (map.get("anyOf"), map.get("oneOf")) {
            (Some(Value::Array(branches)), None) | (None, Some(Value::Array(branches))) => branches,
            _other => return false,
        };
        let is_option = map.contains_key("anyOf") && branches.len() == 2 && branches.iter().any(is_null);
        (strict || is_option) && branches.iter().all(|branch| self.is_exact(branch, strict))
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

/// The one type that a schema names, `null` beside it or not.
fn only_type(map: &Map<String, Value>) -> Option<&str> {
    match map.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => match kinds.as_slice() {
            [Value::String(kind), Value::String(null)] if null == "null" => Some(kind),
            _other => None,
        },
        _other => None,
    }
}

/// Whether bounds are those of the integer type itself, which the parser checks.
fn has_natural_bounds(map: &Map<String, Value>) -> bool {
    let format = map.get("format").and_then(Value::as_str).unwrap_or_default();
    let natural: (Option<i64>, Option<i64>) = match format {
        "uint8" => (Some(0), Some(i64::from(u8::MAX))),
        "uint16" => (Some(0), Some(i64::from(u16::MAX))),
        "uint32" | "uint64" | "uint128" | "uint" => (Some(0), None),
        "int8" => (Some(i64::from(i8::MIN)), Some(i64::from(i8::MAX))),
        "int16" => (Some(i64::from(i16::MIN)), Some(i64::from(i16::MAX))),
        "int32" | "int64" | "int128" | "int" => (None, None),
        _other => return false,
    };
    let is_natural = |word: &str, bound: Option<i64>| {
        map.get(word).is_none_or(|given| given.as_i64().is_some() && given.as_i64() == bound)
    };
    is_natural("minimum", natural.0) && is_natural("maximum", natural.1)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::num::NonZeroU8;

    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "its schema is looked at")]
    struct Closed {
        a: u8,
    }

    #[derive(Deserialize, JsonSchema)]
    enum Named {
        A,
        B,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "its schema is looked at")]
    enum Either {
        A(u8),
        B(String),
    }

    fn trust_of<T: JsonSchema>() -> Trust {
        let settings = schemars::generate::SchemaSettings::draft2020_12()
            .with(|settings| settings.inline_subschemas = true);
        trust(&settings.into_generator().into_root_schema_for::<T>().to_value())
    }

    /// A struct that a strict parser reads, with one field.
    fn trust_around<T: JsonSchema>() -> Trust {
        let settings = schemars::generate::SchemaSettings::draft2020_12()
            .with(|settings| settings.inline_subschemas = true);
        let field = settings.into_generator().into_root_schema_for::<T>().to_value();
        trust(&serde_json::json!({
            STRICT: true, "type": "object", "properties": {"field": field}, "required": ["field"], "additionalProperties": false,
        }))
    }

    #[test]
    fn plain_types_are_trusted_inside_a_strict_one() {
        for (name, trust) in [
            ("u8", trust_around::<u8>()),
            ("i8", trust_around::<i8>()),
            ("u16", trust_around::<u16>()),
            ("i16", trust_around::<i16>()),
            ("u32", trust_around::<u32>()),
            ("i32", trust_around::<i32>()),
            ("u64", trust_around::<u64>()),
            ("i64", trust_around::<i64>()),
            ("u128", trust_around::<u128>()),
            ("usize", trust_around::<usize>()),
            ("isize", trust_around::<isize>()),
            ("bool", trust_around::<bool>()),
            ("String", trust_around::<String>()),
            ("PathBuf", trust_around::<std::path::PathBuf>()),
            ("()", trust_around::<()>()),
            ("Option", trust_around::<Option<u32>>()),
            ("Vec", trust_around::<Vec<Option<String>>>()),
            ("tuple", trust_around::<(u8, String)>()),
            ("array", trust_around::<Vec<[u8; 1]>>()),
        ] {
            let wanted = if name == "array" { Trust::Nothing } else { Trust::Parser };
            assert_eq!(trust, wanted, "{name}");
        }
        assert_eq!(trust_around::<f64>(), Trust::ParserButFloats);
        assert_eq!(trust_around::<Option<f64>>(), Trust::ParserButFloats);
    }

    #[test]
    fn types_whose_parser_takes_more_than_they_say_are_not_trusted() {
        for (name, trust) in [
            ("a struct that reads arrays", trust_around::<Closed>()),
            ("a struct alone", trust_of::<Closed>()),
            ("an enum that reads objects for names", trust_around::<Named>()),
            ("an enum in a list", trust_around::<Vec<Named>>()),
            ("an enum in an option", trust_around::<Option<Named>>()),
            ("an untagged enum", trust_around::<Either>()),
            ("a map, whose keys may stand twice", trust_around::<BTreeMap<String, u8>>()),
            ("a set, whose items may", trust_around::<BTreeSet<u8>>()),
            ("a character", trust_around::<char>()),
            ("a single float, which rounds", trust_around::<f32>()),
            ("a number that is not zero", trust_around::<NonZeroU8>()),
            ("any value", trust_around::<Value>()),
            ("a duration", trust_around::<std::time::Duration>()),
            ("an option of a struct", trust_around::<Option<Closed>>()),
        ] {
            assert_eq!(trust, Trust::Nothing, "{name}");
        }
    }
}
