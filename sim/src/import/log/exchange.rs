//! What a value of a log is: an exchange, a request, an answer, a message, an event, a conversation.

use super::body::body;
use super::document::{Document, is_events};
use super::talk::{History, Talk};
use crate::import::object::Object;
use crate::import::shape::{Stream, item, message};
use crate::import::spoken::{Api, Joins, Place, Speaker, Spoken};
use crate::transcript::{RepairKind, Repairs};

/// Takes one value in.
pub(super) fn take(place: Place, document: &Document<'_>, talk: &mut Talk, repairs: &mut Repairs) {
    let value = match document {
        Document::Value(value) => value,
        Document::Events(text) => return talk.exchange(None, events(text, place, repairs), repairs),
    };
    if let Some(traj) = value.items("traj") {
        return talk.conversation(messages(&traj, place, repairs), repairs);
    }
    if let (Some(asked), Some(answered)) = (value.raw("request"), value.raw("response")) {
        let asked = body(asked, place, repairs);
        let request = asked.as_deref().and_then(Object::parse);
        let answered =
            body(answered, place, repairs).map_or_else(Vec::new, |text| answer(&text, place, repairs));
        return match request {
            Some(request) => talk.exchange(Some(history(&request, place, repairs)), answered, repairs),
            None => talk.exchange(None, answered, repairs),
        };
    }
    if value.has("messages") || (value.has("input") && value.has("model") && !value.has("output")) {
        let asked = history(value, place, repairs);
        let answered = value.raw("response").map_or_else(Vec::new, |raw| answer(raw, place, repairs));
        let beside = answered_by(value, place, repairs).unwrap_or_default();
        return talk.exchange(Some(asked), if answered.is_empty() { beside } else { answered }, repairs);
    }
    if let Some(answered) = answered_by(value, place, repairs) {
        return talk.exchange(None, answered, repairs);
    }
    if talk.event(value, place, repairs) {
        return;
    }
    match item(value, place, repairs) {
        Some(spoken) if value.has("role") || spoken.api.is_some() => talk.said(spoken),
        Some(_) | None => {
            let detail = format!("value {} is no message, request or answer; left out", place.message);
            repairs.note(place.line, RepairKind::UnknownLine, detail);
        }
    }
}

/// What a request says: the conversation so far.
fn history(request: &Object<'_>, place: Place, repairs: &mut Repairs) -> History {
    let listed = request.items("messages").or_else(|| request.items("input"));
    let mut said = listed.map_or_else(Vec::new, |items| messages(&items, place, repairs));
    if let Some(prompt) = request.text("input") {
        said.push(Spoken { texts: vec![prompt], ..Spoken::new(place, Speaker::User) });
    }
    History { said, follows: request.word("previous_response_id") }
}

/// Messages or items of a list.
fn messages(list: &[&str], place: Place, repairs: &mut Repairs) -> Vec<Spoken> {
    let read = list.iter().filter_map(|raw| match Object::parse(raw) {
        Some(object) => item(&object, place, repairs),
        None => {
            let detail = format!("a message of value {} is none and was left out", place.message);
            repairs.note(place.line, RepairKind::UnreadableMessage, detail);
            None
        }
    });
    // Only the items of the Responses API are pieces of one answer; messages stand for themselves.
    let mut said: Vec<Spoken> = read.collect();
    let is_items = list.iter().any(|raw| Object::parse(raw).is_some_and(|object| object.has("call_id")));
    if !is_items {
        said.iter_mut().for_each(|spoken| spoken.joins = Joins::Nothing);
    }
    said
}

/// The answer that a value is; `None` when it is none.
fn answered_by(value: &Object<'_>, place: Place, repairs: &mut Repairs) -> Option<Vec<Spoken>> {
    let id = value.word("id");
    let model = value.word("model");
    if value.text("object").as_deref() == Some("chat.completion.chunk") {
        return None;
    }
    if let Some(choices) = value.items("choices") {
        let mut said = Vec::new();
        for (number, choice) in choices.into_iter().enumerate() {
            let choice = Object::parse(choice).unwrap_or_default();
            // A choice without a message is a piece of a stream.
            let spoken = message(&choice.object("message")?, place, repairs);
            let id = id.as_ref().map(|id| if number == 0 { id.clone() } else { format!("{id}#{number}") });
            said.push(Spoken { id, model: model.clone(), api: Some(Api::Chat), ..spoken });
        }
        return Some(said);
    }
    if value.text("type").as_deref() == Some("message") && value.text("role").as_deref() == Some("assistant")
    {
        let spoken = message(value, place, repairs);
        return Some(vec![Spoken { api: Some(Api::Messages), ..spoken }]);
    }
    let output = value.items("output").filter(|_| value.text("object").as_deref() == Some("response"))?;
    let mut said: Vec<Spoken> = output
        .into_iter()
        .filter_map(Object::parse)
        .filter_map(|found| item(&found, place, repairs))
        .collect();
    for (number, spoken) in said.iter_mut().enumerate() {
        spoken.joins = if number == 0 { Joins::Nothing } else { Joins::Previous };
        spoken.id = id.clone().filter(|_| number == 0);
        spoken.model.clone_from(&model);
        spoken.api = Some(Api::Chat);
    }
    Some(said)
}

/// The answers that a text of events is.
fn events(text: &str, place: Place, repairs: &mut Repairs) -> Vec<Spoken> {
    let mut stream = Stream::new(place);
    let mut data = String::new();
    let mut take = |data: &mut String, repairs: &mut Repairs| {
        let event = std::mem::take(data);
        if event.trim().is_empty() || event.trim() == "[DONE]" {
            return;
        }
        match Object::parse(&event) {
            Some(object) => {
                if !stream.event(&object, repairs) {
                    let detail =
                        format!("an event of an unknown type in value {} was left out", place.message);
                    repairs.note(place.line, RepairKind::UnknownLine, detail);
                }
            }
            None => {
                let detail = format!("an event of value {} is no JSON and was left out", place.message);
                repairs.note(place.line, RepairKind::UnreadableLine, detail);
            }
        }
    };
    for line in text.lines() {
        if let Some(piece) = line.strip_prefix("data:") {
            data.push_str(piece);
            data.push('\n');
        } else if line.is_empty() {
            take(&mut data, repairs);
        }
    }
    let last = text.lines().next_back().unwrap_or_default();
    let said = last.strip_prefix("data:").unwrap_or_default().trim();
    let is_whole =
        text.ends_with('\n') || last.is_empty() || said == "[DONE]" || Object::parse(said).is_some();
    // What an empty line does not end may be all there is of the last event.
    take(&mut data, repairs);
    if !is_whole {
        let detail = format!("the events of value {} end within one", place.message);
        repairs.note(place.line, RepairKind::CutOffMessage, detail);
    }
    stream.finish(repairs)
}

/// An answer: JSON, or a stream of events.
fn answer(raw: &str, place: Place, repairs: &mut Repairs) -> Vec<Spoken> {
    if is_events(raw.as_bytes()) {
        return events(raw, place, repairs);
    }
    let answered = Object::parse(raw).and_then(|value| answered_by(&value, place, repairs));
    answered.unwrap_or_else(|| {
        let detail = format!("the answer of exchange {} is none of a model and was left out", place.message);
        repairs.note(place.line, RepairKind::UnreadableMessage, detail);
        Vec::new()
    })
}
