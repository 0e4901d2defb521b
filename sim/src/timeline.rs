//! A picture of a replay for a terminal: a lane for each call, turn by turn.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use toolwright::env::Tick;
use toolwright::event::{Event, Outcome, Stamped, Verdict};
use toolwright::message::{CallId, TurnId};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use toolwright::visible::visible;

/// Whether the picture has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Plain text.
    Plain,
    /// With the colours of a terminal.
    Coloured,
}

/// How many columns the bar of a lane has.
const BAR_COLUMNS: usize = 32;
/// How many columns the name of a call has.
const NAME_COLUMNS: usize = 44;

/// The picture of a replay's events. In a lane `·` waits in line, `?` waits for an answer, `█` runs.
#[must_use]
pub fn timeline(events: &[Stamped], look: Look) -> String {
    let mut out = String::new();
    for turn in turns(events) {
        turn.draw(look, &mut out);
    }
    out
}

struct TurnPicture {
    turn: TurnId,
    began: Tick,
    ended: Tick,
    lanes: Vec<Lane>,
}

struct Lane {
    label: String,
    batch: usize,
    asked: Option<Tick>,
    decided: Option<(Tick, Verdict, String)>,
    refused: Option<(Tick, String)>,
    started: Option<Tick>,
    finished: Option<(Tick, Outcome)>,
}

fn turns(events: &[Stamped]) -> Vec<TurnPicture> {
    let mut turns: Vec<TurnPicture> = Vec::new();
    let mut lanes: BTreeMap<&CallId, (usize, usize)> = BTreeMap::new();
    for Stamped { at, event } in events {
        match event {
            Event::TurnStarted { turn, .. } => {
                turns.push(TurnPicture { turn: *turn, began: *at, ended: *at, lanes: Vec::new() });
            }
            Event::Planned { call, batch, label, .. } => {
                let Some(turn) = turns.len().checked_sub(1) else { continue };
                lanes.insert(call, (turn, turns[turn].lanes.len()));
                turns[turn].lanes.push(Lane::new(label.clone(), *batch));
            }
            Event::TurnEnded { turn } => {
                if let Some(picture) = turns.iter_mut().rfind(|picture| picture.turn == *turn) {
                    picture.ended = *at;
                }
            }
            event => {
                let found = call_of(event).and_then(|call| lanes.get(call));
                if let Some(&(turn, lane)) = found {
                    turns[turn].ended = turns[turn].ended.max(*at);
                    turns[turn].lanes[lane].see(*at, event);
                }
            }
        }
    }
    turns
}

fn call_of(event: &Event) -> Option<&CallId> {
    match event {
        Event::Asked { call, .. }
        | Event::Refused { call, .. }
        | Event::Started { call }
        | Event::Finished { call, .. }
        | Event::Result { call, .. } => Some(call),
        Event::Decided(decided) => Some(&decided.call),
        _other => None,
    }
}

impl TurnPicture {
    fn draw(&self, look: Look, out: &mut String) {
        let batches = self.lanes.iter().map(|lane| lane.batch + 1).max().unwrap_or(0);
        let title = format!(
            "turn {}: {} in {}, at {}, {}",
            self.turn.0 + 1,
            counted(self.lanes.len(), "call"),
            counted(batches, "batch"),
            clock(self.began.since(Tick(0))),
            seconds(self.ended.since(self.began)),
        );
        write_line(out, &paint(&title, Style::new().bold(), look));
        for (index, lane) in self.lanes.iter().enumerate() {
            let is_new_batch = index == 0 || self.lanes[index - 1].batch != lane.batch;
            let batch = if is_new_batch { (lane.batch + 1).to_string() } else { String::new() };
            let (word, style) = lane.outcome();
            let line = format!(
                "{batch:>4} {} ▕{}▏ {:>9}  {}",
                column(&lane.label),
                paint(&lane.bar(self.began, self.ended), style, look),
                lane.duration().map(seconds).unwrap_or_default(),
                paint(&word, style, look),
            );
            write_line(out, line.trim_end());
        }
    }
}

impl Lane {
    fn new(label: String, batch: usize) -> Lane {
        Lane { label, batch, asked: None, decided: None, refused: None, started: None, finished: None }
    }

    fn see(&mut self, at: Tick, event: &Event) {
        match event {
            Event::Asked { .. } => self.asked = Some(at),
            Event::Decided(decided) => {
                let by = decided
                    .rule
                    .as_deref()
                    .map_or_else(|| decided.by.clone(), |rule| format!("{}: {rule}", decided.by));
                self.decided = Some((at, decided.decision, by));
            }
            Event::Refused { reason, .. } => self.refused = Some((at, reason.clone())),
            Event::Started { .. } => self.started = Some(at),
            Event::Finished { outcome, .. } => self.finished = Some((at, *outcome)),
            _other => {}
        }
    }

