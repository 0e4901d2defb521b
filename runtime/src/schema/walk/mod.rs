//! The schema-guided walker: converts without loss what a model sent in another JSON type, and collects every problem.
//!
//! It works for our own types and for tools whose schema is known only at run time: JSON Schema 2020-12 without remote
//! and dynamic references. A value that is valid as it came is never changed: a value is converted only where its type
//! is refused as it is, and among several branches only when none takes it. Depth, steps and memory are bounded.

mod aliases;
mod astray;
mod branches;
mod combine;
mod convert;
mod equal;
mod evaluated;
mod items;
mod number;
mod object;
mod tags;
mod value;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Schema;
use super::json::{Order, Rounded};
use super::path::{Path, Step, render};
use super::pattern::Patterns;
use super::problem::{Problem, number_told, received};

pub(super) use self::equal::equal;
pub(super) use self::items::item_schemas;
pub(super) use self::number::Bounds;

/// One value that was converted without loss.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coercion {
    /// Where, such as `questions[0].header`; empty for the whole input.
    pub path: String,
    /// What came; where something around the JSON was left out, that in words.
    pub from: Value,
    /// What it became.
    pub to: Value,
}

/// What a walk found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walked {
    /// The conversions made.
    pub coercions: Vec<Coercion>,
    /// The problems that remain, in the order of the input; at most [`PROBLEMS_MAX`].
    pub problems: Vec<Problem>,
    /// Whether more problems were found than are told.
    pub has_more: bool,
    /// Whether the walk was ended because it took too many steps; that is the one problem then.
    pub is_exhausted: bool,
}

/// How many problems are told at once.
pub const PROBLEMS_MAX: usize = 20;
/// How many problems are looked for, so that those told are the first ones.
const FOUND_MAX: usize = 500;
/// How deep a value is followed along its schema, each schema within a schema counted.
const DEPTH_MAX: usize = 300;
/// How many steps any value may take.
const STEPS_MIN: usize = 100_000;
/// How many steps more each part of a value may take.
const STEPS_PER_PART: usize = 40;
/// How many bytes of text weigh as much as one step.
const BYTES_PER_STEP: usize = 64;

/// Walks `value` along `schema`, converting in place.
#[must_use]
pub fn walk(value: &mut Value, schema: &Schema) -> Walked {
    walk_read(value, schema, &mut Vec::new(), |value| Order::of(&value.to_string()))
}

/// Whether the value fits the schema as it is. Nothing is converted.
#[must_use]
pub fn fits(value: &Value, schema: &Schema) -> bool {
    fits_part(value, schema.walkable(), schema)
}

/// Whether a value fits one part of the schema as it is.
pub(super) fn fits_part<'s>(value: &Value, part: &'s Value, schema: &'s Schema) -> bool {
    let mut walker = Walker::new(value, schema, Mode::FITS);
    walker.value(&mut value.clone(), part, &Path::ROOT);
    walker.found.is_empty() && !walker.is_exhausted
}

/// Walks a value that was read from text, whose rounded numbers are known and the order of whose entries can be had.
pub(super) fn walk_read(
    value: &mut Value,
    schema: &Schema,
    rounded: &mut Vec<Rounded>,
    order: impl FnOnce(&Value) -> Order,
) -> Walked {
    let mut walker = Walker::new(value, schema, Mode::FULL);
    walker.rounded = std::mem::take(rounded);
    walker.value(value, schema.walkable(), &Path::ROOT);
    if walker.found.is_empty() && !walker.coercions.is_empty() && !walker.is_exhausted {
        // Parts of a schema that were passed before a value was converted look at it again.
        walker.mode.converts = false;
        walker.value(value, schema.walkable(), &Path::ROOT);
    }
    walker.tell_rounded();
    let is_exhausted = walker.is_exhausted;
    if is_exhausted {
        walker.found = vec![exhausted()];
    }
    let mut found = walker.found;
    if found.len() > 1 {
        let order = order(value);
        found.sort_by_cached_key(|found| order.rank(&found.path));
    }
    found.dedup();
    let has_more = found.len() > PROBLEMS_MAX;
    let problems = found.into_iter().take(PROBLEMS_MAX).map(Found::told).collect();
    Walked { coercions: walker.coercions, problems, has_more, is_exhausted }
}

/// A problem and its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    path: Vec<Step>,
    expected: String,
    received: String,
    hint: Option<String>,
}

impl Found {
    fn told(self) -> Problem {
        let path = render(self.path.iter());
        Problem { path, expected: self.expected, received: self.received, hint: self.hint }
    }
}

fn exhausted() -> Found {
    Found {
        path: Vec::new(),
        expected: "an input that can be checked in a bounded number of steps".to_owned(),
        received: "one that nests too much for this schema".to_owned(),
        hint: Some("send less at once".to_owned()),
    }
}

/// What a walk does with what does not fit.
#[derive(Clone, Copy, Debug)]
struct Mode {
    /// Whether values are converted.
    converts: bool,
    /// Whether other names become the ones that the schema has.
    renames: bool,
    /// Whether a float may hold another number than the one that was written.
    rounds: bool,
    /// After how many problems it stops.
    found_max: usize,
}

