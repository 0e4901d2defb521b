//! Logs of what went to and came from a model: the Messages API, chat completions and the Responses API, as bare
//! messages, requests, answers, event streams, or exchanges recorded from HTTP.
//!
//! Each request repeats the conversation so far. [`talk`] takes it in once; [`document`] finds the values in the bytes,
//! [`exchange`] what each of them is.
//!
//! [`talk`]: self::talk
//! [`document`]: self::document
//! [`exchange`]: self::exchange

mod body;
mod document;
mod exchange;
mod talk;

use std::collections::BTreeSet;

use super::Format;
use super::detect::Sniff;
use super::format::{Particulars, Reader, Unread};
use super::spoken::Api;
use crate::transcript::{Repairs, Transcript};

pub(super) use document::{is_cassette, is_events};

pub(super) const MESSAGES: Particulars =
    Particulars { word: "messages", title: "Messages API log", tells: is_value, reader: Reader::Log };

pub(super) const CHAT_COMPLETIONS: Particulars =
    Particulars { word: "chat-completions", title: "chat-completions log", ..MESSAGES };

/// Whether a value is one of a log; whose, its messages show.
fn is_value(value: &Sniff) -> bool {
    let has = |name| value.has(name);
    match value.kind() {
        "" => {
            ["traj", "messages", "choices", "role"].into_iter().any(has)
                || has("request") && has("response")
                || has("object") && has("output")
        }
        "message" => has("role"),
        "message_start" | "function_call" | "function_call_output" => true,
        _other => false,
    }
}

/// Whether the first item of a list makes it a log.
pub(super) fn is_item(first: &Sniff) -> bool {
    let telling = ["role", "traj", "messages", "choices", "request", "call_id"];
    telling.into_iter().any(|name| first.has(name))
}

/// A log that was read.
pub(super) struct Log {
    pub(super) transcript: Transcript,
    /// Whose shapes it has.
    pub(super) apis: BTreeSet<Api>,
}

/// Reads a log; the reason and the line when it cannot be read at all.
pub(super) fn read(bytes: &[u8], repairs: &mut Repairs) -> Result<Log, Unread> {
    let mut talk = talk::Talk::default();
    document::each(bytes, repairs, &mut |place, document, repairs| {
        exchange::take(place, document, &mut talk, repairs);
    })?;
    Ok(talk.finish(repairs))
}

/// The format of a log by whose shapes it has; `None` when it has both, or neither.
pub(super) fn format(apis: &BTreeSet<Api>) -> Option<Format> {
    match (apis.contains(&Api::Messages), apis.contains(&Api::Chat)) {
        (true, false) => Some(Format::Messages),
        (false, true) => Some(Format::ChatCompletions),
        (true, true) | (false, false) => None,
    }
}
