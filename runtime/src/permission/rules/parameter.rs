//! Rules about one parameter of a tool, `Tool(name:value)`, and the fields of an input that they are matched against.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::rule::Found;
use crate::message::RawInput;
use crate::permission::raw::pieces_match;

/// Fields that say what a tool is used on: other rules are for them.
const PRIMARY: &[&str] = &["command", "file_path", "path", "notebook_path", "url"];

/// A pattern over one field of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParameterPattern {
    name: String,
    value: Vec<String>,
}

/// What content with a colon means.
pub(super) enum Reading {
    /// It is not about a parameter.
    Other,
    /// It is about this one.
    Parameter(ParameterPattern),
    /// It is about the field that says what the tool is used on.
    Primary(String),
}

impl ParameterPattern {
    /// Reads content as `name:value`. `prefix:P`, and `P:*` of commands, are patterns, and names of skills have colons.
    pub(super) fn read(tool: &str, content: &str) -> Reading {
        let Some((name, value)) = content.split_once(':') else { return Reading::Other };
        let (name, value) = (name.trim(), value.trim());
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // Behind the beginning of a command it stands for the rest of it.
        let is_command = matches!(tool, "Bash" | "Monitor" | "PowerShell");
        let is_pattern =
            matches!(name, "prefix" | "domain") || (value == "*" && (is_command || PRIMARY.contains(&name)));
        // A host with a scheme before it, or a port behind it.
        let is_host = tool == "WebFetch"
            && (value.starts_with("//") || (!value.is_empty() && value.bytes().all(|c| c.is_ascii_digit())));
        if !is_name || is_pattern || is_host || tool == "Skill" {
            Reading::Other
        } else if PRIMARY.contains(&name) {
            Reading::Primary(name.to_owned())
        } else {
            let value = value.split('*').map(str::to_owned).collect();
            Reading::Parameter(ParameterPattern { name: name.to_owned(), value })
        }
    }

    /// The name of the field.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether an input has the field with a value that matches. What is left out matches nothing, and what cannot be
    /// read may match.
    pub(super) fn matches(&self, fields: &Fields) -> Found {
        let is_match = fields.known.iter().any(|(name, value)| {
            *name == self.name
                && (pieces_match(&self.value, value) || pieces_match(&self.value, value.trim()))
        });
        if is_match {
            Found::Yes
        } else if fields.is_unreadable {
            Found::Perhaps
        } else {
            Found::No
        }
    }

    /// Texts that every matching value has.
    pub(super) fn literals(&self) -> Vec<Vec<u8>> {
        self.value.iter().map(|piece| piece.trim().as_bytes().to_vec()).collect()
    }
}

/// The fields of an input that are texts, numbers, booleans or null, as they are written.
#[derive(Clone, Debug, Default)]
pub(in crate::permission) struct Fields {
    pub(super) known: Vec<(String, String)>,
    /// Whether there may be others.
    pub(super) is_unreadable: bool,
}

impl Fields {
    /// The fields of all texts of an input.
    pub(in crate::permission) fn of(inputs: &[&RawInput]) -> Fields {
        let mut fields = Fields { known: Vec::new(), is_unreadable: inputs.is_empty() };
        for input in inputs {
            match serde_json::from_str::<Scalars>(input.as_str()) {
                Ok(Scalars(found)) => fields.known.extend(found),
                Err(_no_object) => fields.is_unreadable = true,
            }
        }
        fields
    }
}

/// An object's scalar fields, one for each time that a name stands there.
struct Scalars(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Scalars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalars, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Scalars;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalars, A::Error> {
                let mut found = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    let value = value.get();
                    let text = match value.as_bytes().first() {
                        Some(b'{' | b'[') => continue,
                        Some(b'"') => serde_json::from_str(value).map_err(serde::de::Error::custom)?,
                        _number_or_word => value.to_owned(),
                    };
                    found.push((name, text));
                }
                Ok(Scalars(found))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_compared_as_it_is_written() {
        for (content, input, expected) in [
            ("model:opus", r#"{"model":"opus"}"#, Found::Yes),
            (" model : opus ", r#"{"model":"opus"}"#, Found::Yes),
            ("model:opus", r#"{"model":" opus "}"#, Found::Yes),
            ("model:opus", r#"{"model":"\u006fpus"}"#, Found::Yes),
            ("model:opus", r#"{"\u006dodel":"opus"}"#, Found::Yes),
            ("model:opus", r#"{"model":"claude-opus-5"}"#, Found::No),
            ("model:*opus*", r#"{"model":"claude-opus-5"}"#, Found::Yes),
            ("model:*", r#"{"model":"claude-opus-5"}"#, Found::Yes),
            ("model: *", r#"{"model":""}"#, Found::Yes),
            ("model:*", r#"{"other":"x"}"#, Found::No),
            ("model:opus", "{}", Found::No),
            ("model:opus", r#"{"model":["opus"],"x":{"model":"opus"}}"#, Found::No),
            ("model:opus", r#"{"model":"haiku","model":"opus"}"#, Found::Yes),
            ("model:opus", r#"{"model":"opus","model":"haiku"}"#, Found::Yes),
            ("n:5", r#"{"n":5}"#, Found::Yes),
            ("n:5", r#"{"n":"5"}"#, Found::Yes),
            ("n:5", r#"{"n":50}"#, Found::No),
            ("b:true", r#"{"b":true}"#, Found::Yes),
            ("b:null", r#"{"b":null}"#, Found::Yes),
            ("model:opus", "[]", Found::Perhaps),
            ("model:opus", r#"{"model":"op"#, Found::Perhaps),
        ] {
            let Reading::Parameter(pattern) = ParameterPattern::read("Agent", content) else {
                panic!("{content} is about a parameter")
            };
            assert_eq!(pattern.matches(&Fields::of(&[&RawInput::new(input)])), expected, "{content} {input}");
        }
        let Reading::Parameter(pattern) = ParameterPattern::read("Agent", "model:opus") else { panic!() };
        assert_eq!(pattern.matches(&Fields::of(&[])), Found::Perhaps);
    }
}
