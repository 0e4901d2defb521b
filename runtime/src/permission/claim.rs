//! The claim on one permission question: whoever comes first decides, once.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::Permit;
use crate::env::Env;
use crate::event::{Decided, Event, Verdict};
use crate::message::{CallId, RawInput};
use crate::mutant::Mutant;

/// Who decided what, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Whether the call may run.
    pub verdict: Verdict,
    /// Who decided: `rule`, `mode`, `hook`, `person`, `killswitch`, `tool`, `nobody`.
    pub by: String,
    /// The rule that was followed, as written, with its source.
    pub rule: Option<String>,
    /// Why: for a person when allowed, for the model when denied.
    pub reason: String,
    /// Another input to run instead, which is checked again.
    pub input: Option<RawInput>,
}

impl Decision {
    /// A denial without a rule.
    #[must_use]
    pub fn deny(by: impl Into<String>, reason: impl Into<String>) -> Decision {
        Decision { verdict: Verdict::Deny, by: by.into(), rule: None, reason: reason.into(), input: None }
    }

    /// An allowance without a rule.
    #[must_use]
    pub fn allow(by: impl Into<String>, reason: impl Into<String>) -> Decision {
        Decision { verdict: Verdict::Allow, ..Decision::deny(by, reason) }
    }

    /// The permit that this decision gives; nothing for a denial.
    pub(crate) fn permit(&self, call: &CallId, input: &RawInput) -> Option<Permit> {
        (self.verdict == Verdict::Allow).then(|| Permit::new(call.clone(), input.clone()))
    }
}

/// The claim on one question. Cheap to clone; clones share. Every decision goes through one, also those that no one
/// competes for, so that `decided` is emitted in one place.
#[derive(Clone, Debug)]
pub struct Claim(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    env: Env,
    call: CallId,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    is_taken: bool,
    /// How many may still answer.
    waiting: usize,
    winner: Option<oneshot::Sender<Decision>>,
}

impl Claim {
    /// The claim on a question that `racers` may answer, and where the winning decision arrives.
    pub(crate) fn new(env: &Env, call: &CallId, racers: usize) -> (Claim, oneshot::Receiver<Decision>) {
        let (send, winner) = oneshot::channel();
        let state = Mutex::new(State { is_taken: false, waiting: racers, winner: Some(send) });
        (Claim(Arc::new(Inner { env: env.clone(), call: call.clone(), state })), winner)
    }

    /// Settles a question that nobody competes for.
    pub(crate) fn settle(env: &Env, call: &CallId, decision: Decision) -> Decision {
        let (claim, winner) = Claim::new(env, call, 1);
        claim.offer(decision.clone());
        drop(winner);
        decision
    }

    /// Claims the question with an answer; says whether it came first.
    pub(crate) fn offer(&self, decision: Decision) -> bool {
        let inner = &self.0;
        let mut state = inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody waits for the answer any more when the call was cancelled meanwhile.
        let is_late = state.is_taken || state.winner.as_ref().is_some_and(oneshot::Sender::is_closed);
        if is_late && !inner.env.mutants().has(Mutant::DoubleClaim) {
            inner.env.emit(|| Event::LateAnswer { call: inner.call.clone(), by: decision.by });
            return false;
        }
        state.is_taken = true;
        inner.env.emit(|| {
            Event::Decided(Decided {
                call: inner.call.clone(),
                decision: decision.verdict,
                by: decision.by.clone(),
                rule: decision.rule.clone(),
                reason: decision.reason.clone(),
            })
        });
        if let Some(winner) = state.winner.take() {
            // It was there a moment ago; if it has gone since, nothing runs.
            drop(winner.send(decision));
        }
        true
    }

    /// One of those who may answer has nothing to say. When all are silent, the answer is no.
    pub(crate) fn abstain(&self) {
        let nobody = {
            let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.waiting = state.waiting.saturating_sub(1);
            state.waiting == 0 && !state.is_taken
        };
        if nobody {
            self.offer(Decision::deny("nobody", "nobody answered the permission question"));
        }
    }
}
