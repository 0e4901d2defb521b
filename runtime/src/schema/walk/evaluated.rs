//! Which entries of a value some part of a schema has looked at: what `unevaluatedProperties` leaves alone.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::path::Path;
use super::items::item_schemas;
use super::{Walker, Words, list};

/// The entries that were looked at.
#[derive(Debug, Default)]
pub(super) struct Evaluated<'s> {
    names: BTreeSet<String>,
    has_all_names: bool,
    items: BTreeSet<usize>,
    first_items: usize,
    has_all_items: bool,
    known: BTreeSet<&'s str>,
}

impl<'s> Evaluated<'s> {
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.has_all_names || self.names.contains(name)
    }

    pub(super) fn has_item(&self, index: usize) -> bool {
        self.has_all_items || index < self.first_items || self.items.contains(&index)
    }

    /// The names that the parts of the schema know, there or not.
    pub(super) fn known_names(&self) -> Vec<&'s str> {
        self.known.iter().copied().collect()
    }
}

impl<'s> Walker<'s> {
    /// Notes what the words of a schema look at, and the schemas in it that hold for the value.
    pub(super) fn evaluate(
        &mut self,
        value: &mut Value,
        words: &'s Words,
        path: &Path<'_>,
        seen: &mut Evaluated<'s>,
    ) {
        if !self.spend(super::weight(value)) || self.depth >= super::DEPTH_MAX {
            return;
        }
        self.depth += 1;
        self.evaluate_names(value, words, seen);
        self.evaluate_items(value, words, path, seen);
        let inside: Vec<&'s Value> = self.target(words).into_iter().chain(list(words, "allOf")).collect();
        for schema in inside {
            self.evaluate_schema(value, schema, path, seen);
        }
        for schema in ["anyOf", "oneOf"].iter().flat_map(|word| list(words, word)) {
            if self.fits(value, schema, path) {
                self.evaluate_schema(value, schema, path, seen);
            }
        }
        if let Some(condition) = words.get("if") {
            let word = if self.fits(value, condition, path) {
                self.evaluate_schema(value, condition, path, seen);
                "then"
            } else {
                "else"
            };
            if let Some(schema) = words.get(word) {
                self.evaluate_schema(value, schema, path, seen);
            }
        }
        for (name, schema) in words.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten() {
            if value.get(name).is_some() {
                self.evaluate_schema(value, schema, path, seen);
            }
        }
        self.depth -= 1;
    }

    fn evaluate_schema(
        &mut self,
        value: &mut Value,
        schema: &'s Value,
        path: &Path<'_>,
        seen: &mut Evaluated<'s>,
    ) {
        let Value::Object(words) = schema else { return };
        self.evaluate(value, words, path, seen);
        seen.has_all_names |= words.contains_key("unevaluatedProperties");
        seen.has_all_items |= words.contains_key("unevaluatedItems");
    }

    fn evaluate_names(&mut self, value: &Value, words: &'s Words, seen: &mut Evaluated<'s>) {
        let Value::Object(fields) = value else { return };
        seen.has_all_names |= words.contains_key("additionalProperties");
        let known = words.get("properties").and_then(Value::as_object);
        seen.known.extend(known.into_iter().flat_map(|known| known.keys()).map(String::as_str));
        let patterns = words.get("patternProperties").and_then(Value::as_object);
        for name in fields.keys() {
            let matches = |pattern: &String| self.patterns.is_match(pattern, name) != Some(false);
            if known.is_some_and(|known| known.contains_key(name))
                || patterns.is_some_and(|patterns| patterns.keys().any(matches))
            {
                seen.names.insert(name.clone());
            }
        }
    }

    fn evaluate_items(
        &mut self,
        value: &mut Value,
        words: &'s Words,
        path: &Path<'_>,
        seen: &mut Evaluated<'s>,
    ) {
        let Value::Array(items) = value else { return };
        let (first, rest) = item_schemas(words);
        seen.first_items = seen.first_items.max(first.len());
        seen.has_all_items |= rest.is_some();
        if let Some(wanted) = words.get("contains") {
            for (index, item) in items.iter_mut().enumerate() {
                if self.fits(item, wanted, &path.item(index)) {
                    seen.items.insert(index);
                }
            }
        }
    }
}
