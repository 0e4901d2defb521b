//! Lines that the program writes for itself: what they tell beside the conversation.

use std::collections::BTreeMap;

use super::collect::{Message, Session, Use};
use super::line::Line;
use crate::import::object::Object;
use crate::import::shape::Stream;
use crate::import::spoken::{Place, Spoken};
use crate::import::timing::Millis;
use crate::transcript::{DeniedBy, RepairKind, Repairs};

/// Kinds of lines that say nothing that a replay needs.
const SILENT: [&str; 20] = [
    "agent-name",
    "ai-title",
    "attachment",
    "auth_status",
    "bridge-session",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "frame-link",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "queue-operation",
    "rate_limit_event",
    "summary",
    "tag",
    "tool_progress",
    "tool_use_summary",
    "worktree-state",
];

/// What was gathered of such lines.
#[derive(Default)]
pub(super) struct Told {
    /// Messages that stream, each from its beginning.
    streams: Vec<Streamed>,
    /// Who denied which call.
    pub(super) denied: BTreeMap<String, DeniedBy>,
    agents: Agents,
    /// Kinds of lines that the format does not have: where first, and how many.
    unknown: BTreeMap<String, (usize, usize)>,
}

/// What sub-agents did, as lines of progress tell it.
#[derive(Default)]
struct Agents {
    lines: usize,
    first_line: Option<usize>,
    calls: usize,
}

struct Streamed {
    line: usize,
    input_at: Option<Millis>,
    prompts: usize,
    mode: Option<String>,
    stream: Stream,
}

impl Session {
    /// Takes in a line of the program.
    pub(super) fn program(&mut self, line: &Line<'_>, repairs: &mut Repairs) {
        let kind = line.kind().unwrap_or_default();
        match kind.as_str() {
            "progress" => self.told.progress(line),
            "system" => self.system(line, repairs),
            "stream_event" => self.streamed(line, repairs),
            "result" => {
                for id in line.denials() {
                    // The list does not say why; nobody was there to ask.
                    self.told.denied.entry(id).or_insert(DeniedBy::Mode);
                }
            }
            kind if SILENT.contains(&kind) => {}
            _other => self.told.unknown.entry(kind).or_insert((line.number, 0)).1 += 1,
        }
    }

    fn system(&mut self, line: &Line<'_>, repairs: &mut Repairs) {
        match line.subtype().as_deref() {
            Some("compact_boundary") => {
                let detail = "the conversation was compacted here; the turns before and after were kept";
                repairs.note(Some(line.number), RepairKind::Compaction, detail);
            }
            Some("permission_denied") => {
                let Some((id, reason)) = line.denied() else { return };
                let by = match reason.as_str() {
                    "hook" => DeniedBy::Hook,
                    "classifier" => DeniedBy::Classifier,
                    "mode" | "asyncAgent" => DeniedBy::Mode,
                    _rule => DeniedBy::Rule,
                };
                self.told.denied.insert(id, by);
            }
            _other => {}
        }
    }

    fn streamed(&mut self, line: &Line<'_>, repairs: &mut Repairs) {
        let Some(event) = line.event().filter(|_| !line.is_sidechain()) else { return };
        if event.text("type").as_deref() == Some("message_start") {
            self.told.streams.push(Streamed {
                line: line.number,
                input_at: self.input_at,
                prompts: self.prompts.len(),
                mode: self.mode.clone(),
                stream: Stream::new(Place { line: Some(line.number), message: line.number }),
            });
        }
        if let Some(streamed) = self.told.streams.last_mut() {
            streamed.stream.event(&event, repairs);
        }
    }

    /// Adds what streamed and never came as a whole message, and tells what was kept out.
    pub(super) fn end(&mut self, repairs: &mut Repairs) {
        let Agents { lines, first_line, calls } = self.told.agents;
        if lines > 0 {
            let detail = format!(
                "{lines} lines of progress of sub-agents, from here on, were kept out of the turns ({calls} calls)"
            );
            repairs.note(first_line, RepairKind::Sidechain, detail);
        }
        for (kind, (line, lines)) in std::mem::take(&mut self.told.unknown) {
            let detail = format!("{lines} lines of the unknown type `{kind}`, from here on, were left out");
            repairs.note(Some(line), RepairKind::UnknownLine, detail);
        }
        for streamed in std::mem::take(&mut self.told.streams) {
            let Streamed { line, input_at, prompts, mode, stream } = streamed;
            // What is said of a message that did come as a whole is of no interest.
            let mut noted = Repairs::default();
            for spoken in stream.finish(&mut noted) {
                let Spoken { id, model, texts, calls, .. } = spoken;
                let id = id.unwrap_or_else(|| format!("line-{line}"));
                let known = self.messages.iter().any(|message| message.id == id);
                let uses: Vec<Use> = calls
                    .into_iter()
                    .filter_map(|asked| {
                        let id = asked.id?;
                        let name = asked.name?;
                        self.calls.insert(id.clone()).then_some(Use {
                            line,
                            at: None,
                            id,
                            name,
                            input: asked.input,
                        })
                    })
                    .collect();
                if uses.is_empty() {
                    continue;
                }
                let detail = format!("{} calls of message `{id}` came as a stream only", uses.len());
                repairs.note(Some(line), RepairKind::CutOffMessage, detail);
                match self.messages.iter_mut().find(|message| known && message.id == id) {
                    Some(message) => message.uses.extend(uses),
                    None => {
                        self.messages.push(Message {
                            id,
                            line,
                            model,
                            mode: mode.clone(),
                            texts,
                            uses,
                            at: None,
                            input_at,
                            prompts,
                        });
                    }
                }
            }
        }
        self.messages.sort_by_key(|message| message.line);
    }
}

impl Told {
    /// Counts the calls of a sub-agent that a line of progress tells of.
    fn progress(&mut self, line: &Line<'_>) {
        let Some(data) = line.data() else { return };
        if data.text("type").as_deref() != Some("agent_progress") {
            return;
        }
        let agents = &mut self.agents;
        agents.lines += 1;
        agents.first_line.get_or_insert(line.number);
        let inner = data.object("message").and_then(|wrapped| wrapped.object("message")).unwrap_or_default();
        let is_call = |block: &Object<'_>| block.text("type").as_deref() == Some("tool_use");
        agents.calls += inner.objects("content").iter().filter(|block| is_call(block)).count();
    }
}
