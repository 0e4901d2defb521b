//! The parts of a schema that speak of one value, and the schema of what is in that value.

use std::cmp::Reverse;

use serde_json::{Map, Value};

use super::minimal::{DEPTH_MAX, Example};
use super::wrong::Wrong;
use crate::nearest::nearest;
use crate::schema::path::Step;
use crate::schema::walk::item_schemas;
use crate::schema::words;

/// How many names of a value count for which branch it is: a model may send any number.
const NAMES_MAX: usize = 100;

/// A value that came, as far as there is one, and what is wrong with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Came<'v> {
    pub(super) value: Option<&'v Value>,
    pub(super) wrong: &'v Wrong,
}

impl<'v> Came<'v> {
    /// One step into it, along what is wrong.
    pub(super) fn below(self, step: &Step, wrong: &'v Wrong) -> Came<'v> {
        let value = self.value.and_then(|value| match step {
            Step::Field(name) => value.get(name),
            Step::Item(index) => value.get(index),
        });
        Came { value, wrong }
    }
}

/// How near a branch is to a value, the weightiest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Nearness {
    /// Whether its tag is the value's (2), or nearly (1).
    tag: u8,
    /// How many of the wrong places it knows.
    wrong_known: usize,
    /// How many fields of the value it knows.
    fields_known: usize,
    /// Whether it is of the value's type.
    is_of_type: bool,
    /// Whether it is anything but `null`.
    is_something: bool,
}

impl<'s> Example<'s> {
    /// All parts of a schema that hold for one value: its own words, what it refers to, what else must hold, and of its
    /// branches the one that is nearest to the value.
    pub(super) fn shapes(&self, schema: &'s Value, came: Came<'_>) -> Vec<&'s Map<String, Value>> {
        let mut found = Vec::new();
        self.add_shapes(schema, came, 0, &mut found);
        found
    }

    fn add_shapes(
        &self,
        schema: &'s Value,
        came: Came<'_>,
        depth: usize,
        found: &mut Vec<&'s Map<String, Value>>,
    ) {
        let Value::Object(words) = schema else { return };
        if depth > DEPTH_MAX || !self.look() || found.iter().any(|known| std::ptr::eq(*known, words)) {
            return;
        }
        found.push(words);
        for part in self.surely(words) {
            self.add_shapes(part, came, depth + 1, found);
        }
        for branches in ["anyOf", "oneOf"].iter().filter_map(|word| words.get(*word)?.as_array()) {
            if let Some(branch) = self.branch(branches, came, depth) {
                self.add_shapes(branch, came, depth + 1, found);
            }
        }
    }

    /// The branch that is nearest to a value, the first of equally near ones.
    fn branch(&self, branches: &'s [Value], came: Came<'_>, depth: usize) -> Option<&'s Value> {
        let nearness = |branch: &'s Value| {
            let mut shapes = Vec::new();
            self.add_shapes(branch, came, depth + 1, &mut shapes);
            nearness(&shapes, came, |step| self.known(&shapes, step).is_some())
        };
        let by_nearness =
            branches.iter().enumerate().map(|(place, branch)| (nearness(branch), Reverse(place), branch));
        by_nearness.max_by_key(|(nearness, place, _branch)| (*nearness, *place)).map(|(.., branch)| branch)
    }

    /// The schema of what is one step inside, where some part knows it.
    pub(super) fn known(&self, shapes: &[&'s Map<String, Value>], step: &Step) -> Option<&'s Value> {
        shapes.iter().find_map(|words| match step {
            Step::Field(name) => self.field(words, name),
            Step::Item(index) => {
                let (first, rest) = item_schemas(words);
                first.get(*index).or(rest).filter(|schema| **schema != Value::Bool(false))
            }
        })
    }

    fn field(&self, words: &'s Map<String, Value>, name: &str) -> Option<&'s Value> {
        let object = |word: &str| words.get(word).and_then(Value::as_object);
        let by_name = object("properties").and_then(|fields| fields.get(name));
        let by_pattern = || {
            let mut patterns = object("patternProperties")?.iter();
            patterns.find(|(pattern, _)| self.is_match(pattern, name)).map(|(_, schema)| schema)
        };
        let other = || words.get("additionalProperties").filter(|schema| schema.is_object());
        by_name.or_else(by_pattern).or_else(other)
    }
}

fn nearness(shapes: &[&Map<String, Value>], came: Came<'_>, knows: impl Fn(&Step) -> bool) -> Nearness {
    let fields = came.value.and_then(Value::as_object);
    let is_field_known = |name: &&String| {
        shapes.iter().any(|words| words.get("properties").is_some_and(|known| known.get(*name).is_some()))
    };
    let kinds = || shapes.iter().filter_map(|words| words.get("type"));
    let is_kind = |kind: &str| kinds().any(|said| said == kind);
    Nearness {
        tag: shapes.iter().map(|words| tag(words, came.value)).max().unwrap_or(0),
        wrong_known: came.wrong.inside.keys().filter(|step| knows(step)).count(),
        fields_known: fields.map_or(0, |fields| fields.keys().take(NAMES_MAX).filter(is_field_known).count()),
        is_of_type: match came.value {
            Some(Value::Object(_)) => is_kind("object"),
            Some(Value::Array(_)) => is_kind("array"),
            _scalar => false,
        },
        is_something: !is_kind("null"),
    }
}

/// Whether a branch is the one that a value names (2), or nearly names (1): by the field that holds the tag, by the one
/// key, or by itself.
fn tag(shape: &Map<String, Value>, came: Option<&Value>) -> u8 {
    let known = shape.get("properties").and_then(Value::as_object);
    let only_field = known.filter(|known| known.len() == 1).and_then(|known| known.keys().next());
    let by_field = || known.into_iter().flatten().flat_map(|(_name, field)| words::listed(field));
    let names = || words::listed_in(shape).chain(only_field.map(String::as_str)).chain(by_field());
    let rank = |given: &str, name: &str| match nearest(given, [name].into_iter()) {
        Some(_same) if given == name => 2,
        Some(_near) => 1,
        None => 0,
    };
    let by_name = |given: &str| names().map(|name| rank(given, name)).max();
    let rank = match came {
        Some(Value::Object(given)) => {
            let by_tag = known.into_iter().flatten().filter_map(|(name, field)| {
                let given = given.get(name)?.as_str()?;
                words::listed(field).map(|name| rank(given, name)).max()
            });
            let by_key = given.keys().next().filter(|_only| given.len() == 1).and_then(|key| by_name(key));
            by_tag.chain(by_key).max()
        }
        Some(Value::String(given)) => by_name(given),
        _other => None,
    };
    rank.unwrap_or(0)
}
