//! Schemas that speak of the same value together: references, `allOf`, conditions, what no other part has looked at.

use serde_json::Value;

use super::super::path::Path;
use super::super::words;
use super::evaluated::Evaluated;
use super::{Walker, Words, list};
use crate::schema::problem::received;

impl<'s> Walker<'s> {
    /// What must hold besides, told elsewhere in the schema.
    pub(super) fn referred(&mut self, value: &mut Value, words: &'s Words, path: &Path<'_>) {
        if let Some(target) = self.target(words) {
            self.value(value, target, path);
        }
        for schema in list(words, "allOf") {
            self.value(value, schema, path);
        }
    }

    pub(super) fn combined(
        &mut self,
        value: &mut Value,
        words: &'s Words,
        schema: &'s Value,
        path: &Path<'_>,
    ) {
        for word in ["anyOf", "oneOf"] {
            if let Some(branches) = words.get(word).and_then(Value::as_array) {
                self.branches(value, branches, schema, word == "oneOf", path);
            }
        }
        self.conditions(value, words, path);
        self.unevaluated(value, words, path);
    }

    /// The schema that a reference means: a place in the root. What is elsewhere is not looked up, and not checked.
    pub(super) fn target(&self, words: &'s Words) -> Option<&'s Value> {
        let reference = words.get("$ref").and_then(Value::as_str)?.strip_prefix('#')?;
        if self.has_references { self.root.pointer(&unescaped(reference)) } else { None }
    }

    fn conditions(&mut self, value: &mut Value, words: &'s Words, path: &Path<'_>) {
        if let Some(refused) = words.get("not")
            && self.fits(value, refused, path)
        {
            let root = self.root;
            self.problem(value, || format!("anything but {}", words::expectation(refused, root)), path);
        }
        if let Some(condition) = words.get("if") {
            let word = if self.fits(value, condition, path) { "then" } else { "else" };
            if let Some(schema) = words.get(word) {
                self.value(value, schema, path);
            }
        }
        let dependent = words.get("dependentSchemas").and_then(Value::as_object);
        for (name, schema) in dependent.into_iter().flatten() {
            if value.get(name).is_some() {
                self.value(value, schema, path);
            }
        }
    }

    fn unevaluated(&mut self, value: &mut Value, words: &'s Words, path: &Path<'_>) {
        let (fields, items) = (words.get("unevaluatedProperties"), words.get("unevaluatedItems"));
        if fields.is_none() && items.is_none() {
            return;
        }
        let mut seen = Evaluated::default();
        self.evaluate(value, words, path, &mut seen);
        let known = seen.known_names();
        match value {
            Value::Object(entries) => {
                let mut entries: Vec<(&String, &mut Value)> = entries.iter_mut().collect();
                entries.sort_by_key(|(name, _)| *name);
                for (name, field) in entries.into_iter().filter(|(name, _)| !seen.has_name(name)) {
                    match fields {
                        Some(Value::Bool(false)) => self.push(&path.field(name), || {
                            let near = crate::nearest::nearest(name, known.iter().copied());
                            let hint = near.map(|near| words::did_you_mean(name, near));
                            ("no such parameter".to_owned(), received(field), hint)
                        }),
                        Some(schema) => self.value(field, schema, &path.field(name)),
                        None => {}
                    }
                }
            }
            Value::Array(list) => {
                for (index, item) in list.iter_mut().enumerate().filter(|(index, _)| !seen.has_item(*index)) {
                    if let Some(schema) = items {
                        self.value(item, schema, &path.item(index));
                    }
                }
            }
            _scalar => {}
        }
    }
}

/// A fragment of a reference, as the JSON pointer it is: `%25` is `%`.
fn unescaped(fragment: &str) -> String {
    if !fragment.contains('%') {
        return fragment.to_owned();
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _other => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
