//! The values that a log is made of: lines, the items of a list, the exchanges of a cassette, one stream of events.

use std::ops::ControlFlow;

use serde_json::value::RawValue;
use toolwright_tools::yaml;

use crate::import::object::{Object, items};
use crate::import::spoken::Place;
use crate::import::whole;
use crate::transcript::{RepairKind, Repairs, lines};

/// One value of a log.
pub(super) enum Document<'a> {
    /// An object of JSON.
    Value(Object<'a>),
    /// The text of an event stream.
    Events(&'a str),
}

/// What is called with each value.
pub(super) type Each<'a> = dyn FnMut(Place, &Document<'_>, &mut Repairs) + 'a;

/// Hands over the values of a log in order; the line and the reason when there is none.
pub(super) fn each(bytes: &[u8], repairs: &mut Repairs, each: &mut Each<'_>) -> Result<(), (usize, String)> {
    if is_cassette(bytes) {
        return cassette(bytes, repairs, each);
    }
    if is_events(bytes) {
        let text = whole::text(bytes, repairs);
        each(Place { line: Some(1), message: 1 }, &Document::Events(&text), repairs);
        return Ok(());
    }
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    let mut values = serde_json::Deserializer::from_slice(start).into_iter::<&RawValue>();
    let first = values.next().and_then(Result::ok).map(RawValue::get);
    if first.is_some_and(|first| first.starts_with('[') || first.contains('\n')) {
        return printed(bytes, repairs, each);
    }
    let mut number = 0;
    let tally = lines::read(bytes, repairs, &mut |line, text, repairs| {
        let object = Object::try_parse(text)?;
        number += 1;
        each(Place { line: Some(line), message: number }, &Document::Value(object), repairs);
        Ok(ControlFlow::Continue(()))
    });
    match tally.first_problem {
        Some(problem) if tally.objects == 0 => Err(problem),
        Some(_) | None => Ok(()),
    }
}

/// Hands over values that are printed over several lines, and the items of lists.
fn printed(bytes: &[u8], repairs: &mut Repairs, each: &mut Each<'_>) -> Result<(), (usize, String)> {
    let text = whole::text(bytes, repairs);
    let mut number = 0;
    for value in serde_json::Deserializer::from_str(&text).into_iter::<&RawValue>() {
        let value = match value {
            Ok(value) => value.get(),
            Err(error) if number == 0 => return Err((error.line().max(1), lines::reason(&error))),
            Err(error) => {
                let detail = format!("left out from here on: {}", lines::reason(&error));
                repairs.note(Some(error.line()), RepairKind::UnreadableLine, detail);
                return Ok(());
            }
        };
        for item in items(value).unwrap_or_else(|| vec![value]) {
            number += 1;
            match Object::parse(item) {
                Some(object) => {
                    each(Place { line: None, message: number }, &Document::Value(object), repairs)
                }
                None => {
                    let detail = format!("item {number} is no object and was left out");
                    repairs.note(None, RepairKind::UnreadableMessage, detail);
                }
            }
        }
    }
    Ok(())
}

/// Whether this is a cassette of HTTP exchanges in YAML.
pub(in crate::import) fn is_cassette(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|&byte| byte == b'\n').take(20).any(|line| line.trim_ascii_end() == b"interactions:")
}

/// Whether this is a stream of events: its first line that says anything is a field of one.
pub(in crate::import) fn is_events(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    [&b"event:"[..], b"data:", b"id:", b"retry:", b": "].iter().any(|field| bytes.starts_with(field))
}

/// Reads a cassette. Its parser bounds how deep values nest and what references stand for.
fn cassette(bytes: &[u8], repairs: &mut Repairs, each: &mut Each<'_>) -> Result<(), (usize, String)> {
    let text = whole::text(bytes, repairs);
    let json = yaml::to_json(&text).map_err(|error| (error.line, error.why))?;
    let no_list = || (1, "`interactions` is no list".to_owned());
    let whole = Object::parse(&json).ok_or_else(no_list)?;
    if !whole.has("version") {
        let detail = "there is no `version` at the end, so the file may have been cut off";
        repairs.note(None, RepairKind::MissingEnd, detail);
    }
    for (index, interaction) in whole.items("interactions").ok_or_else(no_list)?.into_iter().enumerate() {
        let place = Place { line: None, message: index + 1 };
        match Object::parse(interaction) {
            Some(object) => each(place, &Document::Value(object), repairs),
            None => {
                let detail = format!("exchange {} cannot be read and was left out", place.message);
                repairs.note(None, RepairKind::UnreadableMessage, detail);
            }
        }
    }
    Ok(())
}
