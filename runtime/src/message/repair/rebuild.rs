//! The conversation with its calls and results where they belong.

use std::collections::BTreeMap;

use super::pair::{Paired, Place};
use super::{Repair, RepairKind};
use crate::message::{Block, CallId, Message, Role, ToolResult};

/// What a call without a result is answered with.
const NO_RESULT: &str = "no result of this call was kept; it may have run, or not, or only in part";
/// What stands at the beginning when the model spoke first.
const NO_BEGINNING: &str = "(the beginning of this conversation was not kept)";

pub(super) fn rebuild(messages: Vec<Message>, paired: Paired, repairs: &mut Vec<Repair>) -> Vec<Message> {
    let mut rebuilt = Rebuilt {
        out: Vec::new(),
        unanswered: Vec::new(),
        results: take(&messages, &paired),
        facts: messages.iter().map(Facts::of).collect(),
    };
    for (at, message) in messages.into_iter().enumerate() {
        match message.role {
            Role::Assistant => rebuilt.assistant(at, message, &paired, repairs),
            Role::User => rebuilt.user(at, message, repairs),
        }
    }
    rebuilt.answer(None, repairs);
    if rebuilt.out.first().is_some_and(|first| first.role == Role::Assistant) {
        repairs.push(Repair::general(
            RepairKind::MissingBeginning,
            "the model spoke first; a note was put before",
        ));
        rebuilt.out.insert(0, Message::note(NO_BEGINNING));
    }
    rebuilt.out
}

/// The results that are kept, by their places.
fn take(messages: &[Message], paired: &Paired) -> BTreeMap<Place, ToolResult> {
    let places = paired.calls.values().filter_map(|(_, result)| *result);
    let results = places.filter_map(|place| match messages.get(place.0)?.content.get(place.1)? {
        Block::ToolResult(result) => Some((place, result.clone())),
        Block::Text(_) | Block::ToolUse(_) | Block::Other(_) => None,
    });
    results.collect()
}

struct Rebuilt {
    out: Vec<Message>,
    /// The calls of the last message, when it is the model's: their identifiers, and the places of their results.
    unanswered: Vec<(CallId, Option<Place>)>,
    results: BTreeMap<Place, ToolResult>,
    facts: Vec<Facts>,
}

/// What tells whether a result stood where it belongs, and in whose message.
struct Facts {
    role: Role,
    is_meta: bool,
    /// The place of the first block that says something and is no result.
    says_at: Option<usize>,
}

impl Facts {
    fn of(message: &Message) -> Facts {
        let says = |block: &Block| match block {
            Block::Text(text) => !text.trim().is_empty(),
            Block::Other(_) => true,
            Block::ToolUse(_) | Block::ToolResult(_) => false,
        };
        let says_at = message.content.iter().position(says);
        Facts { role: message.role, is_meta: message.is_meta, says_at }
    }

    /// Whether it is a message of the user that says nothing before this place.
    fn is_silent_before(&self, place: usize) -> bool {
        self.role == Role::User && self.says_at.is_none_or(|says_at| says_at > place)
    }
}

impl Rebuilt {
    fn assistant(&mut self, at: usize, message: Message, paired: &Paired, repairs: &mut Vec<Repair>) {
        let was_empty = message.content.is_empty();
        let mut content = Vec::new();
        let mut calls = Vec::new();
        for (index, block) in message.content.into_iter().enumerate() {
            match block {
                Block::ToolUse(mut call) => {
                    if let Some((id, result)) = paired.calls.get(&(at, index)) {
                        call.id = id.clone();
                        calls.push((id.clone(), *result));
                        content.push(Block::ToolUse(call));
                    }
                }
                // The pairing has it, or has said why not.
                Block::ToolResult(_) => {}
                Block::Text(text) if text.trim().is_empty() => repairs.push(empty_text()),
                other @ (Block::Text(_) | Block::Other(_)) => content.push(other),
            }
        }
        if content.is_empty() {
            repairs.extend(was_empty.then(|| empty_message("the model")));
            return;
        }
        self.unanswered.extend(calls);
        match self.out.last_mut().filter(|last| last.role == Role::Assistant) {
            Some(last) => {
                last.content.extend(content);
                let detail = "two messages of the model followed each other; they were made one";
                repairs.push(Repair::general(RepairKind::MergedMessages, detail));
            }
            None => self.out.push(Message { content, ..message }),
        }
    }

