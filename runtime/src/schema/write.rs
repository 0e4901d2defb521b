//! Writing a schema so that its bytes depend on the type alone.
//!
//! The order of keys is fixed here, so that the bytes are the same whichever map type `serde_json` was built with.

use serde_json::Value;

use super::marks;

/// The order in which the words of a schema are written; others follow by name.
const WORDS: &[&str] =
    &["type", "description", "enum", "const", "properties", "required", "additionalProperties", "items"];

pub(super) fn write(schema: &Value, out: &mut String) {
    let Value::Object(map) = schema else { return write_value(schema, out) };
    let declared: Vec<&str> = map
        .get(marks::ORDER)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let place = |name: &str| declared.iter().position(|field| *field == name).unwrap_or(declared.len());
    let rank = |key: &str| WORDS.iter().position(|word| *word == key).unwrap_or(WORDS.len());
    let mut keys: Vec<&String> = map.keys().filter(|key| !marks::is_mark(key)).collect();
    keys.sort_by(|a, b| (rank(a), a).cmp(&(rank(b), b)));
    write_entries(out, keys.into_iter().map(|key| (key, &map[key])), |key, value, out| match (key, value) {
        ("properties", Value::Object(fields)) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_by(|a, b| (place(a), a).cmp(&(place(b), b)));
            write_entries(out, names.into_iter().map(|name| (name, &fields[name])), |_, value, out| {
                write(value, out)
            });
        }
        ("required", Value::Array(names)) => {
            let mut names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            names.sort_by_key(|name| (place(name), *name));
            let names: Vec<Value> = names.into_iter().map(Value::from).collect();
            write_list(out, names.iter(), write_value);
        }
        ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
            write_list(out, list.iter(), write)
        }
        ("$defs" | "patternProperties", Value::Object(named)) => {
            let mut names: Vec<&String> = named.keys().collect();
            names.sort();
            write_entries(out, names.into_iter().map(|name| (name, &named[name])), |_, value, out| {
                write(value, out)
            });
        }
        ("items" | "additionalProperties" | "not", value) => write(value, out),
        (_, value) => write_value(value, out),
    });
}

/// A plain JSON value as text, keys by name.
pub(super) fn text(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

/// A plain JSON value, keys by name.
fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            write_entries(out, keys.into_iter().map(|key| (key, &map[key])), |_, value, out| {
                write_value(value, out)
            });
        }
        Value::Array(list) => write_list(out, list.iter(), write_value),
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn write_entries<'a>(
    out: &mut String,
    entries: impl Iterator<Item = (&'a String, &'a Value)>,
    each: impl Fn(&str, &Value, &mut String),
) {
    out.push('{');
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&Value::from(key.as_str()).to_string());
        out.push(':');
        each(key, value, out);
    }
    out.push('}');
}

fn write_list<'a>(
    out: &mut String,
    items: impl Iterator<Item = &'a Value>,
    each: impl Fn(&Value, &mut String),
) {
    out.push('[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        each(item, out);
    }
    out.push(']');
}
