//! One value along one schema.

use serde_json::Value;

use super::super::path::Path;
use super::super::{marks, words};
use super::equal::equal;
use super::{Coercion, DEPTH_MAX, Walker, Words, count, list};
use crate::nearest::nearest;
use crate::schema::path::render;
use crate::schema::problem::received;

impl<'s> Walker<'s> {
    /// Walks one value; what does not fit is converted or becomes a problem.
    pub(super) fn value(&mut self, value: &mut Value, schema: &'s Value, path: &Path<'_>) {
        let words = match schema {
            Value::Object(words) => words,
            Value::Bool(false) => return self.problem(value, || "nothing".to_owned(), path),
            _anything => return,
        };
        if self.is_full() || !self.spend(1) {
            return;
        }
        if self.depth >= DEPTH_MAX {
            self.is_exhausted = true;
            return;
        }
        let converts = self.mode.converts;
        if words.get(marks::COERCE) == Some(&Value::Bool(false)) {
            self.mode.converts = false;
        }
        self.depth += 1;
        self.rename_variant(value, words, path);
        if self.kind(value, words, schema, path) && self.listed(value, words, path) {
            self.referred(value, words, path);
            self.inside(value, words, schema, path);
            self.combined(value, words, schema, path);
        }
        self.depth -= 1;
        self.mode.converts = converts;
    }

    /// What a value of the right type must fulfil besides.
    fn inside(&mut self, value: &mut Value, words: &'s Words, schema: &'s Value, path: &Path<'_>) {
        match value {
            Value::Number(_) => self.number(value, words, schema, path),
            Value::String(_) => self.text(value, words, schema, path),
            Value::Array(_) => self.items(value, words, schema, path),
            Value::Object(_) => self.object(value, words, schema, path),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Whether the value's type is allowed, converted where need be.
    fn kind(&mut self, value: &mut Value, words: &'s Words, schema: &'s Value, path: &Path<'_>) -> bool {
        let kinds = kinds(words);
        if kinds.is_empty() || kinds.iter().any(|kind| is(value, kind)) {
            return true;
        }
        if self.mode.converts && kinds.iter().any(|kind| self.convert(value, kind, path)) {
            return true;
        }
        if kinds.contains(&"integer") && super::number::is_wide(words) && super::number::is_integral(value) {
            return true;
        }
        let root = self.root;
        let is_text_of = |text: &str| text.trim_start().starts_with(['{', '[', '"']);
        let is_nested = kinds.iter().all(|kind| matches!(*kind, "object" | "array" | "null"));
        self.push(path, || {
            let is_text = is_nested && value.as_str().is_some_and(is_text_of);
            let hint = is_text.then(|| "write the value itself, not a text of it".to_owned());
            (words::expectation(schema, root), received(value), hint)
        });
        false
    }

    /// Whether the value is one of those that are listed, converted where need be.
    fn listed(&mut self, value: &mut Value, words: &'s Words, path: &Path<'_>) -> bool {
        let fixed = words.get("const").map(std::slice::from_ref);
        let listed = words.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        [fixed, listed].into_iter().flatten().all(|listed| {
            if !self.spend(listed.len()) || listed.iter().any(|one| equal(one, value)) {
                return true;
            }
            if self.mode.converts
                && let Some(meant) = super::convert::to_listed(value, listed)
            {
                self.replace(value, meant, path);
                return true;
            }
            self.push(path, || {
                let near =
                    value.as_str().and_then(|wrong| nearest(wrong, listed.iter().filter_map(Value::as_str)));
                let given = value.as_str().unwrap_or_default();
                let hint = near.map(|near| words::did_you_mean(given, near));
                (words::one_of(listed.iter()), received(value), hint)
            });
            false
        })
    }

    /// Puts a converted value in the place of the one that came, and tells so.
    pub(super) fn replace(&mut self, value: &mut Value, to: Value, path: &Path<'_>) {
        let from = std::mem::replace(value, to.clone());
        self.coercions.push(Coercion { path: render(path.steps().iter()), from, to });
    }

    fn text(&mut self, value: &Value, words: &'s Words, schema: &'s Value, path: &Path<'_>) {
        let Value::String(text) = value else { return };
        let (min, max) = (count(words, "minLength"), count(words, "maxLength"));
        let fits = (min.is_none() && max.is_none()) || {
            let length = text.chars().count();
            min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)
        };
        let pattern = words.get("pattern").and_then(Value::as_str);
        if fits && pattern.is_none_or(|pattern| self.patterns.is_match(pattern, text) != Some(false)) {
            return;
        }
        let root = self.root;
        self.push(path, || {
            let length = if fits {
                String::new()
            } else {
                format!(" ({})", words::counted(text.chars().count(), "character"))
            };
            (words::expectation_of("string", schema, root), format!("{}{length}", received(value)), None)
        });
    }
}

/// The types a schema allows; none means any.
pub(super) fn kinds(words: &Words) -> Vec<&str> {
    match words.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(_)) => list(words, "type").iter().filter_map(Value::as_str).collect(),
        _other => Vec::new(),
    }
}

/// Whether a value has a type. A float is no integer, even one without a fraction: it is converted.
pub(super) fn is(value: &Value, kind: &str) -> bool {
    match (value, kind) {
        (Value::Number(number), "integer") => number.is_i64() || number.is_u64(),
        (Value::Null, "null")
        | (Value::Bool(_), "boolean")
        | (Value::Number(_), "number")
        | (Value::String(_), "string")
        | (Value::Array(_), "array")
        | (Value::Object(_), "object") => true,
        _other => false,
    }
}