    fn outcome(&self) -> (String, Style) {
        let colour = |colour: AnsiColor| colour.on_default();
        match (&self.finished, &self.refused, &self.decided) {
            (Some((_, Outcome::Ok)), _, _) => ("ok".to_owned(), colour(AnsiColor::Green)),
            (Some((_, Outcome::Error)), _, _) => ("error".to_owned(), colour(AnsiColor::Red)),
            (Some((_, Outcome::Cancelled)), _, _) => ("cancelled".to_owned(), colour(AnsiColor::Yellow)),
            (Some((_, Outcome::Panicked)), _, _) => ("panicked".to_owned(), colour(AnsiColor::Red)),
            (None, Some((_, reason)), _) => {
                (format!("refused: {}", short(reason)), colour(AnsiColor::Yellow))
            }
            (None, None, Some((_, Verdict::Deny, by))) => {
                (format!("denied by {}", short(by)), colour(AnsiColor::Magenta))
            }
            (None, None, _) => ("no result".to_owned(), colour(AnsiColor::Red)),
        }
    }

    fn duration(&self) -> Option<Duration> {
        Some(self.finished.as_ref()?.0.since(self.started?))
    }

    /// The lane between two points of time, a mark a column.
    fn bar(&self, from: Tick, to: Tick) -> String {
        let span = to.since(from).as_nanos().max(1);
        let position = |at: Tick| {
            let columns = at.since(from).as_nanos() * BAR_COLUMNS as u128 / span;
            usize::try_from(columns).unwrap_or(BAR_COLUMNS).min(BAR_COLUMNS)
        };
        let settled = self.refused.as_ref().map(|(at, _)| *at);
        let denied =
            self.decided.as_ref().filter(|(_, verdict, _)| *verdict == Verdict::Deny).map(|(at, ..)| *at);
        let began = self.started.or(settled).or(denied).unwrap_or(to);
        let ended = self.finished.as_ref().map_or(began, |(at, _)| *at);
        let (start, mut end) = (position(began).min(BAR_COLUMNS - 1), position(ended));
        if self.started.is_some() || settled.is_some() || denied.is_some() {
            // A body too short for a column is still seen.
            end = end.max(start + 1);
        }
        let asked = self.asked.map_or(start, position);
        let mark = |column: usize| match () {
            () if column >= start && column < end && self.started.is_some() => '█',
            () if column >= start && column < end => '×',
            () if column >= end => ' ',
            () if column >= asked => '?',
            () => '·',
        };
        (0..BAR_COLUMNS).map(mark).collect()
    }
}

/// How many characters of a reason are shown.
const REASON_CHARS_MAX: usize = 80;

/// The beginning of a reason, on one line.
fn short(reason: &str) -> String {
    let line = visible(reason.lines().next().unwrap_or_default());
    let cut: String = line.chars().take(REASON_CHARS_MAX).collect();
    if cut.len() < line.len() { cut + "…" } else { cut }
}

/// A label in exactly [`NAME_COLUMNS`] columns. One that is too long loses its middle: paths tell most at their end.
fn column(label: &str) -> String {
    let label = visible(label);
    let width = label.width();
    if width <= NAME_COLUMNS {
        return label + &" ".repeat(NAME_COLUMNS - width);
    }
    let head = within(label.chars(), NAME_COLUMNS / 3);
    let tail = within(label.chars().rev(), NAME_COLUMNS - head.width() - 1);
    let padding = " ".repeat(NAME_COLUMNS - head.width() - 1 - tail.width());
    format!("{head}…{}{padding}", tail.chars().rev().collect::<String>())
}

/// As many of the characters as fit into so many columns.
fn within(chars: impl Iterator<Item = char>, columns: usize) -> String {
    let mut left = columns;
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let does_fit = width <= left;
        left = left.saturating_sub(width);
        does_fit
    };
    chars.take_while(fits).collect()
}

fn paint(text: &str, style: Style, look: Look) -> String {
    match look {
        Look::Plain => text.to_owned(),
        Look::Coloured => format!("{style}{text}{style:#}"),
    }
}

fn write_line(out: &mut String, line: &str) {
    writeln!(out, "{line}").expect("writing to a string does not fail");
}

/// A number and its noun, in the plural where there is not one of it.
#[must_use]
pub fn counted(number: usize, noun: &str) -> String {
    let plural = match noun.strip_suffix("ch") {
        Some(_) => "es",
        None => "s",
    };
    format!("{number} {noun}{}", if number == 1 { "" } else { plural })
}

/// A duration in seconds, such as `4.20 s`.
#[must_use]
pub fn seconds(duration: Duration) -> String {
    format!("{:.2} s", duration.as_secs_f64())
}

/// A duration as a clock shows it, such as `1:02:03.4`.
#[must_use]
pub fn clock(duration: Duration) -> String {
    let whole = duration.as_secs();
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    let tenths = duration.subsec_millis() / 100;
    if hours > 0 {
        format!("{hours}:{minutes:02}:{rest:02}.{tenths}")
    } else {
        format!("{minutes}:{rest:02}.{tenths}")
    }
}
