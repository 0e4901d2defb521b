//! States that a sweep must have seen: a sweep in which nothing happens proves nothing.

use std::collections::BTreeMap;

use toolwright::event::{Event, Outcome, Refusal, Stamped, Verdict};
use toolwright::nearest::nearest;

/// A state by name, and how it is told from the events of a run and its cap.
#[derive(Clone, Copy)]
pub struct State {
    /// Its name.
    pub name: &'static str,
    /// Whether a run was in it.
    pub is_in: fn(&[Stamped], usize) -> bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! any {
    ($pattern:pat $(if $guard:expr)?) => {
        |events, _cap| events.iter().any(|stamped| matches!(&stamped.event, $pattern $(if $guard)?))
    };
}

/// A name that is no state's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no state{}", offer(.given))]
pub struct UnknownState {
    /// What was given.
    pub given: String,
}

/// The nearest name, or all of them.
fn offer(given: &str) -> String {
    let names = || built_in_states().iter().map(|state| state.name);
    match nearest(given, names()) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => format!("; there are `{}`", names().collect::<Vec<_>>().join("`, `")),
    }
}

impl State {
    /// The built-in state of this name.
    ///
    /// # Errors
    /// A name that is none, with the nearest.
    pub fn named(name: &str) -> Result<State, UnknownState> {
        let named = built_in_states().iter().find(|state| state.name == name.trim());
        named.copied().ok_or_else(|| UnknownState { given: name.to_owned() })
    }
}

/// The states that are counted in every exploration.
#[must_use]
pub fn built_in_states() -> &'static [State] {
    &[
        State { name: "a rule won", is_in: any!(Event::Decided(d) if d.by == "rule") },
        State { name: "the mode won", is_in: any!(Event::Decided(d) if d.by == "mode") },
        State { name: "a hook won", is_in: any!(Event::Decided(d) if d.by.starts_with("hook")) },
        State { name: "the person won", is_in: any!(Event::Decided(d) if d.by == "person") },
        State { name: "the classifier won", is_in: any!(Event::Decided(d) if d.by == "classifier") },
        State { name: "an answer came too late", is_in: any!(Event::LateAnswer { .. }) },
        State { name: "a call was denied", is_in: any!(Event::Decided(d) if d.decision == Verdict::Deny) },
        State { name: "side by side", is_in: |events, _cap| most_side_by_side(events) > 1 },
        State { name: "the cap was saturated", is_in: |events, cap| most_side_by_side(events) >= cap },
        State {
            name: "a body was stopped",
            is_in: any!(Event::Finished { outcome: Outcome::Cancelled, .. }),
        },
        State {
            name: "a call was cancelled before its body",
            is_in: any!(Event::Refused { step: Refusal::Cancelled, .. }),
        },
        State { name: "a sibling was cancelled", is_in: |events, _cap| is_sibling_cancelled(events) },
        State { name: "a body ended after a cancellation", is_in: |events, _cap| ends_late(events) },
        State { name: "a body failed", is_in: any!(Event::Finished { outcome: Outcome::Error, .. }) },
        State { name: "a body panicked", is_in: any!(Event::Finished { outcome: Outcome::Panicked, .. }) },
        State {
            name: "a hook failed",
            is_in: any!(Event::HookFinished { answer, .. } if *answer == "failed"),
        },
        State {
            name: "a hook timed out",
            is_in: any!(Event::HookFinished { answer, .. } if *answer == "timed out"),
        },
        State { name: "a call became unsafe", is_in: any!(Event::Rejudged { safe: false, .. }) },
        State { name: "the context was changed", is_in: any!(Event::ContextChanged { .. }) },
    ]
}

fn most_side_by_side(events: &[Stamped]) -> usize {
    let (mut running, mut most) = (0_usize, 0);
    for stamped in events {
        match &stamped.event {
            Event::Started { .. } => running += 1,
            Event::Finished { .. } => running = running.saturating_sub(1),
            _other => {}
        }
        most = most.max(running);
    }
    most
}

/// A refusal or a result that names another call as its cause.
fn is_sibling_cancelled(events: &[Stamped]) -> bool {
    events.iter().any(|stamped| match &stamped.event {
        Event::Result { content, is_error: true, .. } => match content {
            toolwright::message::Content::Text(text) => text.contains("the parallel call"),
            toolwright::message::Content::Blocks(_) => false,
        },
        _other => false,
    })
}

/// A body that came to its own end though another was stopped before.
fn ends_late(events: &[Stamped]) -> bool {
    let mut is_stopped = false;
    events.iter().any(|stamped| match &stamped.event {
        Event::Finished { outcome: Outcome::Cancelled, .. }
        | Event::Refused { step: Refusal::Cancelled, .. } => {
            is_stopped = true;
            false
        }
        Event::Finished { .. } => is_stopped,
        Event::TurnStarted { .. } => {
            is_stopped = false;
            false
        }
        _other => false,
    })
}

/// In how many runs each state was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage(pub BTreeMap<&'static str, u64>);

impl Coverage {
    /// Counts the states of one run.
    pub fn see(&mut self, states: &[State], events: &[Stamped], cap: usize) {
        for state in states {
            *self.0.entry(state.name).or_default() += u64::from((state.is_in)(events, cap));
        }
    }

    /// In how many runs this state was seen.
    #[must_use]
    pub fn count(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }
}
