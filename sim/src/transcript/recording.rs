//! Writes the transcript of a session while it runs: a line as soon as there is something to say.
//!
//! What the model says comes from whoever asks it ([`Recording::asked`], [`Recording::heard`]); what becomes of its calls
//! comes from the session's events. A session that is cut off anywhere leaves a file that can be read: a call without a
//! line that answers it is one that nobody answered.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolwright::env::Tick;
use toolwright::event::{Event, EventSink, Verdict};
use toolwright::message::{self, Block, CallId, ToolUse, TurnId};
use toolwright::query::ModelEvent;

use super::open_call::{Open, millis};
use super::write::{self, Record};
use super::{Call, FileCounts, Header, Input, Json, Outcome, Turn};

/// What stands in the place of a key.
const HIDDEN: &[u8] = b"[secret]";
/// What is shorter is no key, and is found in too many words.
const SECRET_BYTES_MIN: usize = 8;

/// A transcript that is being written. It is an event sink of the session it is of.
pub struct Recording(Mutex<State>);

struct State {
    out: Box<dyn Write + Send>,
    secrets: Vec<Vec<u8>>,
    mode: Option<String>,
    prompt: Vec<String>,
    message: Message,
    calls: BTreeMap<CallId, Open>,
    /// The identifiers that are in the file: a provider may use one twice in a session.
    written: BTreeSet<String>,
    turns: usize,
    sidechain_turns: BTreeSet<TurnId>,
    sidechain_calls: usize,
    failed: Option<io::Error>,
}

/// The message that the model is at, or was last.
#[derive(Default)]
struct Message {
    asked: Option<Tick>,
    thought: Option<u64>,
    id: Option<String>,
    model: Option<String>,
    text: Vec<String>,
    uses: BTreeMap<CallId, ToolUse>,
    /// Its turn, once it has one: its identifier in the file, and when its first call arrived.
    turn: Option<(String, Tick)>,
}

impl Recording {
    /// Begins a transcript. Nothing else need be flushed: each line goes out in one piece.
    ///
    /// # Errors
    /// Those of `out`: what cannot be written on is told before anything runs.
    pub fn new(mut out: impl Write + Send + 'static, header: &Header) -> io::Result<Recording> {
        out.write_all(&write::header_record(header).line())?;
        out.flush()?;
        Ok(Recording(Mutex::new(State {
            out: Box::new(out),
            secrets: Vec::new(),
            mode: None,
            prompt: Vec::new(),
            message: Message::default(),
            calls: BTreeMap::new(),
            written: BTreeSet::new(),
            turns: 0,
            sidechain_turns: BTreeSet::new(),
            sidechain_calls: 0,
            failed: None,
        })))
    }

    /// A text that must not stand in the file, wherever it comes from, such as a key that a command prints.
    pub fn hide(&self, secret: &str) {
        // Where it stands in a string of JSON.
        let escaped = serde_json::to_string(secret).expect("a text serialises");
        let inner = &escaped[1..escaped.len() - 1];
        if inner.len() >= SECRET_BYTES_MIN {
            self.lock().secrets.push(inner.as_bytes().to_vec());
        }
    }

    /// The permission mode that is in force from now on.
    pub fn mode(&self, mode: impl Into<String>) {
        self.lock().mode = Some(mode.into());
    }

    /// A person said something.
    pub fn prompt(&self, text: impl Into<String>) {
        self.lock().prompt.push(text.into());
    }

    /// The model is asked: what it says from now on is another message.
    pub fn asked(&self, at: Tick) {
        let mut state = self.lock();
        state.give_up_uses();
        state.message = Message { asked: Some(at), ..Message::default() };
    }

    /// The model says something.
    pub fn heard(&self, event: &ModelEvent, at: Tick) {
        let message = &mut self.lock().message;
        let asked = message.asked;
        message.thought = message.thought.or(asked.map(|asked| millis(asked, at)));
        match event {
            ModelEvent::Started { message: id, model } => {
                (message.id, message.model) = (id.clone(), model.clone());
            }
            ModelEvent::Block { block: Block::Text(text), .. } => message.text.push(text.clone()),
            ModelEvent::Block { block: Block::ToolUse(call), .. } => {
                message.uses.entry(call.id.clone()).or_insert_with(|| call.clone());
            }
            _shows_how_it_comes_about => {}
        }
    }

    /// Ends the transcript.
    ///
    /// # Errors
    /// The first thing that could not be written, of all lines: the file is then cut off behind what came before.
    pub fn finish(&self) -> io::Result<()> {
        let mut state = self.lock();
        state.give_up_uses();
        let counts = FileCounts {
            sidechain_turns: state.sidechain_turns.len(),
            sidechain_calls: state.sidechain_calls,
            calls_without_result: state.calls.len(),
            results_without_call: 0,
        };
        let end = Record::End { turns: state.turns, calls: state.written.len(), counts: Some(counts.into()) };
        state.write(&end);
        match state.failed.take() {
            None => state.out.flush(),
            Some(error) => Err(error),
        }
    }

