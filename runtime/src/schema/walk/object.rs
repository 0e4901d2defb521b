//! Objects along a schema.

use serde_json::{Map, Value};

use super::super::path::Path;
use super::super::{marks, words};
use super::{Walker, Words, count, list};
use crate::nearest::nearest;
use crate::schema::problem::{received, shortened};

/// How many names a problem lists.
const NAMES_MAX: usize = 20;

/// What is written for nothing.
const NOTHING: &[&str] = &["", "null", "none", "undefined", "nil"];
/// How many characters of a default are told.
const DEFAULT_CHARS_MAX: usize = 60;

/// The part of a schema that speaks of an object's fields.
struct Fields<'s> {
    /// The whole schema.
    words: &'s Words,
    known: Option<&'s Map<String, Value>>,
    patterns: Option<&'s Map<String, Value>>,
    others: Option<&'s Value>,
}

impl<'s> Walker<'s> {
    pub(super) fn object(&mut self, value: &mut Value, words: &'s Words, schema: &'s Value, path: &Path<'_>) {
        self.field_count(value, words, schema, path);
        let Value::Object(fields) = value else { return };
        self.rename_fields(fields, words, path);
        let object = |word: &str| words.get(word).and_then(Value::as_object);
        let parts = Fields {
            words,
            known: object("properties"),
            patterns: object("patternProperties"),
            others: words.get("additionalProperties"),
        };
        self.missing(fields, words, &parts, path);
        self.names(fields, words, path);
        // By name, so that the problems that are found do not depend on the type of the map.
        let mut entries: Vec<(&String, &mut Value)> = fields.iter_mut().collect();
        entries.sort_by_key(|(name, _)| *name);
        if self.mode.found_max == 1 && parts.others == Some(&Value::Bool(false)) {
            // Where nobody reads the problems, names that nobody knows are the cheapest to find.
            if let Some((name, field)) = entries.iter().find(|(name, _)| !self.is_known(name, &parts)) {
                return self.unknown(name, field, &parts, &path.field(name));
            }
        }
        for (name, field) in entries {
            if self.is_full() || !self.spend(1) {
                return;
            }
            self.field(name, field, &parts, &path.field(name));
        }
    }

    fn is_known(&self, name: &str, parts: &Fields<'s>) -> bool {
        parts.known.is_some_and(|known| known.contains_key(name))
            || parts.patterns.is_some_and(|patterns| {
                patterns.keys().any(|pattern| self.patterns.is_match(pattern, name) != Some(false))
            })
    }

    fn field(&mut self, name: &str, field: &mut Value, parts: &Fields<'s>, path: &Path<'_>) {
        let mut is_known = false;
        if let Some(schema) = parts.known.and_then(|known| known.get(name)) {
            is_known = true;
            let found = self.found.len();
            self.value(field, schema, path);
            if self.found.len() > found && is_nothing(field) {
                self.tell_how_to_leave_out(found, name, schema, parts, path);
            }
        }
        for (pattern, schema) in parts.patterns.into_iter().flatten() {
            if self.spend(1) && self.patterns.is_match(pattern, name) != Some(false) {
                is_known = true;
                self.value(field, schema, path);
            }
        }
        match parts.others {
            Some(_) if is_known => {}
            Some(Value::Bool(false)) => self.unknown(name, field, parts, path),
            Some(schema) => self.value(field, schema, path),
            None => {}
        }
    }

    /// Tells how nothing is sent for a parameter: by leaving it out, where that can be.
    fn tell_how_to_leave_out(
        &mut self,
        found: usize,
        name: &str,
        schema: &'s Value,
        parts: &Fields<'s>,
        path: &Path<'_>,
    ) {
        let Some(found) = self.found.get_mut(found).filter(|found| found.hint.is_none()) else { return };
        if found.path != path.steps() {
            return;
        }
        let is_required = list(parts.words, "required").iter().any(|required| required == name);
        let default = schema.get("default").filter(|value| !value.is_null()).map(Value::to_string);
        found.hint = Some(match default {
            _any if is_required => "the parameter is required: send a value".to_owned(),
            Some(default) if default.chars().count() <= DEFAULT_CHARS_MAX => {
                format!("leave `{}` out to have its default, {default}", shortened(name))
            }
            Some(_long) => format!("leave `{}` out to have its default", shortened(name)),
            None => format!("leave `{}` out where it has no value", shortened(name)),
        });
    }

