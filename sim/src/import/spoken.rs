//! What one message of any format says: texts, calls, results.

use super::timing::Millis;
use crate::transcript::{Input, Json, Outcome};

/// Where something stands in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The line, from 1; that on which the value begins, where one value holds many messages.
    pub(super) line: Option<usize>,
    /// The message, from 1.
    pub(super) message: usize,
}

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// The model.
    Assistant,
    /// A person, or the program with results.
    User,
    /// Instructions; no part of a replay.
    System,
}

/// Whether a message of the model is one of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Joins {
    /// It is.
    #[default]
    Nothing,
    /// It is a piece of the message before, if that is the model's and nothing was said in between.
    Previous,
}

/// A shape of messages that one provider's interface has and another's has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Api {
    /// Blocks of calls and results within messages.
    Messages,
    /// Calls beside the content, results as messages or items of their own.
    Chat,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spoken {
    pub(super) place: Place,
    pub(super) speaker: Speaker,
    pub(super) joins: Joins,
    /// Whose shape it is, if it shows.
    pub(super) api: Option<Api>,
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) at: Option<Millis>,
    pub(super) texts: Vec<String>,
    pub(super) calls: Vec<Asked>,
    pub(super) results: Vec<Answered>,
}

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) input: Input,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answered {
    /// The call's id, if the result has it.
    pub(super) id: Option<String>,
    /// The tool, if the result names it.
    pub(super) name: Option<String>,
    pub(super) at: Option<Millis>,
    /// How long it took, where the recording says so itself.
    pub(super) took_ms: Option<u64>,
    pub(super) outcome: Outcome,
}

impl Spoken {
    pub(super) fn new(place: Place, speaker: Speaker) -> Spoken {
        Spoken {
            place,
            speaker,
            joins: Joins::Nothing,
            api: None,
            id: None,
            model: None,
            at: None,
            texts: Vec::new(),
            calls: Vec::new(),
            results: Vec::new(),
        }
    }
}

/// Arguments that came as a text: JSON if it is an object, else the text.
pub(super) fn arguments(text: String) -> Input {
    match Json::parse(&text) {
        Ok(json) if json.get().trim_start().starts_with('{') => Input::Json(json),
        Ok(_) | Err(_) => Input::Text(text),
    }
}
