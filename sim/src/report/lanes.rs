//! The events of a run as lanes: one for each call, with what it waited for and what it did. Every report is drawn from
//! these.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use toolwright::env::Tick;
use toolwright::event::{Decided, Event, Outcome, Refusal, Stamped, Verdict};
use toolwright::message::{CallId, TurnId};

use super::cause::find_causes;
use super::cut::Cut;

/// When something happened: at which time, and as which of the run's events, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Mark {
    /// The time.
    #[serde(rename = "at_ns")]
    pub at: Tick,
    /// The event.
    pub step: usize,
}

/// What a call did, or waited for, for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// It waited for calls before it, or for a place beside others.
    Line,
    /// A hook looked at it.
    Hook,
    /// Somebody was asked whether it may run.
    Question,
    /// Its body ran.
    Body,
    /// It had ended, and calls before it had not: results are handed over in order.
    Order,
}

/// A stretch of time in a call's lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Phase {
    /// What the call did or waited for.
    pub activity: Activity,
    /// For or by whom: the hook and its moment, or those who were asked.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub who: String,
    /// When it began.
    pub from: Mark,
    /// When it ended; at the last event where it never did.
    pub to: Mark,
}

/// How a call ended, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its body ended well.
    Ok,
    /// Its body ended with an error.
    Error,
    /// Its body was stopped.
    Cancelled,
    /// Its body panicked.
    Panicked,
    /// It ended before its body.
    Refused,
    /// It was not allowed.
    Denied,
    /// It has not ended.
    Open,
}

/// One call of a run.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The call.
    pub call: CallId,
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// The call in a few words.
    pub label: String,
    /// Its place in the turn, from 0.
    pub index: usize,
    /// Its batch, from 0.
    pub batch: usize,
    /// Whether it may run beside other safe calls.
    pub is_safe: bool,
    /// When it took its place.
    pub planned: Mark,
    /// What it did, in the order of beginning.
    pub phases: Vec<Phase>,
    /// When it was decided whether it may run, and how.
    pub decided: Option<(Mark, Decided)>,
    /// When it ended before its body, at which step, and why.
    pub refused: Option<(Mark, Refusal, String)>,
    /// When its body began.
    pub started: Option<Mark>,
    /// When its body ended, and how.
    pub finished: Option<(Mark, Outcome)>,
    /// Its result: when it was handed over, whether it is an error, and its beginning.
    pub result: Option<(Mark, bool, Cut)>,
    /// The call whose failure cancelled it.
    pub cause: Option<CallId>,
}

/// One turn of a run.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Which one.
    pub turn: TurnId,
    /// When it began.
    pub began: Mark,
    /// When the last thing happened in it.
    pub ended: Mark,
    /// Its calls, in the order of planning.
    pub lanes: Vec<Lane>,
}

/// The turns of a run.
#[must_use]
pub fn turns(events: &[Stamped]) -> Vec<Turn> {
    let mut reading = Reading::default();
    for (step, Stamped { at, event }) in events.iter().enumerate() {
        reading.see(Mark { at: *at, step }, event);
    }
    let last = Mark {
        at: events.last().map_or(Tick(0), |stamped| stamped.at),
        step: events.len().saturating_sub(1),
    };
    for lane in reading.turns.iter_mut().flat_map(|turn| &mut turn.lanes) {
        lane.close_all(last);
    }
    reading.turns.iter_mut().for_each(|turn| find_causes(&mut turn.lanes));
    reading.turns
}

#[derive(Default)]
struct Reading {
    turns: Vec<Turn>,
    /// Where each call's lane is.
    places: BTreeMap<CallId, (usize, usize)>,
}

impl Reading {
    fn see(&mut self, mark: Mark, event: &Event) {
        match event {
            Event::TurnStarted { turn, .. } => {
                self.turns.push(Turn { turn: *turn, began: mark, ended: mark, lanes: Vec::new() });
            }
            Event::Planned { turn, call, index, batch, tool, safe, label, .. } => {
                // A turn whose beginning was not told of is one all the same.
                if !self.turns.iter().any(|known| known.turn == *turn) {
                    self.turns.push(Turn { turn: *turn, began: mark, ended: mark, lanes: Vec::new() });
                }
                let Some(at) = self.turns.iter().rposition(|known| known.turn == *turn) else { return };
                let mut lane = Lane {
                    call: call.clone(),
                    tool: tool.clone(),
                    label: label.clone(),
                    index: *index,
                    batch: *batch,
                    is_safe: *safe,
                    planned: mark,
                    phases: Vec::new(),
                    decided: None,
                    refused: None,
                    started: None,
                    finished: None,
                    result: None,
                    cause: None,
                };
                lane.open(Activity::Line, String::new(), mark);
                self.places.insert(call.clone(), (at, self.turns[at].lanes.len()));
                self.turns[at].lanes.push(lane);
            }
            Event::TurnEnded { turn } => {
                if let Some(known) = self.turns.iter_mut().rfind(|known| known.turn == *turn) {
                    known.ended = mark;
                }
            }
            event => {
                let place = call_of(event).and_then(|call| self.places.get(call));
                if let Some(&(turn, lane)) = place {
                    let turn = &mut self.turns[turn];
                    turn.ended = turn.ended.max(mark);
                    turn.lanes[lane].see(mark, event);
                }
            }
        }
    }
}

