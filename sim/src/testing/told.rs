//! What a test says when it fails: what broke, how to see it again, and the run made small.

use toolwright::event::{Event, Refusal, Stamped};

use crate::explore::{Exploration, Finding, Judged, SIMULATED_TIME};
use crate::shrink::{NotFailing, Shrunk};
use crate::timeline::{Look, timeline};
use crate::token::Token;

use super::asked::again;

/// An exploration that found something, and its first finding made small.
pub(super) fn found(found: &Exploration, small: impl Fn(&Finding) -> Result<Shrunk, NotFailing>) -> String {
    let mut text = found.told(&again);
    if let Some(finding) = found.findings.first()
        && finding.violation.invariant != SIMULATED_TIME
    {
        text += "\n";
        text += &match small(finding) {
            Ok(small) => format!(
                "made small: {} — {}\n{}",
                small.token,
                small.surprises().join("\n  "),
                timeline(&small.judged.ran.events, Look::Plain)
            ),
            Err(NotFailing) => format!(
                "not made small: run again, it breaks nothing\n{}",
                timeline(&finding.events, Look::Plain)
            ),
        };
    }
    text
}

/// An exploration in which no body ever ran, with one of its runs.
pub(super) fn idle(runs: u64, judged: &Judged) -> String {
    let results = judged.ran.events.iter().find_map(|stamped| match &stamped.event {
        Event::Result { call, content, .. } => Some(format!("{call} came to: {}", content.to_text())),
        _other => None,
    });
    let is_unread = |stamped: &Stamped| {
        matches!(stamped.event, Event::Refused { step: Refusal::UnknownTool | Refusal::Input, .. })
    };
    let advice = if judged.ran.events.iter().any(is_unread) {
        "mend the calls of the scene, or give its session the tool that they mean"
    } else {
        "give the session what the calls need, such as a rule that allows them, or declare what is to be seen instead: \
         `.sometimes([\"a call was denied\"])`"
    };
    format!(
        "no body ran in any of {runs} runs, so that nothing was tried: {}\n{advice}\n{}",
        results.as_deref().unwrap_or("there is no call"),
        timeline(&judged.ran.events, Look::Plain)
    )
}

/// One run that broke something.
pub(super) fn broken(token: &Token, judged: &Judged) -> String {
    let broken: Vec<String> = judged.violations.iter().map(ToString::to_string).collect();
    format!("{}\n  in the run {token}\n{}", broken.join("\n"), timeline(&judged.ran.events, Look::Plain))
}
