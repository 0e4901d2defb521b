//! From the stream's chunks to the model's events.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright::query::{ModelError, ModelErrorKind, ModelEvent, StopReason, Usage};

use super::calls::Blocks;
use crate::models::exchange::Decode;
use crate::models::ids::CallIds;
use crate::models::refusal::{self, Said};
use crate::models::sse::SseEvent;

/// Reads one answer.
pub(super) struct Decoder {
    blocks: Blocks,
    has_begun: bool,
    is_finished: bool,
    is_whole: bool,
}

/// One chunk. What a server does not say is left out; some write `null` for it.
#[derive(Debug, Deserialize)]
struct Chunk {
    id: Option<String>,
    model: Option<String>,
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
    error: Option<ErrorSaid>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ErrorSaid {
    Words(String),
    Object(Said),
}

#[derive(Debug, Deserialize)]
struct Choice {
    index: Option<u64>,
    delta: Option<Piece>,
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Piece {
    content: Option<String>,
    refusal: Option<String>,
    #[serde(alias = "reasoning")]
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

/// A piece of a call.
#[derive(Debug, Deserialize)]
pub(super) struct CallPiece {
    pub(super) index: Option<usize>,
    pub(super) id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Debug, Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<TokenDetails>,
}

#[derive(Debug, Deserialize)]
struct TokenDetails {
    cached_tokens: Option<u64>,
}

impl CallPiece {
    pub(super) fn name(&self) -> Option<&str> {
        self.function.as_ref()?.name.as_deref().filter(|name| !name.is_empty())
    }

    /// The piece of the arguments: the text in the string, byte for byte; or, from servers that write no string, the
    /// JSON itself.
    pub(super) fn arguments(&self) -> Result<String, ModelError> {
        let raw = self.function.as_ref().and_then(|function| function.arguments.as_deref());
        match raw.map(RawValue::get) {
            None | Some("null") => Ok(String::new()),
            Some(string) if string.starts_with('"') => serde_json::from_str(string)
                .map_err(|error| malformed(&format!("the arguments of a call: {error}"))),
            Some(json) => Ok(json.to_owned()),
        }
    }
}

impl Tokens {
    fn usage(&self) -> Usage {
        let cached =
            self.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens).unwrap_or(0);
        Usage {
            input: self.prompt_tokens.unwrap_or(0).saturating_sub(cached),
            output: self.completion_tokens.unwrap_or(0),
            cache_read: cached,
            cache_write: 0,
        }
    }
}

impl Decoder {
    pub(super) fn new(ids: CallIds) -> Decoder {
        Decoder { blocks: Blocks::new(ids), has_begun: false, is_finished: false, is_whole: false }
    }

    fn choice(&mut self, choice: &Choice, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(piece) = &choice.delta {
            self.piece(piece, out)?;
        }
        if let Some(reason) = choice.finish_reason.as_deref().filter(|reason| !reason.is_empty())
            && !self.is_finished
        {
            self.is_finished = true;
            let reason = stop_reason(reason);
            self.blocks.finish(reason == StopReason::OutputLimit, out);
            out.push(ModelEvent::Stopped(reason));
        }
        Ok(())
    }

    fn piece(&mut self, piece: &Piece, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let text = [&piece.content, &piece.refusal].into_iter().flatten().filter(|text| !text.is_empty());
        let thoughts = piece.reasoning_content.as_deref().unwrap_or_default();
        let calls = piece.tool_calls.as_deref().unwrap_or_default();
        if self.is_finished && (text.clone().next().is_some() || !calls.is_empty()) {
            return Err(malformed("it goes on behind its end"));
        }
        self.blocks.thoughts(thoughts, out)?;
        for text in text {
            self.blocks.text(text, out)?;
        }
        calls.iter().try_for_each(|call| self.blocks.call(call, out))
    }
}

impl Decode for Decoder {
    fn event(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if event.data.trim() == "[DONE]" {
            self.end(out)?;
            self.is_whole = true;
            return Ok(());
        }
        let chunk: Chunk = event
            .object()
            .map_err(|error| malformed(&format!("a chunk is not what it should be: {error}")))?;
        match &chunk.error {
            Some(ErrorSaid::Object(said)) => return Err(refusal::in_stream(said)),
            Some(ErrorSaid::Words(words)) => {
                return Err(ModelError::new(ModelErrorKind::Other, words.as_str()));
            }
            None => {}
        }
        if !self.has_begun {
            self.has_begun = true;
            out.push(ModelEvent::Started { message: chunk.id, model: chunk.model });
        }
        // One answer was asked for; of others nothing is known.
        let choices = chunk.choices.iter().flatten();
        for choice in choices.filter(|choice| choice.index.unwrap_or(0) == 0) {
            self.choice(choice, out)?;
        }
        out.extend(chunk.usage.map(|tokens| ModelEvent::Usage(tokens.usage())));
        Ok(())
    }

    /// Some servers leave `[DONE]` out; without a reason to stop, the answer is not whole.
    fn end(&mut self, _out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.is_finished {
            return Ok(());
        }
        Err(ModelError::new(ModelErrorKind::Connection, "the answer broke off before it was whole"))
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }
}

fn stop_reason(name: &str) -> StopReason {
    match name {
        "stop" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::OutputLimit,
        "content_filter" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}

fn malformed(what: &str) -> ModelError {
    let detail = format!("the answer is not in the chat-completions format: {what}");
    ModelError::new(ModelErrorKind::Malformed, detail)
}
