//! Writes a transcript file. The same transcript gives the same bytes.

use std::io;

use serde::Serialize;

use super::record::{CANCELLED, DENIED, REJECTED};
use super::{Call, Content, FileCounts, Header, Input, Json, Outcome, Transcript, Turn};

/// Writes a transcript, one JSON object a line.
///
/// # Errors
/// Those of `out`.
pub fn write(transcript: &Transcript, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(&header_record(&transcript.header).line())?;
    for turn in &transcript.turns {
        out.write_all(&turn_record(turn).line())?;
        for call in &turn.calls {
            out.write_all(&use_record(&turn.id, call).line())?;
        }
        for result in turn.calls.iter().filter_map(result_record) {
            out.write_all(&result.line())?;
        }
    }
    let end = Record::End { turns: transcript.turns.len(), calls: transcript.calls().count(), counts: None };
    out.write_all(&end.line())
}

/// The text of a transcript file.
pub fn to_text(transcript: &Transcript) -> String {
    let mut bytes = Vec::new();
    write(transcript, &mut bytes).expect("a vector takes every byte, and records have string keys only");
    String::from_utf8(bytes).expect("serde_json writes UTF-8")
}

/// One line. Optional fields are left out when there is nothing to say.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Record<'a> {
    Header {
        version: u32,
        source: SourceRecord<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cwd: Option<&'a str>,
        counts: CountsRecord,
    },
    Turn {
        id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        mode: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        prompt: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        think_ms: Option<u64>,
    },
    ToolUse {
        turn: &'a str,
        id: &'a str,
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        input: Option<&'a Json>,
        #[serde(skip_serializing_if = "Option::is_none")]
        input_text: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        arrived_ms: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        service_ms: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ended_ms: Option<u64>,
    },
    ToolResult {
        id: &'a str,
        content: ContentRecord<'a>,
        #[serde(skip_serializing_if = "is_false")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        service_ms: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ended_ms: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        allowed: Option<AllowedRecord<'a>>,
    },
    Permission {
        id: &'a str,
        decision: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<&'static str>,
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        feedback: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        service_ms: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ended_ms: Option<u64>,
    },
    End {
        turns: usize,
        calls: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        counts: Option<CountsRecord>,
    },
}

impl Record<'_> {
    /// The line, with its end.
    pub(super) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("records have string keys only");
        line.push(b'\n');
        line
    }
}

#[derive(Serialize)]
pub(super) struct SourceRecord<'a> {
    format: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct CountsRecord {
    sidechain_turns: usize,
    sidechain_calls: usize,
    calls_without_result: usize,
    results_without_call: usize,
}

#[derive(Serialize)]
pub(super) struct AllowedRecord<'a> {
    by: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ContentRecord<'a> {
    Text(&'a str),
    Blocks(&'a [Json]),
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl From<FileCounts> for CountsRecord {
    fn from(counts: FileCounts) -> CountsRecord {
        let FileCounts { sidechain_turns, sidechain_calls, calls_without_result, results_without_call } =
            counts;
        CountsRecord { sidechain_turns, sidechain_calls, calls_without_result, results_without_call }
    }
}

pub(super) fn header_record(header: &Header) -> Record<'_> {
    let source = &header.source;
    Record::Header {
        version: header.version,
        source: SourceRecord {
            format: &source.format,
            tool_version: source.tool_version.as_deref(),
            session: source.session.as_deref(),
            started_at: source.started_at.as_deref(),
        },
        cwd: header.cwd.as_deref(),
        counts: header.counts.into(),
    }
}

pub(super) fn turn_record(turn: &Turn) -> Record<'_> {
    Record::Turn {
        id: &turn.id,
        model: turn.model.as_deref(),
        mode: turn.mode.as_deref(),
        prompt: turn.prompt.as_deref(),
        text: turn.text.as_deref(),
        think_ms: turn.think_ms,
    }
}

pub(super) fn use_record<'a>(turn: &'a str, call: &'a Call) -> Record<'a> {
    let (input, input_text) = match &call.input {
        Input::Json(json) => (Some(json), None),
        Input::Text(text) => (None, Some(text.as_str())),
    };
    let (service_ms, ended_ms) = match &call.outcome {
        Outcome::Unanswered => (call.service_ms, call.ended_ms),
        Outcome::Answered { .. }
        | Outcome::Denied { .. }
        | Outcome::Rejected { .. }
        | Outcome::Cancelled { .. } => (None, None),
    };
    Record::ToolUse {
        turn,
        id: &call.id,
        name: &call.name,
        input,
        input_text,
        arrived_ms: call.arrived_ms,
        service_ms,
        ended_ms,
    }
}

pub(super) fn result_record(call: &Call) -> Option<Record<'_>> {
    let (id, service_ms, ended_ms) = (call.id.as_str(), call.service_ms, call.ended_ms);
    let permission = |decision, by, text, feedback| {
        Some(Record::Permission { id, decision, by, text, feedback, service_ms, ended_ms })
    };
    match &call.outcome {
        Outcome::Answered { content, is_error } => {
            let content = match content {
                Content::Text(text) => ContentRecord::Text(text),
                Content::Blocks(blocks) => ContentRecord::Blocks(blocks),
            };
            let allowed = call.allowed.as_ref().map(|allowed| AllowedRecord {
                by: &allowed.by,
                rule: allowed.rule.as_deref(),
                source: allowed.source.as_deref(),
            });
            Some(Record::ToolResult { id, content, is_error: *is_error, service_ms, ended_ms, allowed })
        }
        Outcome::Denied { by, text } => permission(DENIED, Some(by.word()), text, None),
        Outcome::Rejected { text, feedback } => permission(REJECTED, None, text, feedback.as_deref()),
        Outcome::Cancelled { text } => permission(CANCELLED, None, text, None),
        Outcome::Unanswered => None,
    }
}
