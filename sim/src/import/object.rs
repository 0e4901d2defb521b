//! Objects of JSON of which nothing is required: a field of an unexpected shape costs only itself, and what nobody asks
//! for is skimmed, not parsed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

/// An object, its fields as recorded. Of two fields of one name the last counts.
#[derive(Debug, Default)]
pub(super) struct Object<'a>(BTreeMap<Cow<'a, str>, &'a str>);

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Object<'a> {
    /// Reads a text that is one object; `None` for anything else.
    pub(super) fn parse(text: &'a str) -> Option<Object<'a>> {
        Object::try_parse(text).ok()
    }

    /// Reads a text that is one object.
    pub(super) fn try_parse(text: &'a str) -> Result<Object<'a>, serde_json::Error> {
        let fields: BTreeMap<Name<'a>, &'a RawValue> = serde_json::from_str(text)?;
        Ok(Object(fields.into_iter().map(|(name, raw)| (name.0, raw.get())).collect()))
    }

    /// A field as recorded; one that is `null` is not there.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied().filter(|raw| *raw != "null")
    }

    /// A field that is a text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        text(self.raw(name)?)
    }

    /// A field that is a text and not empty.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// A field that is an object.
    pub(super) fn object(&self, name: &str) -> Option<Object<'a>> {
        Object::parse(self.raw(name)?)
    }

    /// The items of a field that is a list, as recorded.
    pub(super) fn items(&self, name: &str) -> Option<Vec<&'a str>> {
        items(self.raw(name)?)
    }

    /// The items of a field that is a list, those that are objects.
    pub(super) fn objects(&self, name: &str) -> Vec<Object<'a>> {
        self.items(name).unwrap_or_default().into_iter().filter_map(Object::parse).collect()
    }

    /// A field that is a number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        serde_json::from_str(self.raw(name)?).ok()
    }

    /// Whether a field is `true`.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.raw(name) == Some("true")
    }

    /// Whether there is such a field, `null` or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

/// The value of a text that is a string of JSON.
pub(super) fn text(raw: &str) -> Option<String> {
    if raw.starts_with('"') { serde_json::from_str(raw).ok() } else { None }
}

/// The items of a text that is a list of JSON.
pub(super) fn items(raw: &str) -> Option<Vec<&str>> {
    let list: Vec<&RawValue> =
        if raw.starts_with('[') { serde_json::from_str(raw).ok()? } else { return None };
    Some(list.into_iter().map(RawValue::get).collect())
}
