//! The session files of the Gemini CLI: one object whose messages hold calls and their results together.

use super::format::{Particulars, Reader};
use super::gather::Gather;
use super::object::{Object, text};
use super::spoken::{Answered, Asked, Place, Speaker, Spoken};
use super::timing;
use crate::transcript::{Content, Input, Json, Outcome, RepairKind, Repairs, Transcript};

pub(super) const FORMAT: Particulars = Particulars {
    word: "gemini",
    title: "Gemini CLI session",
    tells: |session| session.has("projectHash") && session.has("messages"),
    reader: Reader::Object(read),
};

/// Who writes the messages that are no part of the conversation.
const NOTES: [&str; 4] = ["info", "error", "warning", "about"];

/// Reads a session.
fn read(session: &Object<'_>, repairs: &mut Repairs) -> Transcript {
    let mut gather = Gather::new(FORMAT.word);
    gather.source.session = session.word("sessionId");
    gather.source.started_at = session.word("startTime");
    for (index, raw) in session.items("messages").unwrap_or_default().into_iter().enumerate() {
        let place = Place { line: None, message: index + 1 };
        match Object::parse(raw) {
            Some(object) => message(&object, place, &mut gather, repairs),
            None => {
                let detail = format!("message {} is no object and was left out", place.message);
                repairs.note(None, RepairKind::UnreadableMessage, detail);
            }
        }
    }
    gather.finish(repairs)
}

fn message(object: &Object<'_>, place: Place, gather: &mut Gather, repairs: &mut Repairs) {
    let kind = object.text("type").unwrap_or_default();
    let speaker = match kind.as_str() {
        "gemini" | "model" | "assistant" => Speaker::Assistant,
        "user" => Speaker::User,
        kind if NOTES.contains(&kind) => return,
        _other => {
            let detail = format!("message {} of the unknown type `{kind}` was left out", place.message);
            repairs.note(None, RepairKind::UnknownLine, detail);
            return;
        }
    };
    let at = object.text("timestamp").as_deref().and_then(timing::parse);
    if at.is_none() {
        let detail = "messages without a readable time; what depends on them is unknown, first here";
        repairs.tally(None, RepairKind::MissingTime, detail);
    }
    let mut spoken =
        Spoken { id: object.word("id"), model: object.word("model"), at, ..Spoken::new(place, speaker) };
    match object.raw("content") {
        Some(raw) if raw.starts_with('[') => {
            spoken.texts = object.objects("content").iter().filter_map(|part| part.text("text")).collect();
        }
        Some(raw) => spoken.texts.extend(text(raw)),
        None => {}
    }
    for raw in object.items("toolCalls").unwrap_or_default() {
        match Object::parse(raw) {
            Some(call) => tool_call(&call, &mut spoken, repairs),
            None => {
                let detail = format!("a call of message {} is no object and was left out", place.message);
                repairs.note(None, RepairKind::UnreadableMessage, detail);
            }
        }
    }
    gather.take(spoken, repairs);
}

fn tool_call(call: &Object<'_>, spoken: &mut Spoken, repairs: &mut Repairs) {
    let raw = call.raw("args").unwrap_or("{}");
    let input = Json::parse(raw).map(Input::Json).unwrap_or_else(|error| {
        let detail =
            format!("the input of a call in message {} was kept as text: {error}", spoken.place.message);
        repairs.note(None, RepairKind::KeptAsText, detail);
        Input::Text(raw.to_owned())
    });
    let id = call.word("id");
    spoken.calls.push(Asked { id: id.clone(), name: call.word("name"), input });
    if let Some(outcome) = outcome(call) {
        let at = call.text("timestamp").as_deref().and_then(timing::parse);
        // The time of a call is that of its message, whatever it took: only a later one says when it ended.
        let at = at.filter(|at| spoken.at.is_none_or(|began| *at > began));
        spoken.results.push(Answered { id, name: call.word("name"), at, took_ms: None, outcome });
    }
}

/// What came of a call; `None` when the file does not say.
fn outcome(call: &Object<'_>) -> Option<Outcome> {
    let status = call.text("status").unwrap_or_default();
    let text = result(call);
    match status.as_str() {
        "cancelled" => Some(Outcome::Cancelled { text: text.unwrap_or_else(|| "cancelled".to_owned()) }),
        "error" => {
            Some(Outcome::Answered { content: Content::Text(text.unwrap_or_default()), is_error: true })
        }
        _other => text.map(|text| Outcome::Answered { content: Content::Text(text), is_error: false }),
    }
}

/// The text of a result: the output or the error of each response, or the response as it is.
fn result(call: &Object<'_>) -> Option<String> {
    let responses = call.objects("result");
    let texts: Vec<String> = responses
        .iter()
        .filter_map(|part| {
            let Some(response) = part.object("functionResponse") else { return part.text("text") };
            let inner = response.object("response")?;
            let said = inner.text("output").or_else(|| inner.text("error"));
            said.or_else(|| response.raw("response").map(str::to_owned))
        })
        .collect();
    if texts.is_empty() { call.word("result") } else { Some(texts.join("\n")) }
}
