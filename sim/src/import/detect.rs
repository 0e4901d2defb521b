//! What a file is, judged by its content.
//!
//! The first value or line that only one format has decides; lines that could be anyone's are passed over.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::format::Reader;
use super::{Format, log};
use crate::transcript::{Repairs, lines};

/// What a file is.
#[derive(Debug, PartialEq)]
pub(super) enum Detected {
    /// A recording of this format.
    Known(Format),
    /// A log of what went to and came from a model; whose, its messages show.
    Log,
    /// Nothing but white space.
    Empty,
    /// No text.
    NotText { line: usize, looks: &'static str, remedy: &'static str },
    /// Text without one JSON object; the first line that is none, and why.
    Unreadable { line: usize, reason: String },
    /// JSON, but no recording that is known.
    OtherJson,
}

pub(super) fn detect(bytes: &[u8]) -> Detected {
    if bytes.trim_ascii().is_empty() || bytes.trim_ascii() == b"\xef\xbb\xbf" {
        return Detected::Empty;
    }
    if let Some((looks, remedy)) = magic(bytes) {
        return Detected::NotText { line: 1, looks, remedy };
    }
    // A document printed over several lines is one value from the start of the file.
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = serde_json::Deserializer::from_slice(start).into_iter::<Sniff>().next();
    let document = matches!(first, Some(Ok(_)));
    if let Some(found) = first.and_then(Result::ok).and_then(|sniff| sniff.told()) {
        return found;
    }
    let mut found = None;
    let tally = lines::read(bytes, &mut Repairs::default(), &mut |_, text, _| {
        found = serde_json::from_str::<Sniff>(text)?.told();
        Ok(if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    if let Some(found) = found {
        return found;
    }
    if let Some(at) = binary(bytes) {
        let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
        let remedy = "give the recording itself, as JSON lines";
        return Detected::NotText { line, looks: "binary data", remedy };
    }
    if log::is_cassette(bytes) || log::is_events(bytes) {
        return Detected::Log;
    }
    match tally.first_problem {
        Some((line, reason)) if tally.objects == 0 && !document => Detected::Unreadable { line, reason },
        _ => Detected::OtherJson,
    }
}

/// Files that say by their first bytes that they are not text: what they are, and what to do.
fn magic(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let table: [(&[u8], &str, &str); 5] = [
        (b"PK\x03\x04", "a zip archive, as Inspect's `.eval`", "unpack it first"),
        (b"\x1f\x8b", "gzip data", "unpack it first"),
        (b"\x28\xb5\x2f\xfd", "zstd data", "unpack it first"),
        (b"\xff\xfe", "UTF-16", "convert it to UTF-8"),
        (b"\xfe\xff", "UTF-16", "convert it to UTF-8"),
    ];
    let row = table.into_iter().find(|(start, ..)| bytes.starts_with(start))?;
    Some((row.1, row.2))
}

/// The first byte that text does not have.
fn binary(bytes: &[u8]) -> Option<usize> {
    let bad = std::str::from_utf8(bytes).err().map(|error| error.valid_up_to());
    let nul = bytes.iter().position(|&byte| byte == 0);
    bad.into_iter().chain(nul).min()
}

/// How many names of an object's fields are looked at, and how long they may be: what tells formats apart is no more.
const NAMES_MAX: usize = 1_000;
const NAME_BYTES_MAX: usize = 32;

/// What is looked at of a value.
pub(super) struct Sniff {
    /// The value is a list, and the rest is said of its first item.
    list: bool,
    kind: Option<String>,
    /// The names of its fields.
    names: BTreeSet<String>,
}

impl Sniff {
    /// Its `type`; empty where it has none.
    pub(super) fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or_default()
    }

    /// Whether it has a field of this name, other than `type`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The only kind of recording that has such a value, if that can be said.
    fn told(&self) -> Option<Detected> {
        // Nothing but logs is a list.
        if self.list {
            return log::is_item(self).then_some(Detected::Log);
        }
        let format = Format::ALL.iter().copied().find(|format| (format.particulars().tells)(self))?;
        Some(match format.particulars().reader {
            Reader::Log => Detected::Log,
            Reader::Own | Reader::Object(_) | Reader::Lines(_) | Reader::Nobody => Detected::Known(format),
        })
    }
}

impl<'de> Deserialize<'de> for Sniff {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sniff, D::Error> {
        deserializer.deserialize_any(SniffVisitor)
    }
}

struct SniffVisitor;

impl<'de> Visitor<'de> for SniffVisitor {
    type Value = Sniff;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object or list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Sniff, A::Error> {
        let mut sniff = Sniff { list: false, kind: None, names: BTreeSet::new() };
        while let Some(name) = entries.next_key::<Cow<'de, str>>()? {
            if name == "type" {
                let value: &RawValue = entries.next_value()?;
                sniff.kind = serde_json::from_str(value.get()).ok();
                continue;
            }
            entries.next_value::<IgnoredAny>()?;
            if name.len() <= NAME_BYTES_MAX && sniff.names.len() < NAMES_MAX {
                sniff.names.insert(name.into_owned());
            }
        }
        Ok(sniff)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Sniff, A::Error> {
        let nothing = Sniff { list: true, kind: None, names: BTreeSet::new() };
        let first = items.next_element::<&RawValue>()?;
        while items.next_element::<IgnoredAny>()?.is_some() {}
        let Some(object) = first.filter(|first| first.get().starts_with('{')) else { return Ok(nothing) };
        let sniff: Sniff = serde_json::from_str(object.get()).map_err(serde::de::Error::custom)?;
        Ok(Sniff { list: true, ..sniff })
    }
}
