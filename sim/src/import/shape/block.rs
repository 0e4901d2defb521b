//! Content blocks of a message.

use crate::import::object::{Object, items, text};
use crate::import::spoken::{Answered, Api, Asked, Place, Spoken};
use crate::transcript::{Content, Input, Json, Outcome, RepairKind, Repairs, content};

/// Blocks that say nothing that a replay needs.
const SILENT: [&str; 12] = [
    "thinking",
    "redacted_thinking",
    "reasoning",
    "refusal",
    "image",
    "image_url",
    "input_image",
    "document",
    "file",
    "input_file",
    "input_audio",
    "container_upload",
];

/// Reads the content of a message: a text, or a list of blocks.
pub(super) fn blocks(raw: &str, spoken: &mut Spoken, repairs: &mut Repairs) {
    if let Some(text) = text(raw) {
        spoken.texts.push(text);
        return;
    }
    let Some(items) = items(raw) else {
        unreadable(spoken.place, "its content is neither text nor blocks", repairs);
        return;
    };
    for raw in items {
        match Object::parse(raw) {
            Some(object) => block(&object, spoken, repairs),
            None => match text(raw) {
                Some(text) => spoken.texts.push(text),
                None => unreadable(spoken.place, "one of its blocks is not one", repairs),
            },
        }
    }
}

/// Reads one block.
pub(super) fn block(object: &Object<'_>, spoken: &mut Spoken, repairs: &mut Repairs) {
    let Place { line, message } = spoken.place;
    let kind = object.text("type").unwrap_or_default();
    if kind.ends_with("tool_use") || kind.ends_with("tool_result") {
        spoken.api = Some(Api::Messages);
    }
    match kind.as_str() {
        "text" | "input_text" | "output_text" => spoken.texts.extend(object.text("text")),
        "" if object.has("text") => spoken.texts.extend(object.text("text")),
        "tool_use" => spoken.calls.push(Asked {
            id: object.word("id"),
            name: object.word("name"),
            input: input(object.raw("input").unwrap_or("{}"), spoken.place, repairs),
        }),
        "tool_result" => spoken.results.push(Answered {
            id: object.word("tool_use_id"),
            name: None,
            at: None,
            took_ms: None,
            outcome: Outcome::Answered {
                content: said(object.raw("content"), spoken.place, repairs),
                is_error: object.is_true("is_error"),
            },
        }),
        kind if kind.ends_with("_tool_use") => provider_call(kind, spoken.place, repairs),
        // What came of a call that the provider ran is part of that call.
        kind if kind.ends_with("_tool_result") => {}
        kind if SILENT.contains(&kind) => {}
        _other => {
            let detail = format!("a block of the unknown type `{kind}` in message {message} was left out");
            repairs.note(line, RepairKind::UnknownField, detail);
        }
    }
}

/// Notes a call that no client answers.
pub(super) fn provider_call(kind: &str, place: Place, repairs: &mut Repairs) {
    let detail = format!("a `{kind}` in message {} was run by the provider and left out", place.message);
    repairs.note(place.line, RepairKind::ProviderCall, detail);
}

/// Arguments that are JSON as recorded.
pub(super) fn input(raw: &str, place: Place, repairs: &mut Repairs) -> Input {
    match Json::parse(raw) {
        Ok(json) => Input::Json(json),
        Err(error) => {
            let detail =
                format!("the input of a call in message {} was kept as text: {error}", place.message);
            repairs.note(place.line, RepairKind::KeptAsText, detail);
            Input::Text(raw.to_owned())
        }
    }
}

/// The content of a result.
pub(super) fn said(raw: Option<&str>, place: Place, repairs: &mut Repairs) -> Content {
    raw.map_or_else(|| Content::Text(String::new()), |raw| content(raw, place.line.unwrap_or(0), repairs))
}

pub(super) fn unreadable(place: Place, why: &str, repairs: &mut Repairs) {
    let detail = format!("message {} says nothing that can be read: {why}; left out", place.message);
    repairs.note(place.line, RepairKind::UnreadableMessage, detail);
}
