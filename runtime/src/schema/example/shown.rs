//! Which examples stand under the problems of an input: a whole one that shows what is wrong right, where that is short;
//! else the smallest, and one of each part.

use std::cmp::Reverse;

use serde_json::{Map, Value};

use super::minimal::Example;
use super::shapes::Came;
use super::wrong::Wrong;
use crate::schema::path::{Step, render};
use crate::schema::{Schema, fits, marks, walk, write};

/// How long an example may be that shows what is wrong, in bytes of JSON: beyond it a smaller one says more.
pub(in crate::schema) const BYTES_MAX: usize = 600;
/// How many parts have an example of their own.
const PARTS_MAX: usize = 3;

/// The examples that stand under the problems of an input, as JSON.
#[derive(Debug)]
pub(in crate::schema) struct Shown {
    pub(in crate::schema) whole: String,
    /// Whether the whole one is the author's, and not the smallest.
    pub(in crate::schema) is_authored: bool,
    /// Parts that are wrong and that the whole one does not show, by path.
    pub(in crate::schema) parts: Vec<(String, String)>,
}

/// Words of schemas for what is in a value.
const INSIDE: &[&str] = &["properties", "patternProperties", "additionalProperties", "items", "prefixItems"];

/// Finds the examples for an input that has problems at these places. Nothing that the schema does not have in this
/// session is in them: no internal field, and none whose switch is off.
pub(in crate::schema) fn shown(places: &[Vec<Step>], schema: &Schema, value: Option<&Value>) -> Shown {
    let wrong = Wrong::of(places);
    let came = Came { value, wrong: &wrong };
    let root = schema.walkable();
    let authored = authored(schema);
    let mended = |begun: Option<&Value>| {
        let value = Example::new(schema).mended(root, came, begun.cloned());
        let text = write::text(&value);
        (text.len() <= BYTES_MAX && fits(&value, schema)).then_some(text)
    };
    let mut by_reach: Vec<&Value> = authored.iter().collect();
    by_reach.sort_by_key(|example| Reverse(places.iter().map(|place| reach(example, place)).sum::<usize>()));
    if let Some(whole) = by_reach.into_iter().find_map(|example| mended(Some(example))) {
        return Shown { whole, is_authored: true, parts: Vec::new() };
    }
    if let Some(whole) = mended(None) {
        return Shown { whole, is_authored: false, parts: Vec::new() };
    }
    let parts = parts(places, schema, came);
    match authored.first() {
        Some(first) => Shown { whole: write::text(first), is_authored: true, parts },
        None => {
            let whole = write::text(&Example::new(schema).of(root, 0));
            Shown { whole, is_authored: false, parts }
        }
    }
}

/// The author's examples that are short and fit in this session.
fn authored(schema: &Schema) -> Vec<Value> {
    let texts = schema.walkable().get(marks::EXAMPLES).and_then(Value::as_array).into_iter().flatten();
    let short = texts.filter_map(Value::as_str).filter(|text| text.len() <= BYTES_MAX);
    let examples = short.filter_map(|text| serde_json::from_str(text).ok());
    examples.filter(|example| fits(example, schema)).collect()
}

/// How many steps of a way are in a value, whichever item of a list it is.
fn reach(value: &Value, place: &[Step]) -> usize {
    let mut at = Some(value);
    let steps = place.iter().take_while(|step| {
        at = at.and_then(|value| match step {
            Step::Field(name) => value.get(name),
            Step::Item(_) => value.get(0),
        });
        at.is_some()
    });
    steps.count()
}

/// Examples of the parts in which something is wrong. All are made from what one example may cost.
fn parts(places: &[Vec<Step>], schema: &Schema, whole: Came<'_>) -> Vec<(String, String)> {
    let example = Example::new(schema);
    let mut told: Vec<(&[Step], String)> = Vec::new();
    for place in places {
        if told.len() >= PARTS_MAX {
            break;
        }
        let Some((path, part, came)) = part_of(place, &example, whole) else { continue };
        if told.iter().any(|(around, _)| path.starts_with(around)) {
            continue;
        }
        let short = |value: Value| {
            let text = write::text(&value);
            (text.len() <= BYTES_MAX && walk::fits_part(&value, part, schema)).then_some(text)
        };
        let text = short(example.mended(part, came, None)).or_else(|| short(example.of(part, 0)));
        if let Some(text) = text.filter(|text| told.iter().all(|(_, other)| other != text)) {
            told.push((path, text));
        }
    }
    told.into_iter().map(|(path, text)| (render(path.iter()), text)).collect()
}

/// The smallest part around a place that has parts of its own, its schema, and what came there. Not the whole.
fn part_of<'p, 's, 'v>(
    place: &'p [Step],
    example: &Example<'s>,
    whole: Came<'v>,
) -> Option<(&'p [Step], &'s Value, Came<'v>)> {
    let (mut at, mut came) = (example.schema.walkable(), whole);
    let mut found = None;
    for (index, step) in place.iter().enumerate() {
        let known = example.known(&example.shapes(at, came), step);
        let (Some(below), Some(wrong)) = (known, came.wrong.inside.get(step)) else { break };
        (at, came) = (below, came.below(step, wrong));
        let has_parts = |words: &&Map<String, Value>| INSIDE.iter().any(|word| words.contains_key(*word));
        if example.shapes(at, came).iter().any(has_parts) {
            found = Some((&place[..=index], at, came));
        }
    }
    found
}
