//! Reads a transcript file.
//!
//! What the format does not have is left out and noted; only a file without one line that can be read, and
//! one of a later version, are errors.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use toolwright::nearest::nearest;

use super::outcome::{self, answered, decided};
use super::record::Fields;
use super::{
    Call, FileCounts, Header, Input, Outcome, Repair, RepairKind, Repairs, Source, Transcript, Turn, UNNAMED,
    VERSION, lines,
};

/// Why a file is not a transcript that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No line of it could be read.
    #[error("no line could be read; line {line}: {reason}")]
    Unreadable {
        /// The first line that could not be read.
        line: usize,
        /// Why not.
        reason: String,
    },
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It was written by a later version.
    #[error(
        "line {line}: transcript version {found} is not one that this program reads (1 to {VERSION}); use the `toolwright` that wrote it"
    )]
    Version {
        /// The line of the header.
        line: usize,
        /// The version of the file.
        found: u64,
    },
}

/// Reads a transcript file, and says what had to be mended.
///
/// # Errors
/// See [`ReadError`].
pub fn read(bytes: &[u8]) -> Result<(Transcript, Vec<Repair>), ReadError> {
    let mut repairs = Repairs::default();
    let mut reader = Reader::default();
    let tally = lines::read(bytes, &mut repairs, &mut |line, text, repairs| {
        let fields = Fields::parse(line, text)?;
        Ok(reader.line(fields, repairs))
    });
    if let Some(error) = reader.failed {
        return Err(error);
    }
    if tally.objects == 0 {
        return Err(match tally.first_problem {
            Some((line, reason)) => ReadError::Unreadable { line, reason },
            None => ReadError::Empty,
        });
    }
    let transcript = reader.finish(&mut repairs);
    Ok((transcript, repairs.finish()))
}

#[derive(Default)]
struct Reader {
    header: Option<Header>,
    /// Whether the header says which program wrote the file.
    has_source: bool,
    turns: Vec<Turn>,
    turn_places: BTreeMap<String, usize>,
    calls: BTreeMap<String, CallPlace>,
    end: Option<End>,
    failed: Option<ReadError>,
}

struct CallPlace {
    turn: usize,
    call: usize,
    line: usize,
    answered: bool,
}

struct End {
    line: usize,
    turns: Option<usize>,
    calls: Option<usize>,
    counts: Option<FileCounts>,
}

/// The types of lines.
const KINDS: &[&str] = &["header", "turn", "tool_use", "tool_result", "permission", "end"];

