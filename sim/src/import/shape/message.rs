//! Messages with a role.

use super::block::{blocks, input, said, unreadable};
use crate::import::object::Object;
use crate::import::spoken::{Answered, Api, Asked, Place, Speaker, Spoken, arguments};
use crate::transcript::{Outcome, Repairs};

/// Reads a message of the Messages API or of chat completions.
pub(in crate::import) fn message(object: &Object<'_>, place: Place, repairs: &mut Repairs) -> Spoken {
    let role = object.text("role").unwrap_or_default();
    let speaker = match role.as_str() {
        "assistant" | "model" => Speaker::Assistant,
        "system" | "developer" => Speaker::System,
        "user" | "tool" | "function" | "environment" => Speaker::User,
        _other => {
            unreadable(place, &format!("its role `{role}` is unknown"), repairs);
            Speaker::System
        }
    };
    let mut spoken =
        Spoken { id: object.word("id"), model: object.word("model"), ..Spoken::new(place, speaker) };
    match role.as_str() {
        "tool" | "function" => {
            spoken.api = Some(Api::Chat);
            spoken.results.push(answered(object, place, repairs));
        }
        _speaks => {
            if let Some(raw) = object.raw("content").filter(|_| speaker != Speaker::System) {
                blocks(raw, &mut spoken, repairs);
            }
        }
    }
    if object.has("tool_calls") || object.has("function_call") {
        spoken.api = Some(Api::Chat);
    }
    for call in object.items("tool_calls").unwrap_or_default() {
        match Object::parse(call) {
            Some(call) => spoken.calls.push(tool_call(&call, place, repairs)),
            None => unreadable(place, "one of its calls is not one", repairs),
        }
    }
    if let Some(call) = object.object("function_call") {
        spoken.calls.push(function(None, &call, place, repairs));
    }
    spoken
}

/// A call: `{id, function: {name, arguments}}`, or `{id, function: name, arguments}`.
fn tool_call(call: &Object<'_>, place: Place, repairs: &mut Repairs) -> Asked {
    let id = call.word("id");
    match call.object("function").or_else(|| call.object("custom")) {
        Some(called) => function(id, &called, place, repairs),
        None => Asked { name: call.word("function"), ..function(id, call, place, repairs) },
    }
}

fn function(id: Option<String>, called: &Object<'_>, place: Place, repairs: &mut Repairs) -> Asked {
    let raw = called.raw("arguments").or_else(|| called.raw("input")).unwrap_or("\"\"");
    let input = match crate::import::object::text(raw) {
        Some(text) => arguments(text),
        None => input(raw, place, repairs),
    };
    Asked { id, name: called.word("name"), input }
}

/// A message that is the result of a call.
fn answered(object: &Object<'_>, place: Place, repairs: &mut Repairs) -> Answered {
    let listed = || object.items("tool_call_ids")?.first().copied().and_then(crate::import::object::text);
    Answered {
        id: object.word("tool_call_id").or_else(listed),
        name: object.word("name").or_else(|| object.word("function")),
        at: None,
        took_ms: None,
        outcome: Outcome::Answered {
            content: said(object.raw("content"), place, repairs),
            is_error: object.is_true("is_error"),
        },
    }
}
