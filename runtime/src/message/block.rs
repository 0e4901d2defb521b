//! Messages and their blocks, read by hand so that inputs stay raw.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{CallId, Content, RawInput, ToolResult, ToolUse};

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person, or the runtime with results.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// What it says, in order.
    pub content: Vec<Block>,
    /// Whether it is a note of the system that a person did not type.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_meta: bool,
}

impl Message {
    /// What a person typed.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Message {
        Message { role: Role::User, content: vec![Block::Text(text.into())], is_meta: false }
    }

    /// A note of the program to the model, which no person typed.
    #[must_use]
    pub fn note(text: impl Into<String>) -> Message {
        Message { is_meta: true, ..Message::user(text) }
    }

    /// Whether a person said it: it is no note, and no results.
    #[must_use]
    pub fn is_from_person(&self) -> bool {
        let is_result = |block: &Block| matches!(block, Block::ToolResult(_));
        self.role == Role::User && !self.is_meta && !self.content.iter().any(is_result)
    }
}

/// One content block. Kinds not listed are kept as they came.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text(String),
    /// The model asks for a call.
    ToolUse(ToolUse),
    /// The answer to a call.
    ToolResult(ToolResult),
    /// Anything else, as it came.
    Other(Value),
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Block::Text(text) => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
            }
            Block::ToolUse(call) => {
                map.serialize_entry("type", "tool_use")?;
                map.serialize_entry("id", &call.id)?;
                map.serialize_entry("name", &call.name)?;
                map.serialize_entry("input", &call.input)?;
            }
            Block::ToolResult(result) => {
                map.serialize_entry("type", "tool_result")?;
                map.serialize_entry("tool_use_id", &result.tool_use_id)?;
                map.serialize_entry("content", &result.content)?;
                if result.is_error {
                    map.serialize_entry("is_error", &true)?;
                }
            }
            Block::Other(value) => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    map.serialize_entry(key, value)?;
                }
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(BlockVisitor)
    }
}

struct BlockVisitor;

impl<'de> Visitor<'de> for BlockVisitor {
    type Value = Block;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a content block: an object with a `type`")
    }

    /// Collects every field raw first: the `type` may come last, and a derived tagged enum would lose the raw input.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Block, A::Error> {
        let mut fields: Vec<(String, Box<RawValue>)> = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        let fields = Fields(fields);
        let kind: String = fields.parse("type")?.ok_or_else(|| de::Error::missing_field("type"))?;
        match kind.as_str() {
            "text" => Ok(Block::Text(fields.require("text")?)),
            "tool_use" => Ok(Block::ToolUse(ToolUse {
                id: fields.require::<CallId, _>("id")?,
                name: fields.require("name")?,
                input: fields.parse("input")?.unwrap_or_else(|| RawInput::new("{}")),
            })),
            "tool_result" => Ok(Block::ToolResult(ToolResult {
                tool_use_id: fields.require("tool_use_id")?,
                content: fields.parse("content")?.unwrap_or_else(|| Content::Text(String::new())),
                is_error: fields.parse("is_error")?.unwrap_or(false),
            })),
            _other => fields.into_other().map(Block::Other),
        }
    }
}

struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    fn parse<'a, T: Deserialize<'a>, E: de::Error>(&'a self, name: &str) -> Result<Option<T>, E> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, raw)| serde_json::from_str(raw.get()).map_err(de::Error::custom)).transpose()
    }

    fn require<'a, T: Deserialize<'a>, E: de::Error>(&'a self, name: &'static str) -> Result<T, E> {
        self.parse(name)?.ok_or_else(|| de::Error::missing_field(name))
    }

    fn into_other<E: de::Error>(self) -> Result<Value, E> {
        let parsed =
            self.0.into_iter().map(|(key, raw)| serde_json::from_str(raw.get()).map(|value| (key, value)));
        parsed.collect::<Result<_, _>>().map(Value::Object).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_stays_as_written_wherever_the_type_stands() {
        let text = r#"{"id":"t1","input":{"b" : 1.0, "a":1e2},"name":"Read","type":"tool_use"}"#;
        let block: Block = serde_json::from_str(text).expect("it is a block");
        let Block::ToolUse(call) = &block else { panic!("not a tool use: {block:?}") };
        assert_eq!(call.input.as_str(), r#"{"b" : 1.0, "a":1e2}"#);
    }

    #[test]
    fn a_block_of_an_unknown_kind_is_kept() {
        let text = r#"{"type":"server_tool_use","id":"s1"}"#;
        let block: Block = serde_json::from_str(text).expect("it is a block");
        let back: Value = serde_json::to_value(&block).expect("blocks serialise");
        assert_eq!(back, serde_json::from_str::<Value>(text).expect("it is JSON"));
    }

    #[test]
    fn a_block_without_a_type_or_an_id_is_refused() {
        for text in [r#"{"text":"x"}"#, r#"{"type":"tool_use","name":"Read"}"#, "[]", "3"] {
            assert!(serde_json::from_str::<Block>(text).is_err(), "{text}");
        }
    }
}
