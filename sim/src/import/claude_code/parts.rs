//! Takes a message apart, making up what a call must have and does not.

use super::collect::Use;
use super::line::{Block, Body, Part};
use crate::import::timing::Millis;
use crate::transcript::{Input, Json, RepairKind, Repairs, UNNAMED};

/// The parts of a message with their places; blocks that are none are noted.
pub(super) fn parts<'b>(number: usize, body: &'b Body<'_>, repairs: &mut Repairs) -> Vec<(usize, Part<'b>)> {
    let blocks = match body {
        Body::Text(text) => return vec![(0, Part::Text(text.clone()))],
        Body::Odd => return Vec::new(),
        Body::Blocks(blocks) => blocks,
    };
    let mut parts = Vec::with_capacity(blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        match block {
            Some(block) => parts.push((index, block.part())),
            None => {
                let detail = format!("block {index} of a message is not one and was left out");
                repairs.note(Some(number), RepairKind::UnreadableMessage, detail);
            }
        }
    }
    parts
}

pub(super) fn tool_use(
    number: usize,
    index: usize,
    at: Option<Millis>,
    block: &Block<'_>,
    repairs: &mut Repairs,
) -> Use {
    let id = block.id().unwrap_or_else(|| {
        let id = made_id(number, index);
        let detail = format!("a call without an id was called `{id}`");
        repairs.note(Some(number), RepairKind::MissingId, detail);
        id
    });
    let name = block.name().unwrap_or_else(|| {
        let detail = format!("call `{id}` does not name its tool; taken as `{UNNAMED}`");
        repairs.note(Some(number), RepairKind::MissingName, detail);
        UNNAMED.to_owned()
    });
    let raw = block.input().unwrap_or("null");
    let input = Json::parse(raw).map(Input::Json).unwrap_or_else(|error| {
        let detail = format!("the input of call `{id}` was kept as text: {error}");
        repairs.note(Some(number), RepairKind::KeptAsText, detail);
        Input::Text(raw.to_owned())
    });
    Use { line: number, at, id, name, input }
}

/// An id for what has none, the same on every reading of the file.
pub(super) fn made_id(number: usize, index: usize) -> String {
    format!("line-{number}-block-{index}")
}
