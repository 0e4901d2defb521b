//! A block that is still coming.

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright::message::{Block, Repair, ToolUse};
use toolwright::query::{BlockKind, Delta, ModelError, ModelErrorKind};

use super::wire::CallStart;
use crate::models::ids::CallIds;

/// A block, as far as it has come.
#[derive(Debug)]
pub(super) enum OpenBlock {
    Text(String),
    Call {
        call: ToolUse,
        /// The arguments that came in pieces, byte for byte; they stand in the place of those at the start.
        json: String,
    },
    Other {
        object: Map<String, Value>,
        input: String,
    },
}

/// What a block came to.
pub(super) enum Closed {
    Block(Block),
    /// A call without arguments: it may be one that has none, or one that was cut off before them. What comes next
    /// tells.
    Bare(ToolUse),
    /// A block that is no call of ours and cannot be sent back: its arguments are not JSON.
    CutOff(String),
}

impl OpenBlock {
    /// Begins a block, and says what its beginning already holds.
    pub(super) fn begin(
        raw: &RawValue,
        ids: &mut CallIds,
    ) -> Result<(OpenBlock, BlockKind, Option<Delta>, Option<Repair>), ModelError> {
        let mut object: Map<String, Value> = serde_json::from_str(raw.get()).map_err(|_error| malformed())?;
        let kind = object.get("type").and_then(Value::as_str).ok_or_else(malformed)?.to_owned();
        match kind.as_str() {
            "text" => {
                let text = match object.remove("text") {
                    Some(Value::String(text)) => text,
                    _none => String::new(),
                };
                let delta = (!text.is_empty()).then(|| Delta::Text(text.clone()));
                Ok((OpenBlock::Text(text), BlockKind::Text, delta, None))
            }
            "tool_use" => {
                let start: CallStart = serde_json::from_str(raw.get()).map_err(|_error| malformed())?;
                let name = start.name.unwrap_or_default();
                let (id, mended) = ids.take(start.id.as_deref().unwrap_or_default(), &name);
                let kind = BlockKind::ToolUse { id: id.clone(), name: name.clone() };
                let input = start.input.as_deref().map_or("{}", RawValue::get);
                let call = ToolUse::new(id.as_str(), name, input);
                Ok((OpenBlock::Call { call, json: String::new() }, kind, None, mended))
            }
            other => {
                let kind = match other {
                    "thinking" | "redacted_thinking" => BlockKind::Thinking,
                    _unknown => BlockKind::Other(other.to_owned()),
                };
                Ok((OpenBlock::Other { object, input: String::new() }, kind, None, None))
            }
        }
    }

    /// Takes a piece, and says what it adds.
    pub(super) fn add(&mut self, delta: Map<String, Value>) -> Result<Option<Delta>, ModelError> {
        let kind = delta.get("type").and_then(Value::as_str).ok_or_else(malformed)?.to_owned();
        let text = |name: &str| delta.get(name).and_then(Value::as_str).ok_or_else(malformed);
        match (self, kind.as_str()) {
            (OpenBlock::Text(so_far), "text_delta") => {
                let text = text("text")?;
                so_far.push_str(text);
                Ok(Some(Delta::Text(text.to_owned())))
            }
            (OpenBlock::Call { json, .. }, "input_json_delta") => {
                let piece = text("partial_json")?;
                json.push_str(piece);
                Ok(Some(Delta::Input(piece.to_owned())).filter(|_delta| !piece.is_empty()))
            }
            // A kind that is not known adds nothing that we could keep: text stays the text that it is.
            (OpenBlock::Text(_), _unknown) => Ok(None),
            (OpenBlock::Call { .. }, _unknown) => Err(malformed()),
            (OpenBlock::Other { input, .. }, "input_json_delta") => {
                input.push_str(text("partial_json")?);
                Ok(None)
            }
            (OpenBlock::Other { object, .. }, kind) => {
                let shown = (kind == "thinking_delta").then(|| text("thinking").map(str::to_owned));
                let shown = shown.transpose()?.map(Delta::Thinking);
                delta
                    .into_iter()
                    .filter(|(name, _)| name != "type")
                    .for_each(|(name, value)| merge(object, name, value));
                Ok(shown)
            }
        }
    }

    pub(super) fn close(self) -> Closed {
        match self {
            OpenBlock::Text(text) => Closed::Block(Block::Text(text)),
            OpenBlock::Call { call, json } if json.is_empty() => {
                if matches!(call.input.as_str().trim(), "{}" | "null" | "\"\"" | "") {
                    Closed::Bare(call)
                } else {
                    Closed::Block(Block::ToolUse(call))
                }
            }
            OpenBlock::Call { call, json } => {
                Closed::Block(Block::ToolUse(ToolUse::new(call.id.as_str(), call.name, json)))
            }
            OpenBlock::Other { mut object, input } => {
                if !input.is_empty() {
                    let Ok(input) = serde_json::from_str(&input) else {
                        let name = object.get("name").and_then(Value::as_str).unwrap_or("?");
                        return Closed::CutOff(name.to_owned());
                    };
                    object.insert("input".to_owned(), input);
                }
                Closed::Block(Block::Other(Value::Object(object)))
            }
        }
    }
}

/// Adds a field of a piece to a block: text to text, a citation to the citations, and anything else as it is.
fn merge(object: &mut Map<String, Value>, name: String, value: Value) {
    if name == "citation" {
        match object.get_mut("citations") {
            Some(Value::Array(citations)) => citations.push(value),
            _none => drop(object.insert("citations".to_owned(), Value::Array(vec![value]))),
        }
        return;
    }
    match (object.get_mut(&name), value) {
        (Some(Value::String(so_far)), Value::String(more)) => so_far.push_str(&more),
        (_, value) => drop(object.insert(name, value)),
    }
}

fn malformed() -> ModelError {
    ModelError::new(ModelErrorKind::Malformed, "a block of the answer is not in the Messages format")
}
