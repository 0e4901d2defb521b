//! Makes turns of messages: pairs calls with their results, and notes what has no counterpart.
//!
//! Formats hand over what is said in the order of the file. An id that is used again is a call of its own; a result
//! goes to the newest message that has an open call of its id.

use std::collections::{BTreeMap, BTreeSet};

use super::spoken::{Answered, Asked, Joins, Place, Speaker, Spoken};
use super::timing::{CallTimes, Millis, think_ms, time_calls};
use crate::transcript::{
    Call, FileCounts, Header, Outcome, RepairKind, Repairs, Source, Transcript, Turn, UNNAMED, VERSION,
};

/// What was gathered so far.
#[derive(Default)]
pub(super) struct Gather {
    pub(super) source: Source,
    pub(super) cwd: Option<String>,
    /// The permission mode in force.
    pub(super) mode: Option<String>,
    prompts: Vec<String>,
    turns: Vec<OpenTurn>,
    turn_places: BTreeMap<String, usize>,
    /// The calls of each recorded id, as turn and place in it.
    calls: BTreeMap<String, Vec<(usize, usize)>>,
    used: BTreeSet<String>,
    /// Results that stood before any call of their id.
    early: Vec<(Place, Answered)>,
    results_without_call: BTreeSet<String>,
    /// The message that the model is at, until something else is said.
    open: Option<Open>,
    input_at: Option<Millis>,
}

/// A message of the model, which becomes a turn with its first call.
struct Open {
    spoken: Spoken,
    turn: Option<usize>,
    input_at: Option<Millis>,
}

struct OpenTurn {
    turn: Turn,
    texts: Vec<String>,
    line: Option<usize>,
    at: Option<Millis>,
    input_at: Option<Millis>,
    times: Vec<CallTimes>,
    /// Of each call: whether it has been answered, and how long it took where that was recorded.
    ends: Vec<End>,
}

#[derive(Clone, Copy, Default)]
struct End {
    is_answered: bool,
    took_ms: Option<u64>,
}

impl Gather {
    /// Begins with the name of the format.
    pub(super) fn new(format: &str) -> Gather {
        Gather { source: Source { format: format.to_owned(), ..Source::default() }, ..Gather::default() }
    }

    /// Takes in one message.
    pub(super) fn take(&mut self, spoken: Spoken, repairs: &mut Repairs) {
        let place = spoken.place;
        match spoken.speaker {
            Speaker::System => {}
            Speaker::User => {
                self.open = None;
                self.input_at = spoken.at.or(self.input_at);
                for answered in spoken.results {
                    self.result(place, answered, repairs);
                }
                self.prompts.extend(spoken.texts.into_iter().filter(|text| !text.trim().is_empty()));
                for asked in spoken.calls {
                    let name = asked.name.as_deref().unwrap_or(UNNAMED);
                    let detail = format!("a call of `{name}` in a message of the user was left out");
                    repairs.note(place.line, RepairKind::UnreadableMessage, detail);
                }
            }
            Speaker::Assistant => self.said(spoken, repairs),
        }
    }

    fn said(&mut self, mut spoken: Spoken, repairs: &mut Repairs) {
        let place = spoken.place;
        let (calls, results) = (std::mem::take(&mut spoken.calls), std::mem::take(&mut spoken.results));
        let at = spoken.at;
        match &mut self.open {
            Some(open) if spoken.joins == Joins::Previous => {
                let texts = match open.turn {
                    Some(turn) => &mut self.turns[turn].texts,
                    None => &mut open.spoken.texts,
                };
                texts.append(&mut spoken.texts);
                open.spoken.model = open.spoken.model.take().or(spoken.model);
            }
            Some(_) | None => self.open = Some(Open { spoken, turn: None, input_at: self.input_at }),
        }
        for asked in calls {
            self.call(place, at, asked, repairs);
        }
        for answered in results {
            self.result(place, answered, repairs);
        }
    }

