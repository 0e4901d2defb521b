//! The content of a message or a result: text, or a list of blocks.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool result says to the model: text, or content blocks as the API takes them (`text`, `image`, …).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Blocks, each an object with a `type`.
    Blocks(Vec<Value>),
}

impl Content {
    /// The number of characters the model reads: of the text, or of the text blocks; other blocks count as nothing.
    #[must_use]
    pub fn chars(&self) -> usize {
        match self {
            Content::Text(text) => text.chars().count(),
            Content::Blocks(blocks) => blocks.iter().map(|block| block_text(block).chars().count()).sum(),
        }
    }

    /// Whether [`Content::chars`] is more than this; short texts need not be counted.
    pub(crate) fn has_more_chars_than(&self, most: usize) -> bool {
        match self {
            Content::Text(text) if text.len() <= most => false,
            Content::Text(_) | Content::Blocks(_) => self.chars() > most,
        }
    }

    /// The text of it: of all text blocks, one a line, where it is a list.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Content::Text(text) => text.clone(),
            Content::Blocks(blocks) => {
                blocks.iter().map(block_text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Content {
        Content::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Content {
        Content::Text(text.to_owned())
    }
}

fn block_text(block: &Value) -> &str {
    block.get("text").and_then(Value::as_str).unwrap_or_default()
}
