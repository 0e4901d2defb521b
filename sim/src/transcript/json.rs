//! One JSON value kept byte for byte.
//!
//! Arguments and result blocks go to the runtime as they were recorded: key order, number spelling and
//! escapes are evidence, so nothing here reformats them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

/// One JSON value, byte for byte as recorded, on one line.
///
/// Line breaks between the tokens of a value become spaces, which is the only change ever made.
#[derive(Debug, Clone)]
pub struct Json {
    // INVARIANT: has no line break, and `serde_json` reads it into a `Value` (nested at most 127 levels,
    // numbers in range, no lone surrogates). Only `Json::parse` builds one.
    raw: Box<RawValue>,
}

/// Why a text is not a [`Json`]: what `serde_json` said of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("not readable as JSON: {reason}")]
pub struct JsonError {
    reason: String,
}

impl Json {
    /// Takes a text that holds one JSON value.
    ///
    /// # Errors
    /// The text is not JSON, or JSON that a program would refuse later: nested deeper than 127 levels, a
    /// number out of range, half a surrogate pair.
    pub fn parse(text: &str) -> Result<Json, JsonError> {
        let refused = |error: serde_json::Error| JsonError { reason: error.to_string() };
        serde_json::from_str::<Readable>(text).map_err(refused)?;
        let line =
            if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text.to_owned() };
        RawValue::from_string(line).map(|raw| Json { raw }).map_err(refused)
    }

    /// The value's text.
    pub fn get(&self) -> &str {
        self.raw.get()
    }

    /// The value as `serde_json` carries it, for building a request around it without copying twice.
    pub fn raw(&self) -> &RawValue {
        &self.raw
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        self.get() == other.get()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

/// Reads a value in full and keeps nothing: a raw value alone is only skimmed, so it may hold what a
/// later reader refuses.
struct Readable;

impl<'de> Deserialize<'de> for Readable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Readable, D::Error> {
        deserializer.deserialize_any(Readable)
    }
}

impl<'de> Visitor<'de> for Readable {
    type Value = Readable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_str<E>(self, _: &str) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_unit<E>(self) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Readable, A::Error> {
        while items.next_element::<Readable>()?.is_some() {}
        Ok(Readable)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Readable, A::Error> {
        while entries.next_entry::<Readable, Readable>()?.is_some() {}
        Ok(Readable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_kept() {
        let text = r#"{"b":1.50,"a":"\u0041\ud83d\ude00", "c" : [ ] }"#;
        assert_eq!(Json::parse(text).expect("is JSON").get(), text);
    }

    #[test]
    fn line_breaks_between_tokens_become_spaces() {
        let json = Json::parse("{\r\n\"a\": 1\n}").expect("is JSON");
        assert_eq!(json.get(), "{  \"a\": 1 }");
    }

    #[test]
    fn what_a_later_reader_would_refuse_is_refused_here() {
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        for text in ["", "{", "{} {}", r#""\ud800""#, "1e999", "nul", "\"\n\"", &deep] {
            assert!(Json::parse(text).is_err(), "{:.20}", text);
        }
        let shallow = format!("{}1{}", "[".repeat(127), "]".repeat(127));
        assert!(Json::parse(&shallow).is_ok());
    }
}
