//! Gathers messages, results and what is known of the session, line by line.

use std::collections::{BTreeMap, BTreeSet};

use super::line::{Block, Body, Line, Part, Speaker};
use super::outcome::Answer;
use super::parts::{made_id, parts, tool_use};
use super::program::Told;
use crate::import::timing::{self, Millis};
use crate::transcript::{Content, Input, RepairKind, Repairs, Source, content};

/// What was gathered.
#[derive(Default)]
pub(super) struct Session {
    pub(super) source: Source,
    pub(super) cwd: Option<String>,
    /// Messages of the main conversation, by their first line.
    pub(super) messages: Vec<Message>,
    /// Results by the id of their call; the first of each. Boxed, since the nodes of a map have room to spare.
    pub(super) results: BTreeMap<String, Box<ResultLine>>,
    /// What the user wrote, in order.
    pub(super) prompts: Vec<String>,
    pub(super) sidechain: Sidechain,
    message_places: BTreeMap<String, usize>,
    /// Calls of the main conversation.
    pub(super) calls: BTreeSet<String>,
    sessions: BTreeSet<String>,
    pub(super) mode: Option<String>,
    pub(super) input_at: Option<Millis>,
    pub(super) told: Told,
}

/// What is kept of sub-agents: enough to count.
#[derive(Default)]
pub(super) struct Sidechain {
    pub(super) lines: usize,
    pub(super) first_line: Option<usize>,
    /// Messages with a call.
    pub(super) turns: BTreeSet<String>,
    pub(super) calls: BTreeSet<String>,
}

/// A response of the model.
pub(super) struct Message {
    pub(super) id: String,
    pub(super) line: usize,
    pub(super) model: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) texts: Vec<String>,
    pub(super) uses: Vec<Use>,
    /// When its first line was written, and the last line of input before that.
    pub(super) at: Option<Millis>,
    pub(super) input_at: Option<Millis>,
    /// How many of the prompts came before it.
    pub(super) prompts: usize,
}

/// A call.
pub(super) struct Use {
    pub(super) line: usize,
    pub(super) at: Option<Millis>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Input,
}

/// A result.
pub(super) struct ResultLine {
    pub(super) at: Option<Millis>,
    pub(super) is_sidechain: bool,
    pub(super) answer: Answer,
}

impl Session {
    /// Takes in one line.
    pub(super) fn take(&mut self, line: Line<'_>, repairs: &mut Repairs) {
        self.envelope(&line, repairs);
        let speaker = line.speaker();
        if line.is_sidechain() && speaker != Speaker::Program {
            self.sidechain.lines += 1;
            self.sidechain.first_line.get_or_insert(line.number);
        } else if let Some(mode) = line.permission_mode() {
            self.mode = Some(mode);
        }
        if speaker == Speaker::Program {
            self.program(&line, repairs);
            return;
        }
        let Some(message) = line.message() else {
            let detail = "a line of the conversation without a message was left out";
            repairs.note(Some(line.number), RepairKind::UnreadableMessage, detail);
            return;
        };
        let at = line.timestamp().as_deref().and_then(timing::parse);
        if at.is_none() {
            let detail = "lines without a readable time; what depends on them is unknown, first here";
            repairs.tally(Some(line.number), RepairKind::MissingTime, detail);
        }
        let body = message.body();
        if matches!(body, Body::Odd) {
            let detail = "a message whose content is neither text nor blocks was left out";
            repairs.note(Some(line.number), RepairKind::UnreadableMessage, detail);
        }
        match speaker {
            Speaker::Assistant => {
                let id = message.id().or_else(|| line.uuid());
                let id = id.unwrap_or_else(|| format!("line-{}", line.number));
                if line.is_sidechain() {
                    self.sidechain_message(line.number, id, body, repairs);
                } else {
                    self.message(&line, at, id, message.model(), body, repairs);
                }
            }
            Speaker::User => self.input(&line, at, body, repairs),
            Speaker::Program => {}
        }
    }

    /// Whether nothing but what a sub-agent did was told.
    pub(super) fn is_of_sub_agent(&self) -> bool {
        self.messages.is_empty() && self.prompts.is_empty() && !self.sidechain.calls.is_empty()
    }

