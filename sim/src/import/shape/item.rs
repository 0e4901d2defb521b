//! Items of the Responses API, which the rollouts of Codex hold too.

use super::block::{input, provider_call, said};
use super::message;
use crate::import::object::Object;
use crate::import::spoken::{Answered, Api, Asked, Joins, Place, Speaker, Spoken, arguments};
use crate::transcript::{Content, Input, Json, Outcome, RepairKind, Repairs};

/// Reads an item; `None` for one that is no part of the conversation. What is no item is read as a message.
pub(in crate::import) fn item(object: &Object<'_>, place: Place, repairs: &mut Repairs) -> Option<Spoken> {
    let kind = object.text("type").unwrap_or_default();
    let call = |input| {
        let asked = Asked { id: object.word("call_id"), name: object.word("name"), input };
        let (joins, api) = (Joins::Previous, Some(Api::Chat));
        Some(Spoken { joins, api, calls: vec![asked], ..Spoken::new(place, Speaker::Assistant) })
    };
    match kind.as_str() {
        "function_call" => {
            let raw = object.raw("arguments").unwrap_or("\"\"");
            call(crate::import::object::text(raw).map_or_else(|| input(raw, place, repairs), arguments))
        }
        "custom_tool_call" => call(wrapped(object.text("input").unwrap_or_default(), place, repairs)),
        "local_shell_call" => {
            let raw = object.raw("action").unwrap_or("{}");
            let mut spoken = call(input(raw, place, repairs))?;
            spoken.calls[0].name = Some("local_shell".to_owned());
            Some(spoken)
        }
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            let results = vec![output(object, place, repairs)];
            Some(Spoken { results, api: Some(Api::Chat), ..Spoken::new(place, Speaker::User) })
        }
        "reasoning" | "item_reference" | "compaction" | "ghost_snapshot" => None,
        kind if kind.ends_with("_call") => {
            provider_call(kind, place, repairs);
            None
        }
        kind if kind.ends_with("_call_output") => None,
        "" | "message" => {
            let spoken = message(object, place, repairs);
            let joins = if spoken.speaker == Speaker::Assistant { Joins::Previous } else { Joins::Nothing };
            // Pieces of one answer have ids of their own.
            Some(Spoken { joins, id: None, ..spoken })
        }
        _other => {
            let detail = format!("an item of the unknown type `{kind}` was left out");
            repairs.note(place.line, RepairKind::UnknownLine, detail);
            None
        }
    }
}

/// Free text as the only field of an object, for a replay's tools take objects.
fn wrapped(text: String, place: Place, repairs: &mut Repairs) -> Input {
    let detail = "free text that a tool takes was put into an object as its `input`, first here";
    repairs.tally(place.line, RepairKind::WrappedInput, detail);
    let object = serde_json::json!({ "input": text }).to_string();
    Json::parse(&object).map_or(Input::Text(text), Input::Json)
}

/// What came of a call. Some outputs are a text of JSON that has the output and its exit code.
fn output(object: &Object<'_>, place: Place, repairs: &mut Repairs) -> Answered {
    let mut is_error = false;
    let mut content = said(object.raw("output"), place, repairs);
    if let Content::Text(text) = &content
        && let Some(inner) = Object::parse(text)
        && let (Some(output), Some(about)) = (inner.text("output"), inner.object("metadata"))
    {
        is_error = about.number("exit_code").is_some_and(|code| code != 0.0);
        content = Content::Text(output);
    }
    Answered {
        id: object.word("call_id"),
        name: None,
        at: None,
        took_ms: None,
        outcome: Outcome::Answered { content, is_error },
    }
}
