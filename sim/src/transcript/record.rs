//! The words of the file format: the kinds of lines, and what can be done with the fields of one.
//!
//! The format itself is told where the room begins, for people who write it by hand.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Json, RepairKind, Repairs};

/// `decision` of a call that was not permitted.
pub(super) const DENIED: &str = "denied";
/// `decision` of a call that a person refused.
pub(super) const REJECTED: &str = "rejected";
/// `decision` of a call that never ran.
pub(super) const CANCELLED: &str = "cancelled";

/// How many characters of a value are shown.
const VALUE_CHARS_MAX: usize = 40;

/// The fields of one line, taken out one by one; what is left at the end is unknown.
pub(super) struct Fields<'a> {
    line: usize,
    left: BTreeMap<String, &'a RawValue>,
}

impl<'a> Fields<'a> {
    pub(super) fn parse(line: usize, object: &'a str) -> Result<Fields<'a>, serde_json::Error> {
        Ok(Fields { line, left: serde_json::from_str(object)? })
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Takes a field as recorded; one that is `null` is there.
    pub(super) fn raw(&mut self, name: &str) -> Option<&'a str> {
        self.left.remove(name).map(RawValue::get)
    }

    /// Takes a field of a certain shape; one that is `null` or of another shape is not there.
    pub(super) fn take<T: Deserialize<'a>>(&mut self, name: &str, repairs: &mut Repairs) -> Option<T> {
        let raw = self.raw(name)?;
        match serde_json::from_str::<Option<T>>(raw) {
            Ok(value) => value,
            Err(_) => {
                self.ignored(name, repairs);
                None
            }
        }
    }

    /// An object without fields, in the place of one that is not there.
    pub(super) fn none(&self) -> Fields<'a> {
        Fields { line: self.line, left: BTreeMap::new() }
    }

    /// Takes an object field, whose own fields are taken the same way; nothing when it is not there.
    pub(super) fn object_if_there(&mut self, name: &str, repairs: &mut Repairs) -> Option<Fields<'a>> {
        let left = self.take(name, repairs)?;
        Some(Fields { line: self.line, left })
    }

    /// Takes a field as JSON to keep, or as text when it cannot be read later.
    pub(super) fn json(&mut self, name: &str, repairs: &mut Repairs) -> Option<Result<Json, String>> {
        let raw = self.raw(name)?;
        Some(Json::parse(raw).map_err(|error| {
            let detail = format!("`{name}` was kept as text: {error}");
            repairs.note(Some(self.line), RepairKind::KeptAsText, detail);
            raw.to_owned()
        }))
    }

    /// One of these words in a field that was taken. What stands there instead is noted, with the words that could, and
    /// with what was done about it.
    pub(super) fn word(
        &self,
        (name, raw): (&str, Option<&str>),
        known: &[&'static str],
        done: &str,
        repairs: &mut Repairs,
    ) -> Option<&'static str> {
        let written = raw.and_then(|raw| serde_json::from_str::<String>(raw).ok());
        let found = known.iter().find(|word| written.as_deref() == Some(**word));
        if found.is_none() {
            let fault = match raw {
                None | Some("null") => format!("`{name}` is missing"),
                Some(raw) => format!("`{name}` is {}", beginning(raw)),
            };
            let known = known.join("`, `");
            let detail = format!("{fault}, and must be one of `{known}`; {done}");
            repairs.note(Some(self.line), RepairKind::UnknownField, detail);
        }
        found.copied()
    }

    /// Notes a field whose value the format does not have.
    pub(super) fn ignored(&self, name: &str, repairs: &mut Repairs) {
        let detail = format!("the value of `{name}` is not one it can have and was left out");
        repairs.note(Some(self.line), RepairKind::UnknownField, detail);
    }

    /// Notes the fields that nobody took.
    pub(super) fn finish(self, repairs: &mut Repairs) {
        for name in self.left.keys() {
            let detail = format!("the unknown field `{name}` was left out");
            repairs.note(Some(self.line), RepairKind::UnknownField, detail);
        }
    }
}

/// As much of a value as a note shows.
fn beginning(raw: &str) -> String {
    match raw.char_indices().nth(VALUE_CHARS_MAX) {
        None => format!("`{raw}`"),
        Some((at, _first_left_out)) => format!("`{}…`", &raw[..at]),
    }
}
