//! The rollout files of Codex (0.118 – 0.144 as recorded): JSON lines of `{timestamp, type, payload}`, of which
//! `response_item` carries the conversation as items of the Responses API.
//!
//! There is no id of an answer: its calls are those with no result or text of a person in between. `event_msg` lines
//! tell how a command ended, before its result.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::format::{self, Particulars, Unread};
use super::gather::Gather;
use super::object::Object;
use super::shape::item;
use super::spoken::{Place, Speaker, Spoken};
use super::timing::{self, Millis};
use crate::transcript::{Outcome, RepairKind, Repairs, Transcript, lines};

pub(super) const FORMAT: Particulars = Particulars {
    word: "codex",
    title: "Codex rollout",
    tells: |line| !line.kind().is_empty() && line.has("payload"),
    reader: format::Reader::Lines(read),
};

/// Kinds of lines and of events that a replay needs nothing of.
const SILENT: [&str; 3] = ["world_state", "session_state", "ghost_snapshot"];

/// How a call ended, as an event tells it.
#[derive(Default, Clone, Copy)]
struct Ending {
    took_ms: Option<u64>,
    failed: bool,
}

#[derive(Default)]
struct Reader {
    gather: Gather,
    model: Option<String>,
    endings: BTreeMap<String, Ending>,
    messages: usize,
}

/// Reads a rollout; the line and the reason when there is nothing to read.
fn read(bytes: &[u8], repairs: &mut Repairs) -> Result<Transcript, Unread> {
    let mut reader = Reader { gather: Gather::new(FORMAT.word), ..Reader::default() };
    let tally = lines::read(bytes, repairs, &mut |number, text, repairs| {
        reader.line(number, &Object::try_parse(text)?, repairs);
        Ok(ControlFlow::Continue(()))
    });
    match tally.first_problem {
        Some(problem) if tally.objects == 0 => Err(problem),
        Some(_) | None => Ok(reader.gather.finish(repairs)),
    }
}

impl Reader {
    fn line(&mut self, number: usize, line: &Object<'_>, repairs: &mut Repairs) {
        let at = line.text("timestamp").as_deref().and_then(timing::parse);
        let kind = line.text("type").unwrap_or_default();
        let payload = line.object("payload").unwrap_or_default();
        match kind.as_str() {
            "session_meta" => self.meta(number, &payload, repairs),
            "turn_context" => {
                self.model = payload.word("model").or(self.model.take());
                self.gather.cwd = self.gather.cwd.take().or_else(|| payload.word("cwd"));
            }
            "response_item" => self.item(number, at, &payload, repairs),
            "event_msg" => self.event(number, &payload, repairs),
            "compacted" => {
                let detail = "the conversation was compacted here; the turns before and after were kept";
                repairs.note(Some(number), RepairKind::Compaction, detail);
            }
            kind if SILENT.contains(&kind) => {}
            _other => {
                let detail = format!("a line of the unknown type `{kind}` was left out");
                repairs.note(Some(number), RepairKind::UnknownLine, detail);
            }
        }
    }

    fn meta(&mut self, number: usize, payload: &Object<'_>, repairs: &mut Repairs) {
        let source = &mut self.gather.source;
        let id = payload.word("id");
        match (&source.session, &id) {
            (Some(first), Some(id)) if first != id => {
                let detail = format!("lines of session `{id}` were read as part of `{first}`");
                repairs.note(Some(number), RepairKind::SeveralSessions, detail);
            }
            (Some(_), _) => {}
            (None, _) => {
                source.session = id;
                source.tool_version = payload.word("cli_version");
                source.started_at = payload.word("timestamp");
                self.gather.cwd = payload.word("cwd");
            }
        }
    }

    fn item(&mut self, number: usize, at: Option<Millis>, payload: &Object<'_>, repairs: &mut Repairs) {
        self.messages += 1;
        if at.is_none() {
            let detail = "lines without a readable time; what depends on them is unknown, first here";
            repairs.tally(Some(number), RepairKind::MissingTime, detail);
        }
        let place = Place { line: Some(number), message: self.messages };
        let Some(mut spoken) = item(payload, place, repairs) else { return };
        spoken.at = at;
        spoken.model.clone_from(&self.model);
        for answered in &mut spoken.results {
            answered.at = at;
            let ending = answered.id.as_ref().and_then(|id| self.endings.remove(id)).unwrap_or_default();
            answered.took_ms = ending.took_ms;
            if let Outcome::Answered { is_error, .. } = &mut answered.outcome {
                *is_error |= ending.failed;
            }
        }
        if spoken.speaker == Speaker::User {
            by_person(&mut spoken);
        }
        self.gather.take(spoken, repairs);
    }

    /// Keeps how a call ended.
    fn event(&mut self, number: usize, payload: &Object<'_>, repairs: &mut Repairs) {
        let kind = payload.text("type").unwrap_or_default();
        let Some(id) = payload.word("call_id").filter(|_| kind.ends_with("_end")) else {
            if kind == "turn_aborted" {
                let detail = "a turn was interrupted here; its open calls have no result";
                repairs.note(Some(number), RepairKind::CutOffMessage, detail);
            }
            return;
        };
        let took_ms = payload.object("duration").and_then(|lasted| {
            let seconds = lasted.number("secs")? + lasted.number("nanos").unwrap_or(0.0) / 1e9;
            std::time::Duration::try_from_secs_f64(seconds).ok()
        });
        let failed = payload.number("exit_code").is_some_and(|code| code != 0.0)
            || payload.raw("success") == Some("false");
        let took_ms = took_ms.and_then(|lasted| u64::try_from(lasted.as_millis()).ok());
        self.endings.insert(id, Ending { took_ms, failed });
    }
}

/// Leaves out what the program writes in the person's name.
fn by_person(spoken: &mut Spoken) {
    const WRITTEN: [&str; 4] =
        ["<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>"];
    spoken.texts.retain(|text| !WRITTEN.iter().any(|start| text.trim_start().starts_with(start)));
}
