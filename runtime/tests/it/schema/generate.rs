//! JSON that fits a schema, and JSON that nearly does.

use serde_json::{Map, Value, json};

use super::entropy::Entropy;

const DEPTH_MAX: usize = 6;

/// A value that a schema accepts, as far as a plain reading of it goes. Where fields and variants have other names, some
/// come by those.
pub(super) fn fitting(schema: &Value, root: &Value, entropy: &mut Entropy<'_>, depth: usize) -> Value {
    let Value::Object(words) = schema else { return anything(entropy, depth) };
    let mut value = as_named(words, root, entropy, depth);
    if let Some(variants) = words.get("x-variants")
        && entropy.one_in(3)
    {
        respell_variant(&mut value, variants);
    }
    value
}

/// Calls a variant by another of its names.
fn respell_variant(value: &mut Value, variants: &Value) {
    let alias = |own: &str| {
        let (alias, _) = variants["aliases"].as_object()?.iter().find(|(_, name)| **name == own)?;
        Some(alias.clone())
    };
    match (value, variants["tag"].as_str()) {
        (Value::String(name), None) => *name = alias(name).unwrap_or_else(|| name.clone()),
        (Value::Object(fields), None) => {
            let found = fields.keys().next().and_then(|own| Some((own.clone(), alias(own)?)));
            if let Some((own, alias)) = found {
                let content = fields.remove(&own).expect("it was just there");
                fields.insert(alias, content);
            }
        }
        (Value::Object(fields), Some(tag)) => {
            if let Some(alias) = fields.get(tag).and_then(Value::as_str).and_then(alias) {
                fields.insert(tag.to_owned(), Value::from(alias));
            }
        }
        _null => {}
    }
}

fn as_named(words: &Map<String, Value>, root: &Value, entropy: &mut Entropy<'_>, depth: usize) -> Value {
    if let Some(fixed) = words.get("const") {
        return fixed.clone();
    }
    if let Some(listed) = words.get("enum").and_then(Value::as_array) {
        return entropy.pick(listed).clone();
    }
    if let Some(target) = words.get("$ref").and_then(Value::as_str) {
        let target =
            root.pointer(target.trim_start_matches('#')).expect("schemas here refer to what is there");
        return fitting(target, root, entropy, depth + 1);
    }
    let branches = words.get("anyOf").or_else(|| words.get("oneOf")).and_then(Value::as_array);
    let branch = branches.map(|branches| {
        let flat = branches.iter().find(|branch| branch.get("type").is_some_and(|kind| kind == "null"));
        let branch = flat.filter(|_| depth > DEPTH_MAX).unwrap_or_else(|| entropy.pick(branches));
        fitting(branch, root, entropy, depth + 1)
    });
    let own = words.get("type").map(|kind| {
        let kinds: Vec<&Value> = kind.as_array().map_or_else(|| vec![kind], |kinds| kinds.iter().collect());
        let kind = entropy.pick(&kinds).as_str().expect("types have names");
        of_kind(kind, words, root, entropy, depth)
    });
    match (own, branch) {
        (Some(Value::Object(mut fields)), Some(Value::Object(more))) => {
            fields.extend(more);
            Value::Object(fields)
        }
        (_, Some(branch)) => branch,
        (Some(own), None) => own,
        (None, None) => anything(entropy, depth),
    }
}

fn of_kind(
    kind: &str,
    words: &Map<String, Value>,
    root: &Value,
    entropy: &mut Entropy<'_>,
    depth: usize,
) -> Value {
    match kind {
        "null" => Value::Null,
        "boolean" => json!(entropy.one_in(2)),
        "string" => entropy.pick(&texts()).clone(),
        "integer" => entropy.pick(&integers(words)).clone(),
        "number" => {
            entropy.pick(&[json!(0.5), json!(-2), json!(1e10), json!(3), json!(0.1), json!(1.0)]).clone()
        }
        "array" => Value::Array(items(words, root, entropy, depth)),
        _object => Value::Object(fields(words, root, entropy, depth)),
    }
}

fn texts() -> Vec<Value> {
    ["a", "", "b c", "ä", "5", "true", "null", "[1]", "{\"a\":1}", "127.0.0.1", "😀", "\n\"\\"]
        .map(Value::from)
        .to_vec()
}

fn integers(words: &Map<String, Value>) -> Vec<Value> {
    let bounds = ["minimum", "maximum"].map(|word| words.get(word).cloned());
    let mut all: Vec<Value> = bounds.into_iter().flatten().collect();
    all.extend([
        json!(1),
        json!(0),
        json!(7),
        json!(200),
        json!(-1),
        json!(70_000),
        json!(i32::MAX),
        json!(u64::MAX),
        json!(i64::MIN),
    ]);
    all
}