    fn unknown(&mut self, name: &str, field: &Value, parts: &Fields<'s>, path: &Path<'_>) {
        let astray = if self.is_read() { self.astray(name, parts.known) } else { None };
        self.push(path, || {
            let names = marks::declared(parts.words);
            let is_known = |name: &String| names.contains(&name.as_str());
            let is_around = |fields: &Map<String, Value>| !fields.is_empty() && fields.keys().all(is_known);
            let hint = if field.as_object().is_some_and(is_around) {
                format!("send what is in it without `{}` around it", shortened(name))
            } else {
                astray.unwrap_or_else(|| known_names(name, &names, parts))
            };
            ("no such parameter".to_owned(), received(field), Some(hint))
        });
    }

    fn missing(
        &mut self,
        fields: &Map<String, Value>,
        words: &'s Words,
        parts: &Fields<'s>,
        path: &Path<'_>,
    ) {
        let root = self.root;
        let expected = |name: &str| {
            let schema = parts.known.and_then(|known| known.get(name));
            schema.map_or_else(|| "a value".to_owned(), |schema| words::expectation(schema, root))
        };
        let required = list(words, "required").iter().filter_map(Value::as_str);
        for name in required.filter(|name| !fields.contains_key(*name)) {
            self.push(&path.field(name), || {
                (expected(name), "nothing".to_owned(), Some("the parameter is required".to_owned()))
            });
        }
        let dependent = words.get("dependentRequired").and_then(Value::as_object);
        for (given, needed) in
            dependent.into_iter().flatten().filter(|(given, _)| fields.contains_key(*given))
        {
            let needed = needed.as_array().into_iter().flatten().filter_map(Value::as_str);
            for name in needed.filter(|name| !fields.contains_key(*name)) {
                self.push(&path.field(name), || {
                    (expected(name), "nothing".to_owned(), Some(format!("it is required beside `{given}`")))
                });
            }
        }
    }

    fn field_count(&mut self, value: &Value, words: &'s Words, schema: &'s Value, path: &Path<'_>) {
        let Value::Object(fields) = value else { return };
        let fits = count(words, "minProperties").is_none_or(|min| fields.len() >= min)
            && count(words, "maxProperties").is_none_or(|max| fields.len() <= max);
        if !fits {
            let root = self.root;
            self.push(path, || {
                let received = format!("an object of {}", words::counted(fields.len(), "entry"));
                (words::expectation_of("object", schema, root), received, None)
            });
        }
    }

    fn names(&mut self, fields: &Map<String, Value>, words: &'s Words, path: &Path<'_>) {
        let Some(schema) = words.get("propertyNames") else { return };
        let mut names: Vec<&String> = fields.keys().collect();
        names.sort();
        for name in names {
            let here = path.field(name);
            if !self.is_full() && !self.fits(&mut Value::from(name.as_str()), schema, &here) {
                let root = self.root;
                self.push(&here, || {
                    let expected = format!("a name that is {}", words::expectation(schema, root));
                    (expected, format!("the name `{}`", shortened(name)), None)
                });
            }
        }
    }
}

/// The names that there are in place of one that nothing knows: the nearest, or all.
fn known_names(name: &str, names: &[&str], parts: &Fields<'_>) -> String {
    let patterns = parts.patterns.filter(|_| names.is_empty());
    match (nearest(name, names.iter().copied()), patterns) {
        (Some(near), _) => words::did_you_mean(name, near),
        (None, Some(patterns)) => {
            let patterns: Vec<&str> = patterns.keys().map(String::as_str).collect();
            format!("names match {}", words::names(&patterns, NAMES_MAX))
        }
        (None, None) if names.is_empty() => "it takes no parameters".to_owned(),
        (None, None) => format!("the parameters are {}", words::names(names, NAMES_MAX)),
    }
}

/// Whether a value is what is sent for nothing.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => NOTHING.iter().any(|nothing| text.trim().eq_ignore_ascii_case(nothing)),
        _something => false,
    }
}
