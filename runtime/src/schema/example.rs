//! The smallest input that fits a schema, for a model to go by.

use std::cell::Cell;

use serde_json::{Map, Number, Value, json};

use super::walk::Bounds;

/// How deep an example goes into nested types.
const DEPTH_MAX: usize = 12;
/// How many characters or items an example repeats.
const REPEATED_MAX: u64 = 20;
/// How many parts an example has: a schema of a stranger may nest itself in many places at once.
const PARTS_MAX: usize = 2_000;
/// How many bytes of a value that the schema writes out count as one part.
const BYTES_PER_PART: usize = 16;

/// The smallest value that fits a schema, with placeholders for what cannot be known.
pub(super) fn minimal(schema: &Value) -> Value {
    Example { root: schema, left: Cell::new(PARTS_MAX) }.of(schema, 0)
}

struct Example<'s> {
    root: &'s Value,
    /// How many parts it may still have.
    left: Cell<usize>,
}

impl Example<'_> {
    /// Takes parts from those that are left; all of them where there are too few.
    fn spend(&self, parts: usize) -> bool {
        let left = self.left.get().checked_sub(parts);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn of(&self, schema: &Value, depth: usize) -> Value {
        if !self.spend(1) || depth > DEPTH_MAX {
            return Value::Null;
        }
        let Value::Object(words) = schema else { return json!("…") };
        let fixed = words
            .get("const")
            .or_else(|| words.get("examples")?.get(0))
            .or_else(|| words.get("default").filter(|value| !value.is_null()))
            .or_else(|| words.get("enum")?.get(0));
        if let Some(fixed) = fixed {
            let is_short = self.spend(fixed.to_string().len() / BYTES_PER_PART);
            return if is_short { fixed.clone() } else { Value::Null };
        }
        let kind = words.get("type").map(|kind| kind.get(0).unwrap_or(kind)).and_then(Value::as_str);
        let own = match kind {
            Some("object") => Some(Value::Object(self.fields(words, depth))),
            Some("array") => Some(self.items(words, depth)),
            Some("string") => Some(Value::from(text(words))),
            Some("integer") => Some(Value::Number(number(words, true))),
            Some("number") => Some(Value::Number(number(words, false))),
            Some("boolean") => Some(json!(true)),
            Some("null") => Some(Value::Null),
            _none if words.contains_key("properties") => Some(Value::Object(self.fields(words, depth))),
            _none => None,
        };
        let parts = self.parts(words).into_iter().map(|part| self.of(part, depth + 1));
        match own {
            Some(Value::Object(fields)) => Value::Object(parts.fold(fields, |mut fields, part| {
                if let Value::Object(more) = part {
                    more.into_iter().for_each(|(name, value)| {
                        fields.entry(name).or_insert(value);
                    });
                }
                fields
            })),
            Some(own) => own,
            None => parts.into_iter().next().unwrap_or_else(|| json!("…")),
        }
    }

    /// The schemas that hold besides: what is referred to, every part of `allOf`, the plainest branch.
    fn parts<'w>(&'w self, words: &'w Map<String, Value>) -> Vec<&'w Value> {
        let reference = words.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        let target = reference.and_then(|target| self.root.pointer(target));
        let all = words.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let branches = words.get("anyOf").or_else(|| words.get("oneOf")).and_then(Value::as_array);
        let is_null = |branch: &&Value| branch.get("type").is_some_and(|kind| kind == "null");
        let branch = branches
            .and_then(|branches| branches.iter().find(|branch| !is_null(branch)).or(branches.first()));
        target.into_iter().chain(all).chain(branch).collect()
    }

    fn fields(&self, words: &Map<String, Value>, depth: usize) -> Map<String, Value> {
        let known = words.get("properties").and_then(Value::as_object);
        let required = words.get("required").and_then(Value::as_array).into_iter().flatten();
        let required = required.filter_map(Value::as_str).take_while(|_name| self.left.get() > 0);
        let fields = required.map(|name| {
            let field = known.and_then(|all| all.get(name)).unwrap_or(&Value::Bool(true));
            (name.to_owned(), self.of(field, depth + 1))
        });
        fields.collect()
    }

    fn items(&self, words: &Map<String, Value>, depth: usize) -> Value {
        let first = words.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
        let first = first.take_while(|_item| self.left.get() > 0);
        let mut items: Vec<Value> = first.map(|item| self.of(item, depth + 1)).collect();
        let least = words.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(REPEATED_MAX);
        let more = words.get("items").unwrap_or(&Value::Bool(true));
        while u64::try_from(items.len()).is_ok_and(|length| length < least) {
            items.push(self.of(more, depth + 1));
        }
        Value::Array(items)
    }
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
            let length = minimal(&schema).to_string().len();
            assert!(length < PARTS_MAX * BYTES_PER_PART * 2, "{length} bytes");
        }
    }
}