impl Reader {
    fn line(&mut self, mut fields: Fields<'_>, repairs: &mut Repairs) -> ControlFlow<()> {
        let kind: String = fields.take("type", repairs).unwrap_or_default();
        match kind.as_str() {
            "header" => self.header(&mut fields, repairs),
            "turn" => self.turn(&mut fields, repairs),
            "tool_use" => self.tool_use(&mut fields, repairs),
            "tool_result" => self.result(&mut fields, repairs, answered),
            "permission" => self.result(&mut fields, repairs, decided),
            "end" => {
                let (line, turns) = (fields.line(), fields.take("turns", repairs));
                let counts = counts(&mut fields, repairs);
                self.end = Some(End { line, turns, calls: fields.take("calls", repairs), counts });
            }
            _ => {
                let meant = nearest(&kind, KINDS.iter().copied());
                let meant = meant.map(|kind| format!("; did you mean `{kind}`?")).unwrap_or_default();
                let detail = format!("a line of the unknown type `{kind}` was left out{meant}");
                repairs.note(Some(fields.line()), RepairKind::UnknownLine, detail);
                return ControlFlow::Continue(());
            }
        }
        fields.finish(repairs);
        if self.failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn header(&mut self, fields: &mut Fields<'_>, repairs: &mut Repairs) {
        let found: u64 = fields.take("version", repairs).unwrap_or(u64::from(VERSION));
        let Some(version) = u32::try_from(found).ok().filter(|version| (1..=VERSION).contains(version))
        else {
            self.failed.get_or_insert(ReadError::Version { line: fields.line(), found });
            return;
        };
        let source = fields.object_if_there("source", repairs);
        self.has_source |= source.is_some();
        let mut source = source.unwrap_or_else(|| fields.none());
        let counted = counts(fields, repairs).unwrap_or_default();
        let header = Header {
            version,
            source: Source {
                format: source.take("format", repairs).unwrap_or_else(|| Source::default().format),
                tool_version: source.take("tool_version", repairs),
                session: source.take("session", repairs),
                started_at: source.take("started_at", repairs),
            },
            cwd: fields.take("cwd", repairs),
            counts: counted,
        };
        source.finish(repairs);
        if self.header.is_some() {
            let detail = "a second header was left out";
            repairs.note(Some(fields.line()), RepairKind::UnknownLine, detail);
        } else {
            self.header = Some(header);
        }
    }

    fn turn(&mut self, fields: &mut Fields<'_>, repairs: &mut Repairs) {
        let turn = Turn {
            id: id(fields, repairs, "turn"),
            model: fields.take("model", repairs),
            mode: fields.take("mode", repairs),
            prompt: fields.take("prompt", repairs),
            text: fields.take("text", repairs),
            think_ms: fields.take("think_ms", repairs),
            calls: Vec::new(),
        };
        if self.turn_places.contains_key(&turn.id) {
            let detail = format!("a second turn `{}` was left out; its calls are the first one's", turn.id);
            repairs.note(Some(fields.line()), RepairKind::DuplicateTurn, detail);
            return;
        }
        self.add_turn(turn);
    }

    fn add_turn(&mut self, turn: Turn) -> usize {
        let place = self.turns.len();
        self.turn_places.insert(turn.id.clone(), place);
        self.turns.push(turn);
        place
    }

    fn tool_use(&mut self, fields: &mut Fields<'_>, repairs: &mut Repairs) {
        let line = Some(fields.line());
        let id = id(fields, repairs, "call");
        let turn_id: String = fields.take("turn", repairs).unwrap_or_default();
        let name = fields.take("name", repairs).unwrap_or_else(|| {
            repairs.note(line, RepairKind::MissingName, format!("call `{id}` has no `name`"));
            UNNAMED.to_owned()
        });
        let input_text: Option<String> = fields.take("input_text", repairs);
        let input = match (fields.json("input", repairs), input_text) {
            (Some(Ok(json)), None) => Input::Json(json),
            (Some(Err(text)), None) | (None, Some(text)) => Input::Text(text),
            (input, text) => {
                let detail = format!("call `{id}` needs either `input` or `input_text`");
                repairs.note(line, RepairKind::UnknownField, detail);
                match input {
                    Some(Ok(json)) => Input::Json(json),
                    Some(Err(text)) => Input::Text(text),
                    None => Input::Text(text.unwrap_or_default()),
                }
            }
        };
        let call = Call {
            id,
            name,
            input,
            arrived_ms: fields.take("arrived_ms", repairs),
            service_ms: fields.take("service_ms", repairs),
            ended_ms: fields.take("ended_ms", repairs),
            outcome: Outcome::Unanswered,
            allowed: None,
        };
        if self.calls.contains_key(&call.id) {
            let detail = format!("a second call `{}` was left out", call.id);
            repairs.note(line, RepairKind::DuplicateCall, detail);
            return;
        }
        let turn = self.turn_places.get(&turn_id).copied().unwrap_or_else(|| {
            let detail = format!("call `{}` is of turn `{turn_id}`, which was made for it", call.id);
            repairs.note(line, RepairKind::MissingTurn, detail);
            self.add_turn(Turn { id: turn_id, ..Turn::default() })
        });
        let calls = &mut self.turns[turn].calls;
        let place = CallPlace { turn, call: calls.len(), line: fields.line(), answered: false };
        self.calls.insert(call.id.clone(), place);
        calls.push(call);
    }

    fn result(
        &mut self,
        fields: &mut Fields<'_>,
        repairs: &mut Repairs,
        outcome: fn(&mut Fields<'_>, &mut Repairs) -> Option<Outcome>,
    ) {
        let line = Some(fields.line());
        let id = id(fields, repairs, "result");
        let outcome = outcome(fields, repairs);
        let (service_ms, ended_ms) = (fields.take("service_ms", repairs), fields.take("ended_ms", repairs));
        let allowed = outcome::allowed(fields, repairs);
        let Some(outcome) = outcome else { return };
        match self.calls.get_mut(&id) {
            Some(place) if !place.answered => {
                place.answered = true;
                let call = &mut self.turns[place.turn].calls[place.call];
                (call.outcome, call.service_ms, call.ended_ms) = (outcome, service_ms, ended_ms);
                call.allowed = allowed;
            }
            Some(_) => {
                let detail = format!("a second result of call `{id}` was left out");
                repairs.note(line, RepairKind::DuplicateResult, detail);
            }
            None => {
                let detail = format!("a result of call `{id}`, which was not made before, was left out");
                repairs.note(line, RepairKind::OrphanResult, detail);
            }
        }
    }

    /// The first call without an answer, in words, and how many more there are.
    fn unanswered(&self) -> Option<String> {
        let without = || self.calls.iter().filter(|(_, place)| !place.answered);
        let (id, first) = without().min_by_key(|(_, place)| place.line)?;
        let more = match without().count() - 1 {
            0 => String::new(),
            more => format!(", nor have {more} more"),
        };
        let line = first.line;
        Some(format!(": call `{id}` in line {line} has no `tool_result` or `permission` line{more}"))
    }

    fn finish(self, repairs: &mut Repairs) -> Transcript {
        let calls = self.calls.len();
        match &self.end {
            Some(End { line, turns, calls: ended, .. })
                if *turns != Some(self.turns.len()) || *ended != Some(calls) =>
            {
                let detail = format!(
                    "the end counts other than the {} turns and {calls} calls there are",
                    self.turns.len()
                );
                repairs.note(Some(*line), RepairKind::WrongCount, detail);
            }
            Some(_) => {}
            // Whoever writes by hand counts nothing; what a program wrote must have an end.
            None if !self.has_source && self.calls.values().all(|place| place.answered) => {}
            None => {
                let mut detail = "there is no `end` line, so the file may have been cut off".to_owned();
                detail.extend(self.unanswered());
                repairs.note(None, RepairKind::MissingEnd, detail);
            }
        }
        let mut header = self.header.unwrap_or_else(|| {
            repairs.note(None, RepairKind::MissingHeader, "there is no `header` line; one was made up");
            Header::default()
        });
        // A recording made live knows them at its end only.
        header.counts = self.end.and_then(|end| end.counts).unwrap_or(header.counts);
        Transcript { header, turns: self.turns }
    }
}

/// What the source file held, where the line says so.
fn counts(fields: &mut Fields<'_>, repairs: &mut Repairs) -> Option<FileCounts> {
    let mut counts = fields.object_if_there("counts", repairs)?;
    let mut count = |name| counts.take(name, repairs).unwrap_or(0);
    let counted = FileCounts {
        sidechain_turns: count("sidechain_turns"),
        sidechain_calls: count("sidechain_calls"),
        calls_without_result: count("calls_without_result"),
        results_without_call: count("results_without_call"),
    };
    counts.finish(repairs);
    Some(counted)
}

fn id(fields: &mut Fields<'_>, repairs: &mut Repairs, noun: &str) -> String {
    let line = fields.line();
    fields.take("id", repairs).unwrap_or_else(|| {
        let made = format!("line-{line}");
        let detail = format!("a {noun} without `id` was called `{made}`");
        repairs.note(Some(line), RepairKind::MissingId, detail);
        made
    })
}
