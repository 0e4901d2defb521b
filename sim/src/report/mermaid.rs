//! A Gantt chart in Mermaid's language, for Markdown.

use std::fmt::Write as _;

use toolwright::env::Tick;

use super::case::{Case, Run};
use super::lanes::{Activity, Lane, State, turns};
use crate::timeline::counted;
use toolwright::visible::visible;

/// How many calls are drawn: Mermaid gives up on long texts, and nobody reads a longer chart.
const CALLS_MAX: usize = 150;
/// How many characters of a name are drawn.
const NAME_CHARS_MAX: usize = 60;

/// The chart. What waits is drawn as active, what failed as critical, what went well as done.
pub(super) fn gantt(case: &Case) -> String {
    let mut out = format!(
        "gantt\n    title {}\n    dateFormat x\n    axisFormat %M:%S.%L\n    todayMarker off\n",
        escaped(&case.title)
    );
    let mut left = CALLS_MAX;
    let mut left_out = 0;
    for (index, run) in case.runs.iter().enumerate() {
        let prefix = if case.runs.len() > 1 { format!("{} · ", escaped(&run.name)) } else { String::new() };
        left_out += draw(run, index, &prefix, &mut left, &mut out);
    }
    if left_out > 0 {
        writeln!(out, "    %% {} left out: a chart has {CALLS_MAX} at most", counted(left_out, "call"))
            .expect("writing to a string does not fail");
    }
    out
}

/// Draws a run, and says how many calls there was no room for.
fn draw(run: &Run, index: usize, prefix: &str, left: &mut usize, out: &mut String) -> usize {
    let mut left_out = 0;
    for turn in turns(&run.events) {
        if *left == 0 {
            left_out += turn.lanes.len();
            continue;
        }
        writeln!(out, "    section {prefix}turn {}", turn.turn.0 + 1)
            .expect("writing to a string does not fail");
        for lane in &turn.lanes {
            match left.checked_sub(1) {
                None => left_out += 1,
                Some(fewer) => {
                    *left = fewer;
                    let id = format!("r{index}t{}c{}", turn.turn.0, lane.index);
                    row(lane, &id, out);
                }
            }
        }
    }
    left_out
}

/// A row for the call, and one before it where somebody was asked.
fn row(lane: &Lane, id: &str, out: &mut String) {
    let name = escaped(&lane.label);
    let mut put = |name: &str, tags: &str, id: &str, from: Tick, to: Tick| {
        let (from, to) = (from.millis(), to.millis().max(from.millis() + 1));
        writeln!(out, "    {name} :{tags}{id}, {from}, {to}").expect("writing to a string does not fail");
    };
    let number = lane.index + 1;
    for (at, phase) in lane.phases.iter().enumerate() {
        if phase.activity == Activity::Question {
            put(
                &format!("{number}. asked {}", escaped(&phase.who)),
                "active, ",
                &format!("{id}q{at}"),
                phase.from.at,
                phase.to.at,
            );
        }
    }
    let from = lane.started.or(lane.ended()).unwrap_or(lane.planned).at;
    let to = lane.ended().map_or(from, |mark| mark.at);
    let tags = match lane.state() {
        State::Ok => "done, ",
        State::Error | State::Panicked => "crit, ",
        State::Denied | State::Refused | State::Cancelled => "crit, milestone, ",
        State::Open => "",
    };
    let word = match lane.state() {
        State::Ok => String::new(),
        other => format!(" – {}", other.word()),
    };
    put(&format!("{number}. {name}{word}"), tags, id, from, to);
}

/// What of Mermaid's language may stand in a name, and what stands for it: charts show numbers of characters as they are
/// written, so that a likeness reads better.
const ALIKE: [(char, char); 14] = [
    (':', '\u{2236}'),
    (';', '\u{FF1B}'),
    ('#', '\u{FF03}'),
    ('%', '\u{FF05}'),
    ('<', '\u{2039}'),
    ('>', '\u{203A}'),
    ('{', '\u{FF5B}'),
    ('}', '\u{FF5D}'),
    ('[', '\u{FF3B}'),
    (']', '\u{FF3D}'),
    ('"', '\u{201D}'),
    ('`', '\u{2019}'),
    ('&', '\u{FF06}'),
    ('\\', '\u{FF3C}'),
];

/// The beginning of a name, in which nothing is Mermaid's and nothing hides.
fn escaped(text: &str) -> String {
    let short: String = match text.char_indices().nth(NAME_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    let alike = |c: char| ALIKE.iter().find(|(own, _)| *own == c).map_or(c, |(_, alike)| *alike);
    visible(&short).chars().map(alike).collect()
}