    /// What any line may say of the session.
    fn envelope(&mut self, line: &Line<'_>, repairs: &mut Repairs) {
        let source = &mut self.source;
        if source.tool_version.is_none() {
            source.tool_version = line.version();
        }
        if source.started_at.is_none() {
            source.started_at = line.timestamp();
        }
        if self.cwd.is_none() {
            self.cwd = line.cwd();
        }
        let Some(session) = line.session_id() else { return };
        if self.sessions.contains(&session) {
            return;
        }
        match &source.session {
            None => source.session = Some(session.clone()),
            Some(first) => {
                let detail = format!("lines of session `{session}` were read as part of `{first}`");
                repairs.note(Some(line.number), RepairKind::SeveralSessions, detail);
            }
        }
        self.sessions.insert(session);
    }

    fn message(
        &mut self,
        line: &Line<'_>,
        at: Option<Millis>,
        id: String,
        model: Option<String>,
        body: Body<'_>,
        repairs: &mut Repairs,
    ) {
        let place = self.message_places.get(&id).copied().unwrap_or_else(|| {
            self.message_places.insert(id.clone(), self.messages.len());
            self.messages.push(Message {
                id,
                line: line.number,
                model: None,
                mode: self.mode.clone(),
                texts: Vec::new(),
                uses: Vec::new(),
                at,
                input_at: self.input_at,
                prompts: self.prompts.len(),
            });
            self.messages.len() - 1
        });
        let message = &mut self.messages[place];
        message.model = message.model.take().or(model);
        for (index, part) in parts(line.number, &body, repairs) {
            match part {
                Part::Text(text) if text.is_empty() => {}
                Part::Text(text) => message.texts.push(text),
                Part::ToolUse(block) => {
                    let used = tool_use(line.number, index, at, block, repairs);
                    if self.calls.insert(used.id.clone()) {
                        message.uses.push(used);
                    } else {
                        let detail = format!("a second call `{}` was left out", used.id);
                        repairs.note(Some(line.number), RepairKind::DuplicateCall, detail);
                    }
                }
                Part::ToolResult(_) => {
                    let detail = "a result in a message of the model was left out";
                    repairs.note(Some(line.number), RepairKind::UnreadableMessage, detail);
                }
                Part::Other => {}
            }
        }
    }

    fn sidechain_message(&mut self, number: usize, id: String, body: Body<'_>, repairs: &mut Repairs) {
        for (index, part) in parts(number, &body, repairs) {
            if let Part::ToolUse(block) = part {
                self.sidechain.turns.insert(id.clone());
                self.sidechain.calls.insert(block.id().unwrap_or_else(|| made_id(number, index)));
            }
        }
    }

    /// A line of the user: what was typed, and results of tools.
    fn input(&mut self, line: &Line<'_>, at: Option<Millis>, body: Body<'_>, repairs: &mut Repairs) {
        for (index, part) in parts(line.number, &body, repairs) {
            match part {
                Part::Text(text) => self.prompt(line, text),
                Part::ToolResult(block) => self.result(line, index, at, block, repairs),
                Part::ToolUse(_) => {
                    let detail = "a call in a message of the user was left out";
                    repairs.note(Some(line.number), RepairKind::UnreadableMessage, detail);
                }
                Part::Other => {}
            }
        }
        if !line.is_sidechain() {
            self.input_at = at;
        }
    }

    /// Keeps what a person wrote. The program writes in the user's name too; that is no prompt.
    fn prompt(&mut self, line: &Line<'_>, text: String) {
        let by_program = line.is_written_by_program() || text.starts_with("[Request interrupted by user");
        if !line.is_sidechain() && !by_program && !text.trim().is_empty() {
            self.prompts.push(text);
        }
    }

    fn result(
        &mut self,
        line: &Line<'_>,
        index: usize,
        at: Option<Millis>,
        block: &Block<'_>,
        repairs: &mut Repairs,
    ) {
        let id = block.tool_use_id().unwrap_or_else(|| made_id(line.number, index));
        if self.results.contains_key(&id) {
            let detail = format!("a second result of call `{id}` was left out");
            repairs.note(Some(line.number), RepairKind::DuplicateResult, detail);
            return;
        }
        // The words of sub-agents are not kept: only the ids of their results are counted.
        let is_kept = !line.is_sidechain() || self.calls.contains(&id);
        let content = match block.content() {
            Some(raw) if is_kept => content(raw, line.number, repairs),
            _ => Content::Text(String::new()),
        };
        let answer = Answer {
            line: line.number,
            content,
            is_error: block.is_error(),
            denial_kind: line.denial_kind(),
            kept_text: if block.is_error() { line.result_text() } else { None },
        };
        let result = ResultLine { at, is_sidechain: line.is_sidechain(), answer };
        self.results.insert(id, Box::new(result));
    }
}
