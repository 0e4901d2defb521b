//! Writes a transcript as the history of a conversation that the Messages API takes.
//!
//! The roles alternate and a user begins; each message of calls has right behind it one with a result for each of them,
//! in their order; names and ids have the letters that the API takes, inputs are objects.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Call, Content, Input, Json, Outcome, Repair, RepairKind, Repairs, Transcript};

/// What stands where the recording begins with the model.
const NO_PROMPT: &str = "(The recording does not have what was said here.)";
/// The result of a call that has none.
const NO_RESULT: &str = "The recording has no result of this call.";
/// The longest name of a tool that the API takes.
const NAME_BYTES_MAX: usize = 128;

/// A conversation as the Messages API takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// `{"messages": […]}` and a line end.
    pub text: String,
    /// What had to be mended for the API.
    pub repairs: Vec<Repair>,
}

#[derive(Serialize)]
struct Conversation<'a> {
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    content: Vec<Block<'a>>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
    },
    ToolUse {
        id: String,
        name: String,
        input: Box<RawValue>,
    },
    ToolResult {
        tool_use_id: String,
        content: Said<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Said<'a> {
    Text(&'a str),
    Blocks(&'a [Json]),
}

/// Writes the conversation of a transcript.
#[must_use]
pub fn history(transcript: &Transcript) -> History {
    let mut writer = Writer::default();
    for turn in &transcript.turns {
        if let Some(prompt) = turn.prompt.as_deref().filter(|prompt| !prompt.trim().is_empty()) {
            writer.push(Role::User, vec![Block::Text { text: prompt }]);
        }
        let texts = turn.text.as_deref().filter(|text| !text.trim().is_empty());
        let mut said: Vec<Block<'_>> = texts.map(|text| Block::Text { text }).into_iter().collect();
        let mut results = Vec::new();
        for call in &turn.calls {
            let id = writer.id(&call.id);
            said.push(Block::ToolUse {
                id: id.clone(),
                name: writer.name(&call.name),
                input: writer.input(call),
            });
            results.push(writer.result(id, call));
        }
        writer.push(Role::Assistant, said);
        writer.push(Role::User, results);
    }
    let conversation = Conversation { messages: writer.messages };
    let mut text = serde_json::to_string(&conversation).expect("messages have string keys only");
    text.push('\n');
    History { text, repairs: writer.repairs.finish() }
}

#[derive(Default)]
struct Writer<'a> {
    messages: Vec<Message<'a>>,
    ids: BTreeSet<String>,
    repairs: Repairs,
}

impl<'a> Writer<'a> {
    /// Adds what one side says, to its last message if nothing was said in between.
    fn push(&mut self, role: Role, mut content: Vec<Block<'a>>) {
        if content.is_empty() {
            return;
        }
        if self.messages.is_empty() && role == Role::Assistant {
            self.repairs.note(None, RepairKind::MissingPrompt, "the recording begins with the model");
            self.push(Role::User, vec![Block::Text { text: NO_PROMPT }]);
        }
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.content.append(&mut content),
            Some(_) | None => self.messages.push(Message { role, content }),
        }
    }

    /// An id of letters that the API takes, which no other call has.
    fn id(&mut self, recorded: &str) -> String {
        let base = letters(recorded);
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let mut ids = std::iter::once(base.clone()).chain(numbered);
        let id = ids
            .find(|id| !id.is_empty() && !self.ids.contains(id))
            .expect("there are more numbers than calls");
        if id != recorded {
            let detail = format!("call `{recorded}` is `{id}` here, for the letters that the API takes");
            self.repairs.note(None, RepairKind::ReusedId, detail);
        }
        self.ids.insert(id.clone());
        id
    }

    fn name(&mut self, recorded: &str) -> String {
        let mut name = letters(recorded);
        name.truncate(NAME_BYTES_MAX);
        if name.is_empty() {
            super::UNNAMED.clone_into(&mut name);
        }
        if name != recorded {
            let detail =
                format!("the tool `{recorded}` is `{name}` here, for the letters that the API takes");
            self.repairs.note(None, RepairKind::MissingName, detail);
        }
        name
    }

    /// The arguments as an object.
    fn input(&mut self, call: &Call) -> Box<RawValue> {
        let wrapped = match &call.input {
            Input::Json(json) if json.get().trim_start().starts_with('{') => return json.raw().to_owned(),
            Input::Json(json) => format!("{{\"input\":{}}}", json.get()),
            Input::Text(text) => serde_json::json!({ "input": text }).to_string(),
        };
        let detail = format!("the input of call `{}` is no object and was put into one, as `input`", call.id);
        self.repairs.note(None, RepairKind::WrappedInput, detail);
        RawValue::from_string(wrapped).expect("an object around JSON is JSON")
    }

    fn result(&mut self, tool_use_id: String, call: &'a Call) -> Block<'a> {
        let content = match &call.outcome {
            Outcome::Answered { content: Content::Blocks(blocks), .. } => Said::Blocks(blocks),
            Outcome::Answered { content: Content::Text(text), .. }
            | Outcome::Denied { text, .. }
            | Outcome::Rejected { text, .. }
            | Outcome::Cancelled { text } => Said::Text(text),
            Outcome::Unanswered => {
                let detail = format!("call `{}` has no result; one that says so was made up", call.id);
                self.repairs.note(None, RepairKind::UnansweredCall, detail);
                Said::Text(NO_RESULT)
            }
        };
        Block::ToolResult { tool_use_id, content, is_error: call.outcome.is_error() }
    }
}

/// The text with `_` for all that is no letter, digit, `_` or `-`.
fn letters(text: &str) -> String {
    let taken = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    text.chars().map(|letter| if taken(letter) { letter } else { '_' }).collect()
}