    /// The turn of the message that the model is at.
    fn turn(&mut self, repairs: &mut Repairs) -> usize {
        let number = self.turns.len() + 1;
        let open = self.open.as_mut().expect("a call is part of a message");
        if let Some(turn) = open.turn {
            return turn;
        }
        let Spoken { place, id, model, at, texts, .. } = &mut open.spoken;
        let id = id.clone().unwrap_or_else(|| format!("turn-{number}"));
        if let Some(&turn) = self.turn_places.get(&id) {
            let detail = format!("message `{id}` goes on after others; its calls went to its first part");
            repairs.note(place.line, RepairKind::DuplicateTurn, detail);
            open.turn = Some(turn);
            self.turns[turn].texts.append(texts);
            return turn;
        }
        let prompt = std::mem::take(&mut self.prompts).join("\n\n");
        let turn = Turn {
            id: id.clone(),
            model: model.clone(),
            mode: self.mode.clone(),
            prompt: Some(prompt).filter(|prompt| !prompt.is_empty()),
            ..Turn::default()
        };
        self.turns.push(OpenTurn {
            turn,
            texts: std::mem::take(texts),
            line: place.line,
            at: *at,
            input_at: open.input_at,
            times: Vec::new(),
            ends: Vec::new(),
        });
        self.turn_places.insert(id, number - 1);
        open.turn = Some(number - 1);
        number - 1
    }

    fn call(&mut self, place: Place, at: Option<Millis>, asked: Asked, repairs: &mut Repairs) {
        let turn = self.turn(repairs);
        let Place { line, message } = place;
        let recorded = asked.id.filter(|id| !id.is_empty());
        let id = self.call_id(turn, place, recorded.as_deref(), repairs);
        let name = asked.name.filter(|name| !name.is_empty()).unwrap_or_else(|| {
            let detail =
                format!("call `{id}` of message {message} does not name its tool; taken as `{UNNAMED}`");
            repairs.note(line, RepairKind::MissingName, detail);
            UNNAMED.to_owned()
        });
        let open = &mut self.turns[turn];
        self.calls
            .entry(recorded.unwrap_or_else(|| id.clone()))
            .or_default()
            .push((turn, open.turn.calls.len()));
        self.used.insert(id.clone());
        open.times.push(CallTimes { line: line.unwrap_or(0), arrived: at, ended: None });
        open.ends.push(End::default());
        open.turn.calls.push(Call {
            id,
            name,
            input: asked.input,
            arrived_ms: None,
            service_ms: None,
            ended_ms: None,
            outcome: Outcome::Unanswered,
            allowed: None,
        });
    }

    /// An id that no other call has.
    fn call_id(&self, turn: usize, place: Place, recorded: Option<&str>, repairs: &mut Repairs) -> String {
        let unused = |base: &str| {
            let numbered = (2..).map(|number| format!("{base}#{number}"));
            let mut ids = std::iter::once(base.to_owned()).chain(numbered);
            ids.find(|id| !self.used.contains(id)).expect("there are more numbers than calls")
        };
        match recorded {
            Some(recorded) => {
                let id = unused(recorded);
                if id != recorded {
                    let detail = format!("the id `{recorded}` was used again; the call is `{id}` here");
                    repairs.note(place.line, RepairKind::ReusedId, detail);
                }
                id
            }
            None => {
                let id = unused(&format!("turn-{}-call-{}", turn + 1, self.turns[turn].turn.calls.len() + 1));
                let detail = format!("a call of message {} without an id was called `{id}`", place.message);
                repairs.note(place.line, RepairKind::MissingId, detail);
                id
            }
        }
    }

    fn result(&mut self, place: Place, answered: Answered, repairs: &mut Repairs) {
        self.input_at = answered.at.or(self.input_at);
        match answered.id.as_deref().filter(|id| !id.is_empty()) {
            Some(id) => match self.open_call(id) {
                Some(found) => {
                    if found.0 + 1 < self.turns.len() {
                        let detail = format!("the result of call `{id}` stood behind a later turn");
                        repairs.note(place.line, RepairKind::LateResult, detail);
                    }
                    self.answer(found, answered);
                }
                None if self.calls.contains_key(id) => {
                    let detail = format!("a second result of call `{id}` was left out");
                    repairs.note(place.line, RepairKind::DuplicateResult, detail);
                }
                None => self.early.push((place, answered)),
            },
            None => match self.unnamed(answered.name.as_deref()) {
                Some((turn, call)) => {
                    let id = &self.turns[turn].turn.calls[call].id;
                    let detail = format!(
                        "a result in message {} without an id was taken as that of call `{id}`",
                        place.message
                    );
                    repairs.note(place.line, RepairKind::MissingId, detail);
                    self.answer((turn, call), answered);
                }
                None => self.orphan(place, &answered, repairs),
            },
        }
    }

