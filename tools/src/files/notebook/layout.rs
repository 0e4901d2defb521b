//! Writing JSON into a text in the way that the rest of it is laid out.

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

/// How a text's objects and lists are spread over lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout<'a> {
    /// All on one line.
    Compact,
    /// A line for each member.
    Lines {
        /// How lines end.
        end: &'a str,
        /// What a member is moved in by, for each object or list that it is in.
        unit: &'a str,
    },
}

/// A member of an object that is written.
#[derive(Debug)]
pub(super) enum Written<'a> {
    /// As it stood.
    AsItStood(&'a str),
    /// A new value.
    New(Value),
}

impl<'a> Layout<'a> {
    /// How an object's text is laid out, told by its first member.
    pub(super) fn of(text: &'a str) -> Layout<'a> {
        let inside = text.trim_start().strip_prefix('{').unwrap_or_default();
        let space = &inside[..inside.len() - inside.trim_start().len()];
        match space.rfind('\n') {
            Some(at) => {
                let end = if space[..at].ends_with('\r') { "\r\n" } else { "\n" };
                Layout::Lines { end, unit: &space[at + 1..] }
            }
            None => Layout::Compact,
        }
    }

    /// What stands in front of a member that is this deep.
    pub(super) fn before(self, depth: usize) -> String {
        match self {
            Layout::Compact => String::new(),
            Layout::Lines { end, unit } => format!("{end}{}", unit.repeat(depth)),
        }
    }

    /// An object that stands this deep.
    pub(super) fn object(self, members: &[(String, Written<'_>)], depth: usize) -> String {
        let (colon, members_depth) = (if self == Layout::Compact { ":" } else { ": " }, depth + 1);
        let members = members.iter().map(|(name, written)| {
            let value = match written {
                Written::AsItStood(text) => (*text).to_owned(),
                Written::New(value) => self.value(value, members_depth),
            };
            format!("{}{}{colon}{value}", self.before(members_depth), Value::from(name.as_str()))
        });
        format!("{{{}{}}}", members.collect::<Vec<_>>().join(","), self.before(depth))
    }

    fn value(self, value: &Value, depth: usize) -> String {
        let Layout::Lines { unit, .. } = self else { return value.to_string() };
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(unit.as_bytes());
        value
            .serialize(&mut Serializer::with_formatter(&mut bytes, formatter))
            .expect("a value can be written to memory");
        // Within JSON, a line end stands between values only.
        String::from_utf8(bytes).expect("JSON is text").replace('\n', &self.before(depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_is_written_as_its_surroundings_are() {
        let members = [
            ("a".to_owned(), Written::AsItStood("1.0e5")),
            ("b".to_owned(), Written::New(json!(["x\n", "y"]))),
            ("c".to_owned(), Written::New(json!([]))),
        ];
        let cases = [
            ("{\"a\": 1}", "{\"a\":1.0e5,\"b\":[\"x\\n\",\"y\"],\"c\":[]}"),
            (
                "{\n \"a\": 1\n}",
                "{\n  \"a\": 1.0e5,\n  \"b\": [\n   \"x\\n\",\n   \"y\"\n  ],\n  \"c\": []\n }",
            ),
            (
                "{\r\n\t\"a\": 1\r\n}",
                "{\r\n\t\t\"a\": 1.0e5,\r\n\t\t\"b\": [\r\n\t\t\t\"x\\n\",\r\n\t\t\t\"y\"\r\n\t\t],\r\n\t\t\"c\": []\r\n\t}",
            ),
        ];
        for (surroundings, expected) in cases {
            assert_eq!(Layout::of(surroundings).object(&members, 1), expected, "{surroundings:?}");
        }
    }
}