    fn user(&mut self, at: usize, message: Message, repairs: &mut Vec<Repair>) {
        let held_results = message.content.iter().any(|block| matches!(block, Block::ToolResult(_)));
        let was_empty = message.content.is_empty();
        let mut content = Vec::new();
        for block in message.content {
            match block {
                // The pairing has them, or has said why not.
                Block::ToolResult(_) | Block::ToolUse(_) => {}
                Block::Text(text) if text.trim().is_empty() => repairs.push(empty_text()),
                other @ (Block::Text(_) | Block::Other(_)) => content.push(other),
            }
        }
        if content.is_empty() && !held_results {
            if was_empty {
                repairs.push(empty_message("the user"));
            }
            return;
        }
        self.answer(Some(at), repairs);
        if content.is_empty() {
            return;
        }
        let answers = |last: &&mut Message| {
            held_results
                && last.is_meta == message.is_meta
                && matches!(last.content.first(), Some(Block::ToolResult(_)))
        };
        match self.out.last_mut().filter(answers) {
            Some(last) => last.content.extend(content),
            None => self.out.push(Message { content, ..message }),
        }
    }

    /// Puts the results of the last message's calls behind it. `next` is the message that stood behind it.
    fn answer(&mut self, next: Option<usize>, repairs: &mut Vec<Repair>) {
        let calls = std::mem::take(&mut self.unanswered);
        if calls.is_empty() {
            return;
        }
        let mut last: Option<Place> = None;
        let mut is_split = false;
        let mut is_meta = None;
        let mut content = Vec::new();
        for (id, place) in calls {
            let Some((place, mut result)) =
                place.and_then(|place| Some((place, self.results.remove(&place)?)))
            else {
                let detail = format!("the call `{id}` had no result; it got one that says so");
                repairs.push(Repair::of(RepairKind::MissingResult, &id, detail));
                content.push(Block::ToolResult(ToolResult::error(id, NO_RESULT)));
                continue;
            };
            if last.is_some_and(|last| place < last) || !self.follows(next, place) {
                let detail =
                    format!("the result of `{id}` did not stand in its place behind its call; it was moved");
                repairs.push(Repair::of(RepairKind::MovedResult, &id, detail));
            }
            is_split |= last.is_some_and(|last| place.0 != last.0);
            last = Some(place);
            is_meta.get_or_insert(self.facts[place.0].is_meta);
            result.tool_use_id = id;
            content.push(Block::ToolResult(result));
        }
        if is_split {
            let detail = "the results of one message's calls stood in several messages; they were made one";
            repairs.push(Repair::general(RepairKind::MergedMessages, detail));
        }
        self.out.push(Message { role: Role::User, content, is_meta: is_meta.unwrap_or(false) });
    }

    /// Whether nothing but results stands between the calls and this place.
    fn follows(&self, next: Option<usize>, (at, index): Place) -> bool {
        let Some(between) = next.and_then(|next| self.facts.get(next..at)) else { return false };
        between.iter().all(|facts| facts.is_silent_before(usize::MAX))
            && self.facts[at].is_silent_before(index)
    }
}

fn empty_text() -> Repair {
    Repair::general(RepairKind::Empty, "a text said nothing; it was left out")
}

fn empty_message(whose: &str) -> Repair {
    Repair::general(RepairKind::Empty, format!("a message of {whose} said nothing; it was left out"))
}