    /// The call of an id that has no result: of the newest message that has one, the first.
    fn open_call(&self, id: &str) -> Option<(usize, usize)> {
        let is_open = |&&(turn, call): &&(usize, usize)| !self.turns[turn].ends[call].is_answered;
        let places = self.calls.get(id)?;
        let (newest, _) = places.iter().rfind(is_open)?;
        places.iter().filter(is_open).find(|(turn, _)| turn == newest).copied()
    }

    /// The call that a result without an id answers: the first of the last message that is open, of this tool.
    fn unnamed(&self, name: Option<&str>) -> Option<(usize, usize)> {
        let turn = self.turns.len().checked_sub(1)?;
        let OpenTurn { turn: last, ends, .. } = &self.turns[turn];
        let mut calls = last.calls.iter().zip(ends);
        let call =
            calls.position(|(call, end)| !end.is_answered && name.is_none_or(|name| name == call.name))?;
        Some((turn, call))
    }

    fn answer(&mut self, (turn, call): (usize, usize), answered: Answered) {
        let open = &mut self.turns[turn];
        open.ends[call] = End { is_answered: true, took_ms: answered.took_ms };
        open.times[call].ended = answered.at;
        open.turn.calls[call].outcome = answered.outcome;
    }

    fn orphan(&mut self, place: Place, answered: &Answered, repairs: &mut Repairs) {
        let Place { line, message } = place;
        let id =
            answered.id.clone().unwrap_or_else(|| format!("line {} message {message}", line.unwrap_or(0)));
        let detail = format!(
            "a result in message {message} is of call `{id}`, which the file does not have; left out"
        );
        repairs.note(line, RepairKind::OrphanResult, detail);
        self.results_without_call.insert(id);
    }

    /// The transcript.
    pub(super) fn finish(mut self, repairs: &mut Repairs) -> Transcript {
        for (place, answered) in std::mem::take(&mut self.early) {
            match answered.id.as_deref().and_then(|id| self.open_call(id)) {
                Some(found) => {
                    let id = answered.id.as_deref().unwrap_or_default();
                    let detail = format!("the result of call `{id}` stood before the call");
                    repairs.note(place.line, RepairKind::EarlyResult, detail);
                    self.answer(found, answered);
                }
                None => self.orphan(place, &answered, repairs),
            }
        }
        let turns: Vec<Turn> = self.turns.into_iter().map(|open| open.finish(repairs)).collect();
        let unanswered = |call: &&Call| matches!(call.outcome, Outcome::Unanswered);
        let counts = FileCounts {
            calls_without_result: turns.iter().flat_map(|turn| &turn.calls).filter(unanswered).count(),
            results_without_call: self.results_without_call.len(),
            ..FileCounts::default()
        };
        let header = Header { version: VERSION, source: self.source, cwd: self.cwd, counts };
        Transcript { header, turns }
    }
}

impl OpenTurn {
    fn finish(self, repairs: &mut Repairs) -> Turn {
        let OpenTurn { mut turn, texts, line, at, input_at, times, ends } = self;
        turn.think_ms = think_ms(line.unwrap_or(0), input_at, at, repairs);
        let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        turn.text = Some(texts.join("\n\n")).filter(|text| !text.is_empty());
        time_calls(&mut turn.calls, &times, repairs);
        for (call, end) in turn.calls.iter_mut().zip(ends) {
            call.service_ms = end.took_ms.or(call.service_ms);
            if !end.is_answered {
                let detail = format!("call `{}` has no result", call.id);
                repairs.note(line, RepairKind::UnansweredCall, detail);
            }
        }
        turn
    }
}