fn items(words: &Map<String, Value>, root: &Value, entropy: &mut Entropy<'_>, depth: usize) -> Vec<Value> {
    let first = words.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
    let mut items: Vec<Value> = first.map(|item| fitting(item, root, entropy, depth + 1)).collect();
    let least = words.get("minItems").and_then(Value::as_u64).and_then(|least| usize::try_from(least).ok());
    let more = if depth > DEPTH_MAX { 0 } else { entropy.below(3) };
    if let Some(item) = words.get("items").filter(|item| item.is_object()) {
        while items.len() < least.unwrap_or(0).max(more) {
            items.push(fitting(item, root, entropy, depth + 1));
        }
    }
    items
}

fn fields(
    words: &Map<String, Value>,
    root: &Value,
    entropy: &mut Entropy<'_>,
    depth: usize,
) -> Map<String, Value> {
    let required = |name: &str| {
        words.get("required").and_then(Value::as_array).into_iter().flatten().any(|required| required == name)
    };
    let mut fields = Map::new();
    for (name, field) in words.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let is_there = required(name) || (depth <= DEPTH_MAX && entropy.one_in(2));
        if is_there {
            let others = field.get("x-aliases").and_then(Value::as_array).filter(|_| entropy.one_in(3));
            let spelled = others.and_then(|others| entropy.pick(others).as_str()).unwrap_or(name);
            fields.insert(spelled.to_owned(), fitting(field, root, entropy, depth + 1));
        }
    }
    let others = words.get("additionalProperties").filter(|others| **others != json!(false));
    let by_pattern =
        words.get("patternProperties").and_then(Value::as_object).and_then(|all| all.values().next());
    if let Some(others) = others.or(by_pattern).filter(|_| depth <= DEPTH_MAX) {
        for name in ["1", "two", "30"].iter().take(entropy.below(4)) {
            fields.entry(*name).or_insert_with(|| fitting(others, root, entropy, depth + 1));
        }
    }
    fields
}

/// Any JSON.
pub(super) fn anything(entropy: &mut Entropy<'_>, depth: usize) -> Value {
    let options = if depth > DEPTH_MAX { 5 } else { 7 };
    match entropy.below(options) {
        0 => Value::Null,
        1 => json!(entropy.one_in(2)),
        2 => entropy.pick(&integers(&Map::new())).clone(),
        3 => entropy.pick(&[json!(0.5), json!(1.0), json!(-2.0), json!(1e30), json!(300.0)]).clone(),
        4 => entropy.pick(&texts()).clone(),
        5 => (0..entropy.below(3)).map(|_| anything(entropy, depth + 2)).collect(),
        _object => {
            let names = ["a", "value", "kind", "1"];
            (0..entropy.below(3)).map(|n| (names[n].to_owned(), anything(entropy, depth + 2))).collect()
        }
    }
}

/// Changes something somewhere in a value.
pub(super) fn mutate(value: &mut Value, entropy: &mut Entropy<'_>) {
    let goes_down = !entropy.one_in(3);
    let below = match &mut *value {
        Value::Array(items) if goes_down => {
            let index = entropy.below(items.len());
            items.get_mut(index)
        }
        Value::Object(fields) if goes_down => {
            let index = entropy.below(fields.len());
            fields.values_mut().nth(index)
        }
        _scalar => None,
    };
    match below {
        Some(below) => mutate(below, entropy),
        None => change(value, entropy),
    }
}

fn change(value: &mut Value, entropy: &mut Entropy<'_>) {
    match entropy.below(7) {
        0 => *value = anything(entropy, 3),
        1 => *value = Value::from(value.to_string()),
        2 => *value = Value::Null,
        3 => *value = json!([value.clone()]),
        4 => {
            let name = entropy.pick(&["a", "kind", "extra", "value", "A"]).to_string();
            match value {
                Value::Object(fields) => drop(fields.insert(name, json!(1))),
                other => *other = json!({name: other.clone()}),
            }
        }
        5 => match value {
            Value::Object(fields) => {
                let name = fields.keys().nth(entropy.below(fields.len())).cloned();
                name.map(|name| fields.remove(&name));
            }
            Value::Array(items) => drop(items.pop()),
            // Beyond that, a float is not the integer that its text says.
            Value::Number(number) if number.as_f64().is_some_and(|float| float.abs() < 9e15) => {
                *value = json!(number.as_f64());
            }
            _other => {}
        },
        _values => {
            if let Value::Object(fields) = value {
                *value = fields.values().cloned().collect();
            }
        }
    }
}
