//! A picture of a replay for a terminal: a lane for each call, turn by turn.

use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use toolwright::env::Tick;
use toolwright::event::Stamped;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::report::{Activity, Lane, State, Turn, turns};
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
        draw(&turn, look, &mut out);
    }
    out
}

fn draw(turn: &Turn, look: Look, out: &mut String) {
    let batches = turn.lanes.iter().map(|lane| lane.batch + 1).max().unwrap_or(0);
    let (began, ended) = (turn.began.at, turn.ended.at);
    let title = format!(
        "turn {}: {} in {}, at {}, {}",
        turn.turn.0 + 1,
        counted(turn.lanes.len(), "call"),
        counted(batches, "batch"),
        clock(began.since(Tick(0))),
        seconds(ended.since(began)),
    );
    write_line(out, &paint(&title, Style::new().bold(), look));
    for (index, lane) in turn.lanes.iter().enumerate() {
        let is_new_batch = index == 0 || turn.lanes[index - 1].batch != lane.batch;
        let batch = if is_new_batch { (lane.batch + 1).to_string() } else { String::new() };
        let (word, style) = outcome(lane);
        let line = format!(
            "{batch:>4} {} ▕{}▏ {:>9}  {}",
            column(&lane.label),
            paint(&bar(lane, began, ended), style, look),
            lane.duration().map(seconds).unwrap_or_default(),
            paint(&word, style, look),
        );
        write_line(out, line.trim_end());
    }
}

fn outcome(lane: &Lane) -> (String, Style) {
    let colour = |colour: AnsiColor| colour.on_default();
    let state = lane.state();
    match (state, &lane.refused, &lane.decided) {
        (State::Ok, ..) => (state.word().to_owned(), colour(AnsiColor::Green)),
        (State::Error | State::Panicked | State::Open, ..) => {
            (state.word().to_owned(), colour(AnsiColor::Red))
        }
        (State::Cancelled, ..) => (state.word().to_owned(), colour(AnsiColor::Yellow)),
        (State::Refused, refused, _) => {
            let reason = refused.as_ref().map(|(_, _, reason)| short(reason)).unwrap_or_default();
            (format!("refused: {reason}"), colour(AnsiColor::Yellow))
        }
        (State::Denied, _, decided) => {
            let by = decided.as_ref().map(|(_, decided)| match &decided.rule {
                Some(rule) => format!("{}: {rule}", decided.by),
                None => decided.by.clone(),
            });
            (format!("denied by {}", short(&by.unwrap_or_default())), colour(AnsiColor::Magenta))
        }
    }
}

/// The lane between two points of time, a mark a column.
fn bar(lane: &Lane, from: Tick, to: Tick) -> String {
    let span = to.since(from).as_nanos().max(1);
    let position = |at: Tick| {
        let columns = at.since(from).as_nanos() * BAR_COLUMNS as u128 / span;
        usize::try_from(columns).unwrap_or(BAR_COLUMNS).min(BAR_COLUMNS)
    };
    let settled = lane.ended().map(|mark| mark.at);
    let began = lane.started.map(|mark| mark.at).or(settled).unwrap_or(to);
    let ended = lane.finished.as_ref().map_or(began, |(mark, _)| mark.at);
    let (start, mut end) = (position(began).min(BAR_COLUMNS - 1), position(ended));
    if lane.started.is_some() || settled.is_some() {
        // A body too short for a column is still seen.
        end = end.max(start + 1);
    }
    let question = lane.phases.iter().rfind(|phase| phase.activity == Activity::Question);
    let asked = question.map_or(start, |phase| position(phase.from.at));
    let mark = |column: usize| match () {
        () if column >= start && column < end && lane.started.is_some() => '█',
        () if column >= start && column < end => '×',
        () if column >= end => ' ',
        () if column >= asked => '?',
        () => '·',
    };
    (0..BAR_COLUMNS).map(mark).collect()
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