/// The call that an event is about.
fn call_of(event: &Event) -> Option<&CallId> {
    match event {
        Event::Decided(decided) => Some(&decided.call),
        Event::HookStarted { call, .. }
        | Event::HookFinished { call, .. }
        | Event::HookNotice { call, .. } => call.as_ref(),
        Event::Planned { call, .. }
        | Event::Coerced { call, .. }
        | Event::Refused { call, .. }
        | Event::Asked { call, .. }
        | Event::Killswitch { call, .. }
        | Event::Withdrawn { call, .. }
        | Event::Remembered { call, .. }
        | Event::NotRemembered { call, .. }
        | Event::LateAnswer { call, .. }
        | Event::Rejudged { call, .. }
        | Event::Started { call, .. }
        | Event::Progress { call, .. }
        | Event::Finished { call, .. }
        | Event::Stored { call, .. }
        | Event::ContextChangeDropped { call }
        | Event::ContextChanged { call }
        | Event::Rendered { call, .. }
        | Event::ResultRefused { call }
        | Event::Result { call, .. } => Some(call),
        _of_no_call => None,
    }
}

impl Lane {
    fn see(&mut self, mark: Mark, event: &Event) {
        match event {
            Event::HookStarted { hook, stage, .. } => {
                self.close(Activity::Line, mark);
                self.open(Activity::Hook, format!("{hook} ({})", stage.name()), mark);
            }
            Event::HookFinished { hook, stage, .. } => {
                let who = format!("{hook} ({})", stage.name());
                let is_it = |phase: &&mut Phase| phase.is_open() && phase.who == who;
                if let Some(phase) = self.phases.iter_mut().find(is_it) {
                    phase.to = mark;
                }
            }
            Event::Asked { racers, .. } => {
                self.close(Activity::Line, mark);
                self.open(Activity::Question, racers.join(", "), mark);
            }
            Event::Withdrawn { .. } => self.close(Activity::Question, mark),
            Event::Decided(decided) => {
                self.close(Activity::Line, mark);
                self.close(Activity::Question, mark);
                self.decided = Some((mark, decided.clone()));
                // What was allowed may wait again before its body.
                let after = match decided.decision {
                    Verdict::Allow => Activity::Line,
                    Verdict::Deny => Activity::Order,
                };
                self.open(after, String::new(), mark);
            }
            Event::Refused { step, reason, .. } => {
                self.close_all(mark);
                self.refused = Some((mark, *step, reason.clone()));
                self.open(Activity::Order, String::new(), mark);
            }
            Event::Started { .. } => {
                self.close(Activity::Line, mark);
                self.started = Some(mark);
                self.open(Activity::Body, String::new(), mark);
            }
            Event::Finished { outcome, .. } => {
                self.close(Activity::Body, mark);
                self.finished = Some((mark, *outcome));
                self.open(Activity::Order, String::new(), mark);
            }
            Event::Result { is_error, content, .. } => {
                self.close(Activity::Order, mark);
                self.result = Some((mark, *is_error, Cut::result(&content.to_text())));
            }
            _changes_no_phase => {}
        }
    }

    fn open(&mut self, activity: Activity, who: String, from: Mark) {
        let to = Mark { at: from.at, step: OPEN };
        self.phases.push(Phase { activity, who, from, to });
    }

    fn close(&mut self, activity: Activity, mark: Mark) {
        let is_it = |phase: &&mut Phase| phase.activity == activity && phase.is_open();
        self.phases.iter_mut().filter(is_it).for_each(|phase| phase.to = mark);
    }

    fn close_all(&mut self, mark: Mark) {
        self.phases.iter_mut().filter(|phase| phase.is_open()).for_each(|phase| phase.to = mark);
    }

    /// How it ended.
    #[must_use]
    pub fn state(&self) -> State {
        match (&self.finished, &self.refused, &self.decided) {
            (Some((_, Outcome::Ok)), _, _) => State::Ok,
            (Some((_, Outcome::Error)), _, _) => State::Error,
            (Some((_, Outcome::Cancelled)), _, _) => State::Cancelled,
            (Some((_, Outcome::Panicked)), _, _) => State::Panicked,
            (None, Some(_), _) => State::Refused,
            (None, None, Some((_, decided))) if decided.decision == Verdict::Deny => State::Denied,
            (None, None, _) => State::Open,
        }
    }

    /// How long its body ran.
    #[must_use]
    pub fn duration(&self) -> Option<Duration> {
        Some(self.finished.as_ref()?.0.at.since(self.started?.at))
    }

    /// When it had ended, whatever way.
    #[must_use]
    pub fn ended(&self) -> Option<Mark> {
        let denied = self.decided.as_ref().filter(|(_, decided)| decided.decision == Verdict::Deny);
        let finished = self.finished.as_ref().map(|(mark, _)| *mark);
        finished.or(self.refused.as_ref().map(|(mark, ..)| *mark)).or(denied.map(|(mark, _)| *mark))
    }
}

/// The step of an end that has not come.
const OPEN: usize = usize::MAX;

impl Phase {
    fn is_open(&self) -> bool {
        self.to.step == OPEN
    }
}

impl State {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Error => "error",
            State::Cancelled => "cancelled",
            State::Panicked => "panicked",
            State::Refused => "refused",
            State::Denied => "denied",
            State::Open => "no result",
        }
    }
}
