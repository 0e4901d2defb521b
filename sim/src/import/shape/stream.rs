//! Answers of a model that came as events, put together.

use std::collections::BTreeMap;

use super::block::block;
use super::item;
use crate::import::object::Object;
use crate::import::spoken::{Api, Asked, Place, Speaker, Spoken, arguments};
use crate::transcript::{RepairKind, Repairs};

/// One answer, as far as its events have come.
#[derive(Default)]
pub(in crate::import) struct Stream {
    place: Place,
    /// What was said by events that are whole by themselves.
    whole: Vec<Spoken>,
    answer: Option<Answer>,
}

#[derive(Default)]
struct Answer {
    id: Option<String>,
    model: Option<String>,
    /// Pieces by the choice and their place in it.
    pieces: BTreeMap<(u64, u64), Piece>,
    is_ended: bool,
    api: Option<Api>,
    /// Blocks that came whole.
    blocks: Vec<String>,
}

#[derive(Default)]
struct Piece {
    text: String,
    is_call: bool,
    id: Option<String>,
    name: Option<String>,
    arguments: String,
}

impl Stream {
    pub(in crate::import) fn new(place: Place) -> Stream {
        Stream { place, ..Stream::default() }
    }

    /// Takes in the data of one event; says whether it is one of an answer.
    pub(in crate::import) fn event(&mut self, event: &Object<'_>, repairs: &mut Repairs) -> bool {
        let kind = event.text("type").unwrap_or_default();
        match kind.as_str() {
            "message_start" => {
                self.end(repairs);
                let message = event.object("message").unwrap_or_default();
                let (id, model) = (message.word("id"), message.word("model"));
                self.answer = Some(Answer { id, model, api: Some(Api::Messages), ..Answer::default() });
            }
            "content_block_start" => self.block_start(event),
            "content_block_delta" => self.block_delta(event),
            "message_stop" => self.answer().is_ended = true,
            "content_block_stop" | "message_delta" | "ping" => {}
            "response.output_item.done" => {
                let piece = event.object("item").and_then(|found| item(&found, self.place, repairs));
                self.whole.extend(piece);
            }
            kind if kind.starts_with("response.") => {}
            _chat if event.has("choices") => self.chunk(event, repairs),
            _other => return false,
        }
        true
    }

    fn answer(&mut self) -> &mut Answer {
        self.answer.get_or_insert_default()
    }

    fn block_start(&mut self, event: &Object<'_>) {
        let Some(raw) = event.raw("content_block") else { return };
        let found = Object::parse(raw).unwrap_or_default();
        let kind = found.text("type").unwrap_or_default();
        let index = index(event);
        match kind.as_str() {
            "text" | "tool_use" => {
                let piece = Piece {
                    text: found.text("text").unwrap_or_default(),
                    is_call: kind == "tool_use",
                    id: found.word("id"),
                    name: found.word("name"),
                    arguments: String::new(),
                };
                self.answer().pieces.insert((0, index), piece);
            }
            _whole => self.answer().blocks.push(raw.to_owned()),
        }
    }

    fn block_delta(&mut self, event: &Object<'_>) {
        let delta = event.object("delta").unwrap_or_default();
        let key = (0, index(event));
        let Some(piece) = self.answer().pieces.get_mut(&key) else { return };
        piece.text.push_str(&delta.text("text").unwrap_or_default());
        piece.arguments.push_str(&delta.text("partial_json").unwrap_or_default());
    }

    /// A piece of a chat completion.
    fn chunk(&mut self, event: &Object<'_>, repairs: &mut Repairs) {
        let id = event.word("id");
        if self.answer.as_ref().is_some_and(|answer| answer.is_ended && answer.id != id) {
            self.end(repairs);
        }
        let answer = self.answer();
        answer.api = Some(Api::Chat);
        answer.id = answer.id.take().or(id);
        answer.model = answer.model.take().or_else(|| event.word("model"));
        for choice in event.objects("choices") {
            let number = index(&choice);
            answer.is_ended |= choice.word("finish_reason").is_some();
            let delta = choice.object("delta").unwrap_or_default();
            if let Some(text) = delta.text("content") {
                answer.pieces.entry((number, 0)).or_default().text.push_str(&text);
            }
            for call in delta.objects("tool_calls") {
                let function = call.object("function").unwrap_or_default();
                let piece = answer.pieces.entry((number, index(&call) + 1)).or_default();
                piece.is_call = true;
                piece.id = piece.id.take().or_else(|| call.word("id"));
                piece.name = piece.name.take().or_else(|| function.word("name"));
                piece.arguments.push_str(&function.text("arguments").unwrap_or_default());
            }
        }
    }

    /// Ends the answer that the events are at.
    fn end(&mut self, repairs: &mut Repairs) {
        let Some(answer) = self.answer.take() else { return };
        if !answer.is_ended {
            let detail = format!("an answer in message {} was cut off before its end", self.place.message);
            repairs.note(self.place.line, RepairKind::CutOffMessage, detail);
        }
        let mut choices: BTreeMap<u64, Spoken> = BTreeMap::new();
        for ((choice, _), piece) in answer.pieces {
            let spoken = choices.entry(choice).or_insert_with(|| Spoken {
                id: answer
                    .id
                    .as_ref()
                    .map(|id| if choice == 0 { id.clone() } else { format!("{id}#{choice}") }),
                model: answer.model.clone(),
                api: answer.api,
                ..Spoken::new(self.place, Speaker::Assistant)
            });
            if !piece.is_call {
                spoken.texts.push(piece.text);
                continue;
            }
            // The events of a call without arguments have no piece of them.
            let text = if piece.arguments.is_empty() { "{}".to_owned() } else { piece.arguments };
            spoken.calls.push(Asked { id: piece.id, name: piece.name, input: arguments(text) });
        }
        for raw in &answer.blocks {
            let mut apart = Spoken::new(self.place, Speaker::Assistant);
            block(&Object::parse(raw).unwrap_or_default(), &mut apart, repairs);
        }
        self.whole.extend(choices.into_values());
    }

    /// The answers that the events were.
    pub(in crate::import) fn finish(mut self, repairs: &mut Repairs) -> Vec<Spoken> {
        self.end(repairs);
        self.whole
    }
}

fn index(object: &Object<'_>) -> u64 {
    object.raw("index").and_then(|raw| raw.parse().ok()).unwrap_or(0)
}
