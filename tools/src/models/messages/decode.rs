//! From the stream's events to the model's.

use toolwright::message::{Block, Repair, RepairKind, ToolUse};
use toolwright::query::{ModelError, ModelErrorKind, ModelEvent, StopReason, Usage};

use super::block::{Closed, OpenBlock};
use super::wire::Event;
use crate::models::exchange::Decode;
use crate::models::ids::CallIds;
use crate::models::limits::BLOCKS_MAX;
use crate::models::refusal;
use crate::models::sse::SseEvent;

/// Reads one answer.
pub(super) struct Decoder {
    ids: CallIds,
    has_begun: bool,
    usage: Usage,
    /// How many blocks have begun.
    blocks: usize,
    open: Option<OpenBlock>,
    /// The last block, when it is a call without arguments that may have been cut off before them.
    bare: Option<ToolUse>,
    is_whole: bool,
}

impl Decoder {
    pub(super) fn new(ids: CallIds) -> Decoder {
        let usage = Usage::default();
        Decoder { ids, has_begun: false, usage, blocks: 0, open: None, bare: None, is_whole: false }
    }

    fn start(&mut self, event: Event, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.has_begun {
            return Err(malformed("it begins twice"));
        }
        self.has_begun = true;
        let message = event.message.unwrap_or_default();
        if let Some(tokens) = &message.usage {
            tokens.put_into(&mut self.usage);
        }
        out.push(ModelEvent::Started { message: message.id, model: message.model });
        out.push(ModelEvent::Usage(self.usage));
        Ok(())
    }

    fn start_block(&mut self, event: &Event, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if !self.has_begun || self.open.is_some() || event.index != Some(self.blocks) {
            return Err(malformed("a block begins where none can"));
        }
        if self.blocks == BLOCKS_MAX {
            let detail = format!("the answer has more than {BLOCKS_MAX} blocks");
            return Err(ModelError::new(ModelErrorKind::TooLarge, detail));
        }
        // Another block begins, so that the one before was whole.
        self.release_bare(out);
        let raw = event.content_block.as_deref().ok_or_else(|| malformed("a block is empty"))?;
        let (open, kind, delta, mended) = OpenBlock::begin(raw, &mut self.ids)?;
        let index = self.blocks;
        self.blocks += 1;
        self.open = Some(open);
        out.extend(mended.map(ModelEvent::Mended));
        out.push(ModelEvent::BlockStarted { index, kind });
        out.extend(delta.map(|delta| ModelEvent::Delta { index, delta }));
        Ok(())
    }

    fn add(&mut self, event: Event, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let index = self.index_of_open(&event)?;
        let delta = event.delta.ok_or_else(|| malformed("a piece is empty"))?;
        let open = self.open.as_mut().expect("a block is open: its index was told");
        out.extend(open.add(delta)?.map(|delta| ModelEvent::Delta { index, delta }));
        Ok(())
    }

    fn stop_block(&mut self, event: &Event, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let index = self.index_of_open(event)?;
        match self.open.take().expect("a block is open: its index was told").close() {
            Closed::Block(block) => out.push(ModelEvent::Block { index, block }),
            Closed::Bare(call) => self.bare = Some(call),
            Closed::CutOff(name) => out.push(cut_off(&name, None)),
        }
        Ok(())
    }

    fn index_of_open(&self, event: &Event) -> Result<usize, ModelError> {
        let is_open =
            self.open.is_some() && event.index.and_then(|index| index.checked_add(1)) == Some(self.blocks);
        if is_open { Ok(self.blocks - 1) } else { Err(malformed("a piece belongs to no block")) }
    }

    fn message_delta(&mut self, event: &Event, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if !self.has_begun || self.open.is_some() {
            return Err(malformed("it ends within a block"));
        }
        if let Some(tokens) = &event.usage {
            tokens.put_into(&mut self.usage);
            out.push(ModelEvent::Usage(self.usage));
        }
        let reason = event.delta.as_ref().and_then(|delta| delta.get("stop_reason")?.as_str());
        let Some(reason) = reason.map(stop_reason) else { return Ok(()) };
        if matches!(reason, StopReason::OutputLimit | StopReason::ContextLimit) {
            let call = self.bare.take();
            out.extend(call.map(|call| cut_off(&call.name, Some(&call))));
        }
        self.release_bare(out);
        out.push(ModelEvent::Stopped(reason));
        Ok(())
    }

    fn release_bare(&mut self, out: &mut Vec<ModelEvent>) {
        let index = self.blocks.saturating_sub(1);
        let call = self.bare.take().map(|call| ModelEvent::Block { index, block: Block::ToolUse(call) });
        out.extend(call);
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if event.name == "ping" || event.data == "[DONE]" {
            return Ok(());
        }
        let event: Event = event
            .object()
            .map_err(|error| malformed(&format!("an event is not what it should be: {error}")))?;
        match event.kind.as_str() {
            "message_start" => self.start(event, out),
            "content_block_start" => self.start_block(&event, out),
            "content_block_delta" => self.add(event, out),
            "content_block_stop" => self.stop_block(&event, out),
            "message_delta" => self.message_delta(&event, out),
            "message_stop" if self.has_begun && self.open.is_none() => {
                self.release_bare(out);
                self.is_whole = true;
                Ok(())
            }
            "message_stop" => Err(malformed("it stops where it cannot")),
            "error" => Err(refusal::in_stream(&event.error.unwrap_or_default())),
            // The format grows; what is new says nothing to us.
            _unknown => Ok(()),
        }
    }

    fn end(&mut self, _out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let detail = "the answer broke off before it was whole";
        Err(ModelError::new(ModelErrorKind::Connection, detail))
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }
}

fn stop_reason(name: &str) -> StopReason {
    match name {
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::OutputLimit,
        "model_context_window_exceeded" => StopReason::ContextLimit,
        "stop_sequence" => StopReason::StopSequence,
        "refusal" => StopReason::Refused,
        "pause_turn" => StopReason::Paused,
        other => StopReason::Other(other.to_owned()),
    }
}

fn cut_off(name: &str, call: Option<&ToolUse>) -> ModelEvent {
    ModelEvent::Mended(Repair {
        kind: RepairKind::CutOff,
        call: call.map(|call| call.id.clone()),
        detail: format!("a call of `{name}` was cut off before its arguments were whole; it was left out"),
    })
}

fn malformed(what: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Malformed, format!("the answer is not in the Messages format: {what}"))
}
