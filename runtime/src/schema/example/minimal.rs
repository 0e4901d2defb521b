//! The smallest value that fits a schema, with placeholders for what cannot be known.

use std::cell::Cell;

use serde_json::{Map, Number, Value, json};

use super::shapes::Came;
use super::wrong::Wrong;
use crate::schema::Schema;
use crate::schema::path::Step;
use crate::schema::walk::{Bounds, item_schemas};

/// How deep an example goes into nested types.
pub(super) const DEPTH_MAX: usize = 12;
/// How many characters or items an example repeats.
const REPEATED_MAX: u64 = 20;
/// How many parts an example has: a schema of a stranger may nest itself in many places at once.
const PARTS_MAX: usize = 2_000;
/// How many bytes of a value that the schema writes out count as one part.
const BYTES_PER_PART: usize = 16;
/// How many parts of a schema are looked at for one example.
const LOOKS_MAX: usize = 20_000;

/// An example of values of one schema, while it is made.
pub(super) struct Example<'s> {
    pub(super) schema: &'s Schema,
    /// How many parts it may still have.
    left: Cell<usize>,
    /// How many parts of the schema may still be looked at.
    looks_left: Cell<usize>,
}

impl<'s> Example<'s> {
    pub(super) fn new(schema: &'s Schema) -> Example<'s> {
        Example { schema, left: Cell::new(PARTS_MAX), looks_left: Cell::new(LOOKS_MAX) }
    }

    /// Takes parts from those that are left; all of them where there are too few.
    fn spend(&self, parts: usize) -> bool {
        take(&self.left, parts)
    }

    /// Takes one look from those that are left.
    pub(super) fn look(&self) -> bool {
        take(&self.looks_left, 1)
    }

    /// The smallest value that fits a schema.
    pub(super) fn of(&self, schema: &'s Value, depth: usize) -> Value {
        if !self.spend(1) || depth > DEPTH_MAX {
            return Value::Null;
        }
        let nothing = Came { value: None, wrong: &Wrong::default() };
        self.of_shapes(&self.shapes(schema, nothing), depth)
    }

    /// The smallest value of which all these parts of a schema hold.
    pub(super) fn of_shapes(&self, shapes: &[&'s Map<String, Value>], depth: usize) -> Value {
        let fixed = shapes.iter().find_map(|words| {
            words.get("const").or_else(|| said(words)).or_else(|| words.get("enum")?.get(0))
        });
        if let Some(fixed) = fixed {
            return self.copied(fixed).unwrap_or(Value::Null);
        }
        let Some((words, kind)) = shapes.iter().find_map(|words| Some((*words, kind(words)?))) else {
            return json!("…");
        };
        match kind {
            "object" => Value::Object(self.fields(shapes, depth)),
            "array" => self.items(words, depth),
            "integer" => Value::Number(number(words, true)),
            "number" => Value::Number(number(words, false)),
            "boolean" => json!(true),
            "null" => Value::Null,
            _text => Value::from(text(words)),
        }
    }

    /// A value that the schema writes out, unless it is long.
    pub(super) fn copied(&self, fixed: &Value) -> Option<Value> {
        self.spend(fixed.to_string().len() / BYTES_PER_PART).then(|| fixed.clone())
    }

    /// The schemas that hold besides some words: what they refer to, and every part of `allOf`.
    pub(super) fn surely(&self, words: &'s Map<String, Value>) -> impl Iterator<Item = &'s Value> {
        let reference = words.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        let target = reference.and_then(|target| self.schema.walkable().pointer(target));
        target.into_iter().chain(words.get("allOf").and_then(Value::as_array).into_iter().flatten())
    }

    /// Whether a name matches a pattern, as far as is known.
    pub(super) fn is_match(&self, pattern: &str, name: &str) -> bool {
        self.schema.patterns().is_match(pattern, name) == Some(true)
    }

    fn fields(&self, shapes: &[&'s Map<String, Value>], depth: usize) -> Map<String, Value> {
        let lists = shapes.iter().filter_map(|words| words.get("required")?.as_array());
        let required = lists.flatten().filter_map(Value::as_str).take_while(|_name| self.left.get() > 0);
        let fields = required.map(|name| {
            let field = self.known(shapes, &Step::Field(name.to_owned()));
            (name.to_owned(), field.map_or_else(|| json!("…"), |field| self.of(field, depth + 1)))
        });
        fields.collect()
    }

    fn items(&self, words: &'s Map<String, Value>, depth: usize) -> Value {
        let (first, more) = item_schemas(words);
        let first = first.iter().take_while(|_item| self.left.get() > 0);
        let mut items: Vec<Value> = first.map(|item| self.of(item, depth + 1)).collect();
        let least = words.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(REPEATED_MAX);
        while u64::try_from(items.len()).is_ok_and(|length| length < least) {
            items.push(more.map_or_else(|| json!("…"), |more| self.of(more, depth + 1)));
        }
        Value::Array(items)
    }
}

/// Takes some from those that are left; all of them where there are too few.
fn take(left: &Cell<usize>, some: usize) -> bool {
    let after = left.get().checked_sub(some);
    left.set(after.unwrap_or(0));
    after.is_some()
}

/// The value that a schema gives as an example, or as a default.
pub(super) fn said(words: &Map<String, Value>) -> Option<&Value> {
    let default = || words.get("default").filter(|value| !value.is_null());
    words.get("examples").and_then(|all| all.get(0)).or_else(default)
}

/// Whether the words of a schema say of what values are.
pub(super) fn is_telling(words: &Map<String, Value>) -> bool {
    kind(words).is_some()
        || words.contains_key("const")
        || words.contains_key("enum")
        || said(words).is_some()
}

/// The type that a schema names, the first of many; an object where it names fields only.
fn kind(words: &Map<String, Value>) -> Option<&str> {
    let named = words.get("type").map(|kind| kind.get(0).unwrap_or(kind)).and_then(Value::as_str);
    named.or_else(|| words.contains_key("properties").then_some("object"))
}

fn text(words: &Map<String, Value>) -> String {
    let at = |word: &str| words.get(word).and_then(Value::as_u64);
    let length =
        at("minLength").unwrap_or(1).max(1).min(at("maxLength").unwrap_or(u64::MAX)).min(REPEATED_MAX);
    match words.get("format").and_then(Value::as_str) {
        Some("date") => "2025-01-31".to_owned(),
        Some("date-time") => "2025-01-31T12:00:00Z".to_owned(),
        Some("uri") => "https://example.org/".to_owned(),
        Some("uuid") => "00000000-0000-4000-8000-000000000000".to_owned(),
        Some("ipv4" | "ip") => "192.0.2.1".to_owned(),
        Some("ipv6") => "2001:db8::1".to_owned(),
        _other => (0..length).map(|_| '…').collect(),
    }
}

/// The number nearest to 1 that the bounds allow, as far as that is plain.
fn number(words: &Map<String, Value>, is_integer: bool) -> Number {
    let bounds = Bounds::of(words);
    let one = || if is_integer { Number::from(1) } else { Number::from_f64(1.0).unwrap_or_else(|| 1.into()) };
    let step = bounds.multiple.clone().unwrap_or_else(one);
    let candidates = [
        Some(one()),
        Some(step.clone()),
        bounds.low.as_ref().map(|low| low.at.clone()),
        bounds.low.as_ref().and_then(|low| shifted(&low.at, 1)),
        bounds.low.as_ref().and_then(|low| Number::from_f64(low.at.as_f64()? + 0.5)),
        bounds.high.as_ref().map(|high| high.at.clone()),
        bounds.high.as_ref().and_then(|high| shifted(&high.at, -1)),
        bounds.low.as_ref().and_then(|low| next_multiple(&low.at, &step)),
    ];
    let is_whole = |number: &Number| !is_integer || !number.is_f64();
    candidates
        .into_iter()
        .flatten()
        .find(|number| is_whole(number) && bounds.allow(number))
        .unwrap_or_else(one)
}

fn shifted(number: &Number, by: i64) -> Option<Number> {
    number.as_i64().and_then(|whole| whole.checked_add(by)).map(Number::from)
}

fn next_multiple(low: &Number, of: &Number) -> Option<Number> {
    let (low, of) = (low.as_i64()?, of.as_i64().filter(|of| *of > 0)?);
    low.checked_add(of)?.div_euclid(of).checked_mul(of).map(Number::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_small_however_often_a_schema_nests_itself() {
        let fields: Map<String, Value> = (0..40).map(|n| (format!("f{n}"), json!({"$ref": "#"}))).collect();
        let required: Vec<String> = fields.keys().cloned().collect();
        let long = json!({"const": "x".repeat(1_000_000)});
        for schema in [
            json!({"type": "object", "properties": fields, "required": required}),
            json!({"type": "array", "prefixItems": vec![json!({"$ref": "#"}); 40]}),
            json!({"allOf": vec![json!({"$ref": "#"}); 40]}),
            json!({"type": "array", "minItems": 20, "items": long}),
        ] {
            let schema = Schema::new(schema);
            let length = Example::new(&schema).of(schema.walkable(), 0).to_string().len();
            assert!(length < PARTS_MAX * BYTES_PER_PART * 2, "{length} bytes");
        }
    }
}
