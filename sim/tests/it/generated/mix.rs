//! What happened in how many cases, so that a sweep cannot pass because nothing happened.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use toolwright::event::{Event, Outcome, Refusal, Stamped, Verdict};

use super::super::model::Close;
use super::case::{Case, Way, What, When};
use super::drive::Ran;

/// In how many cases each thing happened.
#[derive(Debug, Default)]
pub(super) struct Mix {
    cases: u32,
    seen: BTreeMap<&'static str, u32>,
}

/// What must have happened, each in at least one case in [`RARE`].
const WANTED: &[&str] = &[
    "abandoned turn",
    "abort after: a body ended",
    "abort after: a body started",
    "abort after: a decision",
    "abort after: a hook began",
    "abort after: a hook ended",
    "abort after: a question",
    "abort after: a result",
    "abort after: planned",
    "abort at a time",
    "body cancelled",
    "body failed",
    "body panicked",
    "cancelled before its body",
    "context change dropped",
    "context changed",
    "denied",
    "dropped message",
    "felled by a sibling",
    "interrupt",
    "late answer",
    "malformed input",
    "model broke off",
    "new message",
    "out of its time",
    "refused by its tool",
    "rewritten to safe",
    "rewritten to unsafe",
    "several rewritten to unsafe in one turn",
    "side by side",
    "streamed through the loop",
    "streamed turn",
    "unknown tool",
];

/// One case in so many is enough of each.
const RARE: u32 = 500;

impl Mix {
    pub(super) fn add(&mut self, other: &Mix) {
        self.cases += other.cases;
        for (what, cases) in &other.seen {
            *self.seen.entry(what).or_default() += cases;
        }
    }

    pub(super) fn see(&mut self, case: &Case, ran: &Ran) {
        self.cases += 1;
        let mut seen: BTreeSet<&'static str> = case.turns.iter().map(|turn| of_way(turn.way)).collect();
        let at_a_time = case.stops.iter().filter(|stop| matches!(stop.when, When::Ms(_)));
        seen.extend(at_a_time.map(|stop| of_stop(stop.what)));
        for &(at, what) in &ran.rung {
            match what {
                What::Abort => seen.extend(after(&ran.events[at].event)),
                What::Interrupt | What::NewMessage => drop(seen.insert(of_stop(what))),
            }
        }
        of_events(&ran.events, &mut seen);
        for what in seen {
            *self.seen.entry(what).or_default() += 1;
        }
    }

    /// What happened too rarely.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let least = (self.cases / RARE).max(1);
        let is_rare = |what: &&&'static str| self.seen.get(**what).copied().unwrap_or(0) < least;
        WANTED.iter().filter(is_rare).copied().collect()
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} generated sessions, of which so many had:", self.cases)?;
        self.seen.iter().try_for_each(|(what, cases)| writeln!(f, "{cases:>8}  {what}"))
    }
}

fn of_way(way: Way) -> &'static str {
    match way {
        Way::Whole => "whole turn",
        Way::Streamed => "streamed turn",
        Way::Dropped { .. } => "dropped message",
        Way::Abandoned { .. } => "abandoned turn",
        Way::Spoken { close: Close::Breaks } => "model broke off",
        Way::Spoken { close: Close::Whole | Close::Hangs } => "streamed through the loop",
    }
}

fn of_stop(what: What) -> &'static str {
    match what {
        What::Abort => "abort at a time",
        What::Interrupt => "interrupt",
        What::NewMessage => "new message",
    }
}

/// The step that an abort came right behind.
fn after(event: &Event) -> Option<&'static str> {
    Some(match event {
        Event::Planned { .. } => "abort after: planned",
        Event::HookStarted { .. } => "abort after: a hook began",
        Event::HookFinished { .. } => "abort after: a hook ended",
        Event::Asked { .. } => "abort after: a question",
        Event::Decided(_) => "abort after: a decision",
        Event::Started { .. } => "abort after: a body started",
        Event::Finished { .. } => "abort after: a body ended",
        Event::Result { .. } => "abort after: a result",
        _other => return None,
    })
}

fn of_events(events: &[Stamped], seen: &mut BTreeSet<&'static str>) {
    let (mut running, mut unsafe_now) = (0_usize, 0_usize);
    for stamped in events {
        match &stamped.event {
            Event::TurnStarted { .. } => unsafe_now = 0,
            Event::Started { .. } => {
                running += 1;
                seen.extend((running > 1).then_some("side by side"));
            }
            Event::Finished { outcome, .. } => {
                running = running.saturating_sub(1);
                seen.insert(of_outcome(*outcome));
            }
            Event::Refused { step, .. } => seen.extend(of_refusal(*step)),
            Event::Rejudged { safe, .. } => {
                unsafe_now += usize::from(!safe);
                seen.extend((unsafe_now > 1).then_some("several rewritten to unsafe in one turn"));
                seen.insert(if *safe { "rewritten to safe" } else { "rewritten to unsafe" });
            }
            Event::Decided(decided) if decided.decision == Verdict::Deny => drop(seen.insert("denied")),
            Event::LateAnswer { .. } => drop(seen.insert("late answer")),
            Event::ContextChanged { .. } => drop(seen.insert("context changed")),
            Event::ContextChangeDropped { .. } => drop(seen.insert("context change dropped")),
            Event::Result { content, .. } => {
                let text = content.to_text();
                seen.extend(text.contains("the parallel call").then_some("felled by a sibling"));
                seen.extend(text.contains("which is its limit").then_some("out of its time"));
            }
            _other => {}
        }
    }
}

fn of_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "body ended well",
        Outcome::Error => "body failed",
        Outcome::Cancelled => "body cancelled",
        Outcome::Panicked => "body panicked",
    }
}

fn of_refusal(refusal: Refusal) -> Option<&'static str> {
    Some(match refusal {
        Refusal::UnknownTool => "unknown tool",
        Refusal::Input => "malformed input",
        Refusal::Validation => "refused by its tool",
        Refusal::Cancelled => "cancelled before its body",
        Refusal::Closed => "closed by a rule after a rewrite",
        Refusal::NotLoaded | Refusal::Recorded | Refusal::Lost => return None,
    })
}
