//! Blocks that are still coming: texts and calls, of which several may grow at once.

use std::collections::VecDeque;

use serde::de::IgnoredAny;
use toolwright::message::{Block, CallId, Repair, RepairKind, ToolUse};
use toolwright::query::{BlockKind, Delta, ModelError, ModelErrorKind, ModelEvent};

use super::decode::CallPiece;
use crate::models::ids::CallIds;
use crate::models::limits::BLOCKS_MAX;

/// The blocks of an answer. They are handed out in their order, each when it and those before it are whole.
pub(super) struct Blocks {
    ids: CallIds,
    /// How many blocks have been handed out or left out; the index of the first one in `open`.
    gone: usize,
    open: VecDeque<Open>,
}

enum Open {
    Text {
        text: String,
        is_whole: bool,
    },
    /// Thoughts are shown as they come and not kept: the format has no way to send them back.
    Thoughts,
    Call(OpenCall),
}

struct OpenCall {
    /// The number that the server gives it, where it does.
    number: Option<usize>,
    /// The identifier as the server gave it; empty where it gave none.
    given: String,
    id: CallId,
    name: String,
    arguments: String,
}

impl Blocks {
    pub(super) fn new(ids: CallIds) -> Blocks {
        Blocks { ids, gone: 0, open: VecDeque::new() }
    }

    /// Takes more of the text.
    pub(super) fn text(&mut self, more: &str, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if more.is_empty() {
            return Ok(());
        }
        if !matches!(self.open.back(), Some(Open::Text { is_whole: false, .. })) {
            self.push(Open::Text { text: String::new(), is_whole: false }, BlockKind::Text, out)?;
        }
        if let Some(Open::Text { text, .. }) = self.open.back_mut() {
            text.push_str(more);
        }
        out.push(ModelEvent::Delta { index: self.last(), delta: Delta::Text(more.to_owned()) });
        Ok(())
    }

    /// Takes more of what the model thinks.
    pub(super) fn thoughts(&mut self, more: &str, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if more.is_empty() {
            return Ok(());
        }
        if !matches!(self.open.back(), Some(Open::Thoughts)) {
            self.push(Open::Thoughts, BlockKind::Thinking, out)?;
        }
        out.push(ModelEvent::Delta { index: self.last(), delta: Delta::Thinking(more.to_owned()) });
        Ok(())
    }

    /// Takes a piece of a call.
    pub(super) fn call(&mut self, piece: &CallPiece, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let at = match self.place_of(piece) {
            Some(at) => at,
            None => self.begin_call(piece, out)?,
        };
        let index = self.gone + at;
        let Some(Open::Call(call)) = self.open.get_mut(at) else {
            return Err(malformed("a piece belongs to no call"));
        };
        let more = piece.arguments()?;
        if !more.is_empty() {
            call.arguments.push_str(&more);
            out.push(ModelEvent::Delta { index, delta: Delta::Input(more) });
        }
        Ok(())
    }

    /// The place of the call that a piece goes on with; nothing when it begins one.
    fn place_of(&self, piece: &CallPiece) -> Option<usize> {
        let calls = self.open.iter().enumerate().rev().filter_map(|(at, open)| match open {
            Open::Call(call) => Some((at, call)),
            Open::Text { .. } | Open::Thoughts => None,
        });
        let given = piece.id.as_deref().unwrap_or_default();
        let goes_on = |call: &OpenCall| {
            // Some servers give all calls the same number: another identifier with a name is another call.
            let is_other = !given.is_empty() && given != call.given && piece.name().is_some();
            match piece.index {
                Some(number) => call.number == Some(number) && !is_other,
                // Without a number, a name begins a call and nothing else does.
                None => piece.name().is_none() && (given.is_empty() || given == call.given),
            }
        };
        calls.into_iter().find(|(_, call)| goes_on(call)).map(|(at, _)| at)
    }

    fn begin_call(&mut self, piece: &CallPiece, out: &mut Vec<ModelEvent>) -> Result<usize, ModelError> {
        let name = piece.name().ok_or_else(|| malformed("a call has no name"))?.to_owned();
        let given = piece.id.clone().unwrap_or_default();
        let (id, mended) = self.ids.take(&given, &name);
        out.extend(mended.map(ModelEvent::Mended));
        let kind = BlockKind::ToolUse { id: id.clone(), name: name.clone() };
        let call = OpenCall { number: piece.index, given, id, name, arguments: String::new() };
        self.push(Open::Call(call), kind, out)?;
        Ok(self.open.len() - 1)
    }

    fn push(&mut self, open: Open, kind: BlockKind, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.gone + self.open.len() == BLOCKS_MAX {
            let detail = format!("the answer has more than {BLOCKS_MAX} blocks");
            return Err(ModelError::new(ModelErrorKind::TooLarge, detail));
        }
        if let Some(Open::Text { is_whole, .. }) = self.open.back_mut() {
            *is_whole = true;
        }
        // Another block begins: a call before it whose arguments are an object that is closed is whole, for nothing
        // that could follow would be JSON. Others may still grow.
        while self.open.front().is_some_and(Open::is_whole) {
            self.hand_out_first(out);
        }
        self.open.push_back(open);
        out.push(ModelEvent::BlockStarted { index: self.last(), kind });
        Ok(())
    }

    /// The answer is whole; or it was cut off by a limit, and its last call may not be.
    pub(super) fn finish(&mut self, is_cut: bool, out: &mut Vec<ModelEvent>) {
        while let Some(open) = self.open.front() {
            let is_last = self.open.len() == 1;
            if let Open::Call(call) = open
                && is_cut
                && is_last
                && call.arguments.trim().is_empty()
            {
                out.push(cut_off(call));
                self.open.pop_front();
                self.gone += 1;
            } else {
                self.hand_out_first(out);
            }
        }
    }

    fn hand_out_first(&mut self, out: &mut Vec<ModelEvent>) {
        let index = self.gone;
        self.gone += 1;
        let block = match self.open.pop_front() {
            Some(Open::Text { text, .. }) => Block::Text(text),
            Some(Open::Call(call)) => {
                Block::ToolUse(ToolUse::new(call.id.as_str(), call.name, call.arguments))
            }
            Some(Open::Thoughts) | None => return,
        };
        out.push(ModelEvent::Block { index, block });
    }

    fn last(&self) -> usize {
        (self.gone + self.open.len()).saturating_sub(1)
    }
}

impl Open {
    fn is_whole(&self) -> bool {
        match self {
            Open::Text { is_whole, .. } => *is_whole,
            Open::Thoughts => true,
            Open::Call(call) => {
                let arguments = call.arguments.trim();
                arguments.starts_with('{') && serde_json::from_str::<IgnoredAny>(arguments).is_ok()
            }
        }
    }
}

fn cut_off(call: &OpenCall) -> ModelEvent {
    ModelEvent::Mended(Repair {
        kind: RepairKind::CutOff,
        call: Some(call.id.clone()),
        detail: format!("a call of `{}` was cut off before its arguments; it was left out", call.name),
    })
}

fn malformed(what: &str) -> ModelError {
    let detail = format!("the answer is not in the chat-completions format: {what}");
    ModelError::new(ModelErrorKind::Malformed, detail)
}