    /// Whether every line so far could be written.
    pub fn is_whole(&self) -> bool {
        self.lock().failed.is_none()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Recording {
    fn emit(&self, event: Event, now: &dyn Fn() -> Tick) {
        let mut state = self.lock();
        let at = now();
        match event {
            Event::Planned { turn, call, .. } => state.planned(turn, &call, at),
            Event::HookStarted { call: Some(call), .. }
            | Event::Asked { call, .. }
            | Event::Started { call, .. } => state.see(&call, at, |_open| {}),
            Event::Finished { call, .. } => state.see(&call, at, |open| open.ended = Some(at)),
            Event::Refused { call, step, .. } => state.see(&call, at, |open| {
                (open.ended, open.refused) = (Some(at), Some(step));
            }),
            Event::Decided(decided) => state.see(&decided.call.clone(), at, |open| match decided.decision {
                Verdict::Deny => (open.ended, open.denied) = (Some(at), Some(decided)),
                Verdict::Allow => open.allowed(&decided),
            }),
            Event::Result { call, is_error, content, .. } => state.result(&call, is_error, &content, at),
            _tells_nothing_that_is_kept => {}
        }
    }
}

impl State {
    fn planned(&mut self, turn: TurnId, call: &CallId, at: Tick) {
        // A call that this model did not make is one of an agent's, or of a skill's.
        let Some(made) = self.message.uses.remove(call) else {
            self.sidechain_turns.insert(turn);
            self.sidechain_calls += 1;
            return;
        };
        let (turn, turn_began) = self.turn(at);
        let call = self.write_use(&turn, &made, Some(millis(turn_began, at)));
        self.calls.insert(made.id, Open::new(call, turn_began));
    }

    /// The turn of the message that the model is at: its identifier in the file, and when its first call arrived.
    fn turn(&mut self, at: Tick) -> (String, Tick) {
        if let Some(turn) = self.message.turn.clone() {
            return turn;
        }
        self.turns += 1;
        let Message { id, model, text, thought, .. } = &self.message;
        let id = id.as_deref().map(|id| format!("{}-{id}", self.turns));
        let join = |texts: &[String]| Some(texts.join("\n")).filter(|text| !text.is_empty());
        let turn = Turn {
            id: id.unwrap_or_else(|| format!("turn-{}", self.turns)),
            model: model.clone(),
            mode: self.mode.clone(),
            prompt: join(&self.prompt),
            text: join(text),
            think_ms: *thought,
            calls: Vec::new(),
        };
        self.prompt.clear();
        self.write(&write::turn_record(&turn));
        let turn = (turn.id, at);
        self.message.turn = Some(turn.clone());
        turn
    }

    /// Writes that a call was made, under an identifier that no other call in the file has.
    fn write_use(&mut self, turn: &str, made: &ToolUse, arrived_ms: Option<u64>) -> Call {
        let mut id = made.id.to_string();
        let mut number = 1;
        while !self.written.insert(id.clone()) {
            number += 1;
            id = format!("{}#{number}", made.id);
        }
        let input = made.input.as_str();
        let call = Call {
            id,
            name: made.name.clone(),
            input: Json::parse(input).map_or_else(|_error| Input::Text(input.to_owned()), Input::Json),
            arrived_ms,
            service_ms: None,
            ended_ms: None,
            outcome: Outcome::Unanswered,
            allowed: None,
        };
        self.write(&write::use_record(turn, &call));
        call
    }

    /// Something happened to a call, in its place in line.
    fn see(&mut self, call: &CallId, at: Tick, happened: impl FnOnce(&mut Open)) {
        if let Some(open) = self.calls.get_mut(call) {
            open.begin(at);
            happened(open);
        }
    }

    fn result(&mut self, call: &CallId, is_error: bool, content: &message::Content, at: Tick) {
        let Some(open) = self.calls.remove(call) else { return };
        let call = open.answered(is_error, content, at);
        let Some(record) = write::result_record(&call) else { return };
        let line = record.line();
        self.put(line);
    }

    /// Calls of a message that no turn was opened for: none of them ran.
    fn give_up_uses(&mut self) {
        let at = self.message.asked.unwrap_or(Tick(0));
        for made in std::mem::take(&mut self.message.uses).into_values() {
            let (turn, _began) = self.turn(at);
            let text = "the call was stopped: its turn was given up".to_owned();
            let call = Call { outcome: Outcome::Cancelled { text }, ..self.write_use(&turn, &made, None) };
            if let Some(record) = write::result_record(&call) {
                self.put(record.line());
            }
        }
    }

    fn write(&mut self, record: &Record<'_>) {
        self.put(record.line());
    }

    /// Behind a line that could not be written nothing more is: half a file that looks whole would be worse.
    fn put(&mut self, mut line: Vec<u8>) {
        if self.failed.is_some() {
            return;
        }
        for secret in &self.secrets {
            hide(&mut line, secret);
        }
        self.failed = self.out.write_all(&line).err();
    }
}

fn hide(line: &mut Vec<u8>, secret: &[u8]) {
    let mut at = 0;
    while let Some(found) = line[at..].windows(secret.len()).position(|window| window == secret) {
        line.splice(at + found..at + found + secret.len(), HIDDEN.iter().copied());
        at += found + HIDDEN.len();
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.lock();
        f.debug_struct("Recording")
            .field("turns", &state.turns)
            .field("calls", &state.written.len())
            .finish_non_exhaustive()
    }
}
