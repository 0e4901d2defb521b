//! The schema a model sees, written so that its bytes depend on the type alone.
//!
//! The order of keys is fixed here, so that the bytes are the same whichever map type `serde_json` was built with.

use std::sync::Arc;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::contract::ToolForm;

/// The schema of a tool's input. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    walkable: Arc<Value>,
    text: Arc<str>,
}

impl Schema {
    /// The schema of a typed tool.
    #[must_use]
    pub fn of<T: ToolForm>() -> Schema {
        let generator = SchemaSettings::draft2020_12()
            .with(|settings| settings.inline_subschemas = true)
            .into_generator();
        let raw = generator.into_root_schema_for::<T::Wire>().to_value();
        Schema::new(raw, T::FIELDS)
    }

    /// A schema known only at run time, with the order of its fields.
    #[must_use]
    pub fn new(raw: Value, fields: &[&str]) -> Schema {
        let mut shown = raw.clone();
        clean(&mut shown);
        let mut text = String::new();
        write(&shown, fields, &mut text);
        Schema { walkable: Arc::new(raw), text: text.into() }
    }

    /// The schema as the model sees it: JSON, the same bytes for the same type everywhere.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The schema as the walker follows it, with the places where `null` is allowed.
    #[must_use]
    pub fn walkable(&self) -> &Value {
        &self.walkable
    }

    /// Whether an input without any field is valid.
    pub(crate) fn allows_empty(&self) -> bool {
        self.walkable.get("required").and_then(Value::as_array).is_none_or(Vec::is_empty)
    }
}

/// Removes what a model has no use for: marks of the generator, number formats, `null` beside an optional type.
fn clean(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    map.remove("$schema");
    map.remove("title");
    if map.get("format").and_then(Value::as_str).is_some_and(is_number_format) {
        map.remove("format");
    }
    if map.get("default").is_some_and(Value::is_null) {
        map.remove("default");
    }
    drop_null(map);
    merge_unit_variants(map);
    if map.get("type").and_then(Value::as_str) == Some("object") && !map.contains_key("additionalProperties")
    {
        map.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    for (key, value) in map.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs" | "patternProperties", Value::Object(named)) => {
                named.values_mut().for_each(clean)
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().for_each(clean)
            }
            ("items" | "additionalProperties" | "not", value) => clean(value),
            _other => {}
        }
    }
    let is_map = map.get("additionalProperties").is_some_and(|others| *others != Value::Bool(false));
    if map.get("type").and_then(Value::as_str) == Some("object") && !is_map {
        map.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
}

fn is_number_format(format: &str) -> bool {
    format.starts_with("int") || format.starts_with("uint") || matches!(format, "float" | "double")
}

/// An optional field may be left out; that it may be `null` too is noise to a model.
fn drop_null(map: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = map.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(listed)) = map.get_mut("enum") {
        listed.retain(|value| !value.is_null());
    }
    let Some(Value::Array(branches)) = map.get_mut("anyOf") else { return };
    branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
    if branches.len() == 1 {
        let Some(Value::Object(only)) = branches.pop() else { return };
        map.remove("anyOf");
        for (key, value) in only {
            // The field's own description says more than its type's.
            map.entry(key).or_insert(value);
        }
    }
}

/// Unit variants with docs come as `oneOf` of constants; models know `enum` better.
fn merge_unit_variants(map: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = map.get("oneOf") else { return };
    let mut names = Vec::new();
    let mut docs = Vec::new();
    for variant in variants {
        match (variant.get("const"), variant.get("enum").and_then(Value::as_array)) {
            (Some(name @ Value::String(text)), _) => {
                names.push(name.clone());
                docs.extend(
                    variant.get("description").and_then(Value::as_str).map(|doc| format!("`{text}`: {doc}")),
                );
            }
            (None, Some(listed)) if listed.iter().all(Value::is_string) => {
                names.extend(listed.iter().cloned())
            }
            _other => return,
        }
    }
    map.remove("oneOf");
    map.insert("type".to_owned(), Value::from("string"));
    map.insert("enum".to_owned(), Value::Array(names));
    let own = map.get("description").and_then(Value::as_str).map(str::to_owned);
    let lines: Vec<String> = own.into_iter().chain(docs).collect();
    if !lines.is_empty() {
        map.insert("description".to_owned(), Value::from(lines.join("\n")));
    }
}

/// The order in which the words of a schema are written; others follow by name.
const WORDS: &[&str] =
    &["type", "description", "enum", "const", "properties", "required", "additionalProperties", "items"];

fn write(schema: &Value, fields: &[&str], out: &mut String) {
    let Value::Object(map) = schema else { return write_value(schema, out) };
    let rank = |key: &str| WORDS.iter().position(|word| *word == key).unwrap_or(WORDS.len());
    let mut keys: Vec<&String> = map.keys().collect();
    keys.sort_by(|a, b| (rank(a), a).cmp(&(rank(b), b)));
    write_entries(out, keys.into_iter().map(|key| (key, &map[key])), |key, value, out| match (key, value) {
        ("properties", Value::Object(properties)) => {
            let declared =
                |name: &str| fields.iter().position(|field| *field == name).unwrap_or(fields.len());
            let mut names: Vec<&String> = properties.keys().collect();
            names.sort_by(|a, b| (declared(a), a).cmp(&(declared(b), b)));
            write_entries(out, names.into_iter().map(|name| (name, &properties[name])), |_, value, out| {
                write(value, &[], out);
            });
        }
        ("required", Value::Array(names)) => {
            let declared =
                |name: &Value| fields.iter().position(|field| name == field).unwrap_or(fields.len());
            let mut names: Vec<&Value> = names.iter().collect();
            names.sort_by_key(|name| (declared(name), name.as_str()));
            write_list(out, names.into_iter(), write_value);
        }
        ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
            write_list(out, list.iter(), |branch, out| write(branch, &[], out));
        }
        ("items" | "additionalProperties" | "not", value) => write(value, &[], out),
        (_, value) => write_value(value, out),
    });
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
