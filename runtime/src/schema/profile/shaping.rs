//! What the shapes of all providers share: the way through a schema, the errors found on it, words that become others.

use serde_json::{Map, Value, json};

use super::ProfileError;

/// How deep a schema is followed.
const DEPTH_MAX: usize = 100;

/// A way through a schema.
#[derive(Debug, Default)]
pub(super) struct Shaping {
    pub(super) errors: Vec<ProfileError>,
    path: String,
    depth: usize,
}

impl Shaping {
    pub(super) fn refuse(&mut self, reason: impl Into<String>) {
        self.errors.push(ProfileError { path: self.path.clone(), reason: reason.into() });
    }

    /// Refuses each of these words, with what it says.
    pub(super) fn refuse_words(&mut self, words: &Map<String, Value>, refused: &[(&str, &str)]) {
        for (word, meaning) in refused.iter().filter(|(word, _)| words.contains_key(*word)) {
            self.refuse(format!("{meaning}, and there is no word for it (`{word}`)"));
        }
    }

    /// Visits every schema right below one.
    pub(super) fn below(&mut self, words: &mut Map<String, Value>, visit: fn(&mut Value, &mut Shaping)) {
        if self.depth >= DEPTH_MAX {
            return self.refuse("is nested too deeply");
        }
        self.depth += 1;
        for (word, value) in words.iter_mut() {
            match (word.as_str(), value) {
                ("properties", Value::Object(fields)) => {
                    for (name, field) in fields.iter_mut() {
                        let step = if self.path.is_empty() { name.clone() } else { format!(".{name}") };
                        self.step(&step, field, visit);
                    }
                }
                ("$defs" | "patternProperties", Value::Object(named)) => {
                    named.values_mut().for_each(|below| self.step("", below, visit));
                }
                ("anyOf" | "oneOf" | "allOf", Value::Array(list)) => {
                    list.iter_mut().for_each(|branch| self.step("", branch, visit));
                }
                ("prefixItems", Value::Array(list)) => {
                    list.iter_mut()
                        .enumerate()
                        .for_each(|(index, item)| self.step(&format!("[{index}]"), item, visit));
                }
                ("items", items @ Value::Object(_)) => self.step("[]", items, visit),
                ("additionalProperties", others @ Value::Object(_)) => self.step("[*]", others, visit),
                _other => {}
            }
        }
        self.depth -= 1;
    }

    fn step(&mut self, step: &str, schema: &mut Value, visit: fn(&mut Value, &mut Shaping)) {
        let length = self.path.len();
        self.path.push_str(step);
        visit(schema, self);
        self.path.truncate(length);
    }
}

/// Moves what only explains into the description.
pub(super) fn explain(words: &mut Map<String, Value>) {
    let mut said: Vec<String> = Vec::new();
    said.extend(words.get("description").and_then(Value::as_str).map(str::to_owned));
    if let Some(default) = words.remove("default") {
        said.push(format!("Default: {default}"));
    }
    if let Some(Value::Array(examples)) = words.remove("examples") {
        let examples: Vec<String> = examples.iter().map(Value::to_string).collect();
        said.push(format!("Example: {}", examples.join(", ")));
    }
    if !said.is_empty() {
        words.insert("description".to_owned(), json!(said.join("\n")));
    }
}

/// Says a format that the provider does not know in the description.
pub(super) fn explain_format(words: &mut Map<String, Value>) {
    let Some(Value::String(format)) = words.remove("format") else { return };
    let described = words.get("description").and_then(Value::as_str).map(|said| format!("{said}\n"));
    let said = format!("{}Format: {format}", described.unwrap_or_default());
    words.insert("description".to_owned(), Value::String(said));
}

/// Writes a choice of exactly one as a choice, where no value fits two branches.
pub(super) fn one_of_to_any_of(words: &mut Map<String, Value>, shaping: &mut Shaping) {
    let Some(Value::Array(branches)) = words.get("oneOf") else { return };
    let is_exclusive = branches
        .iter()
        .enumerate()
        .all(|(index, branch)| branches[..index].iter().all(|other| are_disjoint(branch, other)));
    if !is_exclusive {
        return shaping.refuse(
            "has branches that one value can fit together, and there is no word for exactly one (`oneOf`)",
        );
    }
    if let Some(branches) = words.remove("oneOf") {
        words.insert("anyOf".to_owned(), branches);
    }
}

/// Whether it is plain that no value fits both.
fn are_disjoint(a: &Value, b: &Value) -> bool {
    if let (Some(a), Some(b)) = (kind(a), kind(b))
        && a != b
        && !matches!((a, b), ("integer", "number") | ("number", "integer"))
    {
        return true;
    }
    let (Some(fields), Some(others)) = (a.get("properties"), b.get("properties")) else { return false };
    let fixed = |fields: &Value, name: &str| {
        fields.get(name).and_then(|field| field.get("const").or(field.get("enum")?.get(0))).cloned()
    };
    let names = fields.as_object().into_iter().flat_map(Map::keys);
    let differ = names.clone().any(|name| {
        requires(a, name)
            && requires(b, name)
            && matches!((fixed(fields, name), fixed(others, name)), (Some(a), Some(b)) if a != b)
    });
    let lacks = |closed: &Value, fields: &Value, open: &Value| {
        closed.get("additionalProperties") == Some(&Value::Bool(false))
            && open
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .any(|name| name.as_str().is_some_and(|name| fields.get(name).is_none()))
    };
    differ || lacks(a, fields, b) || lacks(b, others, a)
}

fn requires(schema: &Value, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().any(|required| required == name)
}

fn kind(schema: &Value) -> Option<&str> {
    schema.get("type").and_then(Value::as_str)
}

/// Whether something is said of the value at all.
pub(super) fn says_type(words: &Map<String, Value>) -> bool {
    ["type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref"].iter().any(|word| words.contains_key(*word))
}
