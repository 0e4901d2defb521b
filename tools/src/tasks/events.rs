//! Lines as they come, told in bundles at a bounded rate.

use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(feature = "monitor")]
use std::time::Duration;

use toolwright::env::Tick;

/// How long lines are gathered before they are told.
#[cfg(feature = "monitor")]
pub(crate) const GATHER: Duration = Duration::from_millis(200);
/// How many lines are told at once; of further ones only the number is.
const LINES_MAX: usize = 20;
/// How many characters of a line are told.
const LINE_CHARS_MAX: usize = 500;
/// How many bytes of a line are gathered: longer ones are cut.
const LINE_BYTES_MAX: usize = LINE_CHARS_MAX * 4;
/// How many bundles in a row may be too large before it counts as a flood.
const FLOODED_MAX: usize = 25;

/// The lines of a monitor on their way to the model.
#[derive(Debug, Default)]
pub(crate) struct Events {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The line that is not complete yet.
    partial: Vec<u8>,
    /// Whether more of that line came than is gathered.
    is_cut: bool,
    lines: Vec<String>,
    /// How many lines came besides.
    more: usize,
    /// When the first of the lines came that wait.
    since: Option<Tick>,
    /// How many bundles in a row were too large.
    flooded: usize,
}

/// Whether lines come faster than anybody could read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    Bearable,
    Flood,
}

impl Events {
    /// Takes what was written.
    pub(crate) fn push(&self, bytes: &[u8], now: Tick) {
        let mut state = self.state();
        let mut parts = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            state.extend(part);
            if parts.peek().is_some() {
                state.end_line();
            }
        }
        if state.since.is_none() && (!state.lines.is_empty() || state.more > 0) {
            state.since = Some(now);
        }
    }

    /// Adds a line about the monitor itself.
    #[cfg(feature = "monitor")]
    pub(crate) fn say(&self, text: &str, now: Tick) {
        self.push(format!("({text})\n").as_bytes(), now);
    }

    /// What is to be told once lines have been gathered for long enough.
    #[cfg(feature = "monitor")]
    pub(crate) fn bundle(&self, now: Tick) -> (Option<String>, Rate) {
        let mut state = self.state();
        match state.since {
            Some(since) if now.since(since) >= GATHER => state.bundle(),
            Some(_) | None => (None, Rate::Bearable),
        }
    }

    /// What is still to be told when nothing more is to come.
    pub(crate) fn rest(&self) -> Option<String> {
        let mut state = self.state();
        if !state.partial.is_empty() {
            state.end_line();
        }
        let is_any = !state.lines.is_empty() || state.more > 0;
        is_any.then(|| state.bundle().0).flatten()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn bundle(&mut self) -> (Option<String>, Rate) {
        let (lines, more) = (std::mem::take(&mut self.lines), std::mem::take(&mut self.more));
        self.since = None;
        self.flooded = if more > 0 { self.flooded + 1 } else { 0 };
        let rate = if self.flooded >= FLOODED_MAX { Rate::Flood } else { Rate::Bearable };
        let mut text = lines.join("\n");
        if more > 0 {
            text.push_str(&format!("\n… {more} more lines came at once and are left out"));
        }
        (Some(text), rate)
    }

    fn extend(&mut self, part: &[u8]) {
        let room = LINE_BYTES_MAX.saturating_sub(self.partial.len());
        self.partial.extend_from_slice(&part[..part.len().min(room)]);
        self.is_cut |= part.len() > room;
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.partial);
        let is_cut = std::mem::take(&mut self.is_cut);
        if self.lines.len() >= LINES_MAX {
            self.more += 1;
            return;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\r').unwrap_or(&text);
        let mut shown: String = text.chars().take(LINE_CHARS_MAX).collect();
        if is_cut || shown.len() < text.len() {
            shown.push('…');
        }
        self.lines.push(shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATER: Tick = Tick(1_000_000_000);

    fn told(events: &Events) -> Option<String> {
        events.bundle(LATER).0
    }

    #[test]
    fn lines_are_told_whole_and_together() {
        let events = Events::default();
        events.push(b"one\ntw", Tick(0));
        events.push(b"o\r\nthr", Tick(0));
        assert_eq!(events.bundle(Tick(1)), (None, Rate::Bearable), "they are gathered first");
        assert_eq!(told(&events).as_deref(), Some("one\ntwo"));
        assert_eq!(told(&events), None);
        assert_eq!(events.rest().as_deref(), Some("thr"), "nothing more is to come");
    }

    #[test]
    fn of_many_lines_the_first_are_told_and_the_others_counted() {
        let events = Events::default();
        events.push("x\n".repeat(LINES_MAX + 3).as_bytes(), Tick(0));
        let text = told(&events).expect("lines came");
        assert_eq!(text.lines().count(), LINES_MAX + 1);
        assert!(text.ends_with("3 more lines came at once and are left out"));
    }

    #[test]
    fn a_line_without_end_is_bounded() {
        let events = Events::default();
        for _ in 0..1_000 {
            events.push(&[0xFF; 1_000], Tick(0));
        }
        assert!(events.state().partial.len() <= LINE_BYTES_MAX);
        events.push(b"\n\0\n", Tick(0));
        let text = told(&events).expect("lines came");
        assert_eq!(text.chars().count(), LINE_CHARS_MAX + "…\n\0".chars().count());
    }

    #[test]
    fn too_many_lines_again_and_again_are_a_flood() {
        let events = Events::default();
        for round in 1..=FLOODED_MAX {
            events.push("x\n".repeat(LINES_MAX + 1).as_bytes(), Tick(0));
            let flood = if round == FLOODED_MAX { Rate::Flood } else { Rate::Bearable };
            assert_eq!(events.bundle(LATER).1, flood, "{round}");
        }
        events.push(b"x\n", Tick(0));
        assert_eq!(events.bundle(LATER).1, Rate::Bearable);
    }
}