impl Mode {
    /// Converts, and looks for every problem.
    const FULL: Mode = Mode { converts: true, renames: true, rounds: false, found_max: FOUND_MAX };
    /// Only whether a value fits as it is.
    const FITS: Mode = Mode { converts: false, renames: false, rounds: false, found_max: 1 };
}

struct Walker<'s> {
    root: &'s Value,
    patterns: &'s Patterns,
    /// Whether references mean places in the root: not where parts of the schema have names of their own.
    has_references: bool,
    mode: Mode,
    found: Vec<Found>,
    coercions: Vec<Coercion>,
    rounded: Vec<Rounded>,
    depth: usize,
    steps_left: usize,
    is_exhausted: bool,
}

/// What an attempt on one branch found.
struct Attempt {
    found: Vec<Found>,
    coercions: Vec<Coercion>,
}

impl<'s> Walker<'s> {
    fn new(value: &Value, schema: &'s Schema, mode: Mode) -> Walker<'s> {
        let steps_left = STEPS_MIN.saturating_add(weight(value).saturating_mul(STEPS_PER_PART));
        Walker {
            root: schema.walkable(),
            patterns: schema.patterns(),
            has_references: !schema.has_ids(),
            mode,
            found: Vec::new(),
            coercions: Vec::new(),
            rounded: Vec::new(),
            depth: 0,
            steps_left,
            is_exhausted: false,
        }
    }

    /// Takes steps from those that are left.
    fn spend(&mut self, steps: usize) -> bool {
        match self.steps_left.checked_sub(steps) {
            Some(left) => self.steps_left = left,
            None => self.is_exhausted = true,
        }
        !self.is_exhausted
    }

    fn is_full(&self) -> bool {
        self.is_exhausted || self.found.len() >= self.mode.found_max
    }

    /// Whether a value fits a schema as it is.
    fn fits(&mut self, value: &mut Value, schema: &'s Value, path: &Path<'_>) -> bool {
        self.attempt(Mode::FITS, |walker| walker.value(value, schema, path)).found.is_empty()
            && !self.is_exhausted
    }

    /// Walks aside: what is found is given back, not kept. Where something is found, no number counts as read.
    fn attempt(&mut self, mode: Mode, walk: impl FnOnce(&mut Walker<'s>)) -> Attempt {
        let rounded = self.rounded.clone();
        let outer = std::mem::replace(&mut self.mode, mode);
        let found = std::mem::take(&mut self.found);
        let coercions = std::mem::take(&mut self.coercions);
        walk(self);
        self.mode = outer;
        if !self.found.is_empty() {
            self.rounded = rounded;
        }
        Attempt {
            found: std::mem::replace(&mut self.found, found),
            coercions: std::mem::replace(&mut self.coercions, coercions),
        }
    }

    fn problem(&mut self, value: &Value, expected: impl FnOnce() -> String, path: &Path<'_>) {
        self.push(path, || (expected(), received(value), None));
    }

    /// Whether someone reads what the problems say.
    fn is_read(&self) -> bool {
        self.mode.found_max > 1
    }

    /// Keeps a problem; its words are made only where someone reads them.
    fn push(&mut self, path: &Path<'_>, words: impl FnOnce() -> (String, String, Option<String>)) {
        if self.found.len() >= self.mode.found_max {
            return;
        }
        let is_read = self.is_read();
        let (expected, received, hint) = if is_read { words() } else { Default::default() };
        let path = if is_read { path.steps() } else { Vec::new() };
        self.found.push(Found { path, expected, received, hint });
    }

    /// The numbers that no float holds as they were written, and that were not read as wide integers, are problems.
    /// Where one is a problem already, that is told of the number as it was written.
    fn tell_rounded(&mut self) {
        for rounded in std::mem::take(&mut self.rounded) {
            let written = number_told(&rounded.text);
            if let Some(found) = self.found.iter_mut().find(|found| found.path == rounded.path) {
                found.received = written;
                continue;
            }
            self.found.push(Found {
                path: rounded.path,
                expected: "a number that a 64-bit float holds as it is written".to_owned(),
                received: format!("{written}, which would be rounded"),
                hint: Some("send fewer digits".to_owned()),
            });
        }
    }
}

/// How many steps a copy of a value costs.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / BYTES_PER_STEP,
        Value::Array(items) => items.iter().fold(1, |sum, item| sum + weight(item)),
        Value::Object(fields) => {
            fields.iter().fold(1, |sum, (name, field)| sum + 1 + name.len() / BYTES_PER_STEP + weight(field))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// The words of a schema.
type Words = Map<String, Value>;

/// A word's list.
fn list<'s>(words: &'s Words, word: &str) -> &'s [Value] {
    words.get(word).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A word's count, which a schema may also write as a float.
fn count(words: &Words, word: &str) -> Option<usize> {
    let number = words.get(word)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of floats saturates")]
    let from_float = || number.as_f64().map(|float| float as usize);
    number.as_u64().map(|count| usize::try_from(count).unwrap_or(usize::MAX)).or_else(from_float)
}

#[cfg(test)]
mod tests;
