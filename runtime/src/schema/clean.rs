//! What of a schema a model has no use for, and how it is left out without changing what the schema accepts by much:
//! an optional field may be left out, so that it may be `null` too is not said.

use serde_json::{Map, Value};

/// Removes what a model has no use for: marks of the generator, number formats, `null` beside an optional type.
pub(super) fn clean(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    map.remove("$schema");
    map.remove("title");
    if map.get("format").and_then(Value::as_str).is_some_and(is_number_format) {
        map.remove("format");
    }
    if map.get("default").is_some_and(Value::is_null) {
        map.remove("default");
    }
    drop_null_of_optional_fields(map);
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

/// An optional field may be left out; that it may be `null` too is noise to a model. Where nothing can be left out, as
/// among items, it stays.
fn drop_null_of_optional_fields(map: &mut Map<String, Value>) {
    let required: Vec<Value> = map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(fields)) = map.get_mut("properties") else { return };
    let is_optional = |name: &String| !required.iter().any(|required| required == name);
    for (_name, field) in fields.iter_mut().filter(|(name, _)| is_optional(name)) {
        if let Value::Object(field) = field {
            drop_null(field);
        }
    }
}

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
    let count = branches.len();
    branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
    let is_option = branches.len() + 1 == count;
    if let [Value::Object(only)] = branches.as_slice()
        && is_option
        && let only = only.clone()
        && only.keys().all(|word| is_annotation(word) || !map.contains_key(word))
    {
        map.remove("anyOf");
        for (key, value) in only {
            // The field's own description says more than its type's.
            map.entry(key).or_insert(value);
        }
    }
}

fn is_annotation(word: &str) -> bool {
    matches!(word, "description" | "title" | "default" | "examples" | "deprecated")
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
