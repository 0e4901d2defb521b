//! A call's place in line: the two gates it passes, and the slot its result leaves through.

use std::fmt;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Context, Poll};

use super::run::{Shared, Work};
use crate::env::{Access, Cancellation, Cause, Object};
use crate::mutant::{Mutant, Mutants};

/// Whether the result of a call cancels the other calls of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fells {
    /// It does.
    Siblings,
    /// It does not.
    Nobody,
}

/// Whether a running body is stopped when the person sends a new message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shield {
    /// It is stopped.
    Open,
    /// It finishes.
    Closed,
}

/// What came of the wait for the body's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The body has started.
    Begun,
    /// It may start, but the call said that it is not ready.
    NotReady,
}

/// The place of one call in its turn. Dropped without a result, it writes the synthetic one: whatever happens to the
/// task that holds it, the call has exactly one result.
pub struct Place<W: Work> {
    shared: Arc<Shared<W>>,
    index: usize,
    cancellation: Cancellation,
    work: W,
    has_left: bool,
}

impl<W: Work> Place<W> {
    pub(super) fn new(shared: Arc<Shared<W>>, index: usize, cancellation: Cancellation, work: W) -> Place<W> {
        Place { shared, index, cancellation, work, has_left: false }
    }

    /// The index of the call in its turn.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// What the call is.
    #[must_use]
    pub fn work(&self) -> &W {
        &self.work
    }

    /// Tells when the call should stop, and why.
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Says whether the call is safe beside others now that its input was rewritten. `announce` is called at that very
    /// moment, with the line locked.
    pub async fn rejudge(&self, safe: bool, announce: impl FnOnce()) {
        self.mutants().open(Mutant::RewriteLostInTheCrowd, self.index);
        self.shared.env.point(Object::Line, Access::Write).await;
        let is_lost = self.mutants().is_long(Mutant::RewriteLostInTheCrowd, self.index);
        let (wakers, next) = {
            let mut state = self.shared.lock();
            announce();
            state.line.rejudge(self.index, safe || is_lost);
            (state.take_gate_wakers(), state.begin_advancing())
        };
        wakers.iter().for_each(std::task::Waker::wake_by_ref);
        self.shared.advance(next);
    }

    /// Waits until the body may start, and starts it. `announce` is called at that very moment, with the line locked,
    /// so that no observer sees two starts in another order than the line gave them.
    ///
    /// # Errors
    /// Why the call was cancelled instead.
    pub async fn start_body(&self, shield: Shield, announce: impl FnOnce()) -> Result<(), Cause> {
        self.start_body_if(shield, || true, announce).await.map(drop)
    }

    /// Like [`Place::start_body`], but asks `is_ready` at the moment when the body may start, with the line locked,
    /// and does not start it when it is not. What came before may have changed what the call was prepared for.
    ///
    /// # Errors
    /// Why the call was cancelled instead.
    pub async fn start_body_if(
        &self,
        shield: Shield,
        is_ready: impl Fn() -> bool,
        announce: impl FnOnce(),
    ) -> Result<Start, Cause> {
        let mut announce = Some(announce);
        let started = loop {
            self.mutants().open(Mutant::StartsInTheCrowd, self.index);
            self.shared.env.point_as(Object::Line, || self.access()).await;
            let mut has_waited = false;
            let looked = poll_fn(|cx| {
                // Whoever was woken announces once more what it is about to touch, and looks again.
                if std::mem::replace(&mut has_waited, true) {
                    return Poll::Ready(None);
                }
                let looked = self.look(cx, shield, &is_ready, &mut announce);
                if looked.is_some() { Poll::Ready(looked) } else { Poll::Pending }
            });
            if let Some(started) = looked.await {
                break started;
            }
        };
        match announce {
            Some(announce) if self.is_given_up(&started) => {
                drop(self.shared.fill(self.index, self.work.lost()));
                self.shared.env.settle().await;
                announce();
                Ok(Start::Begun)
            }
            _started => started,
        }
    }

    /// Looks whether the body may start, and starts it; else waits to be woken at the gate.
    fn look(
        &self,
        cx: &mut Context<'_>,
        shield: Shield,
        is_ready: impl Fn() -> bool,
        announce: &mut Option<impl FnOnce()>,
    ) -> Option<Result<Start, Cause>> {
        let mut state = self.shared.lock();
        if let Some(cause) = state.cause(self.index) {
            return Some(Err(cause));
        }
        if self.mutants().is_long(Mutant::StartsInTheCrowd, self.index) {
            return Some(Err(Cause::Aborted));
        }
        if !state.line.may_start(self.index) {
            state.wait_at_gate(self.index, cx.waker());
            return None;
        }
        if !is_ready() {
            return Some(Ok(Start::NotReady));
        }
        state.line.start(self.index);
        state.shield(self.index, shield);
        if let Some(announce) = announce.take() {
            announce();
        }
        Some(Ok(Start::Begun))
    }

    /// What implanted bugs take for a call that will never start.
    fn is_given_up(&self, started: &Result<Start, Cause>) -> bool {
        let has = |mutant| self.mutants().has(mutant);
        started.is_err() && (has(Mutant::StartsAfterResult) || has(Mutant::StartsInTheCrowd))
    }

    fn mutants(&self) -> &Mutants {
        self.shared.env.mutants()
    }

    /// Gives the result, and leaves. A result that fells siblings first waits until everything else at this instant
    /// has ended, so that what is cancelled does not depend on who was a poll earlier.
    #[expect(
        clippy::manual_async_fn,
        reason = "the state of an `async fn` would hold the place and the result twice"
    )]
    pub fn finish(self, result: W::Result, fells: Fells) -> impl Future<Output = ()> + Send {
        async move {
            let shared = &self.shared;
            let access = || match fells {
                Fells::Nobody => self.access(),
                Fells::Siblings => Access::Write,
            };
            self.mutants().open(Mutant::ForgottenInTheCrowd, self.index);
            self.mutants().open(Mutant::ResultTwiceInTheCrowd, self.index);
            self.mutants().open(Mutant::SwappedInTheCrowd, self.index);
            shared.env.point_as(Object::Line, access).await;
            if self.is_lost(fells) {
                return self.lose();
            }
            match fells {
                Fells::Nobody => self.finish_alone(result),
                Fells::Siblings => {
                    if shared.fill(self.index, result).is_err() {
                        self.work.refused_second_result();
                        return;
                    }
                    shared.lock().note_failure(self.index, self.work.label());
                    shared.env.settle().await;
                    shared.env.point(Object::Stop, Access::Write).await;
                    shared.commit_failures();
                }
            }
        }
    }

    /// How this call touches the line when it starts or leaves.
    fn access(&self) -> Access {
        if self.shared.lock().line.is_safe(self.index) { Access::Add } else { Access::Write }
    }

    /// Whether an implanted bug loses the result.
    fn is_lost(&self, fells: Fells) -> bool {
        let is_second = fells == Fells::Siblings && self.mutants().has(Mutant::SecondFailureLost);
        self.mutants().is_long(Mutant::ForgottenInTheCrowd, self.index)
            || (is_second && self.shared.lock().has_failures())
    }

    fn lose(mut self) {
        self.has_left = true;
        self.shared.leave(self.index);
    }

    fn finish_alone(mut self, result: W::Result) {
        self.has_left = true;
        let is_cancelled = || self.shared.lock().cause(self.index).is_some();
        if self.mutants().is_long(Mutant::ResultTwiceInTheCrowd, self.index)
            || (self.mutants().has(Mutant::ResultTwiceOnAbort) && is_cancelled())
        {
            drop(self.shared.fill(self.index, self.work.lost()));
        }
        if self.shared.fill_and_leave(self.index, result).is_err() {
            self.work.refused_second_result();
        }
    }
}

impl<W: Work> Drop for Place<W> {
    /// The result is written before the place is left.
    fn drop(&mut self) {
        if self.has_left {
            return;
        }
        let lost = self.shared.lock().is_unanswered(self.index);
        if lost {
            let result = self.work.lost();
            // Nobody else fills this slot, so there is nothing to be refused.
            drop(self.shared.fill(self.index, result));
        }
        self.shared.leave(self.index);
    }
}

impl<W: Work> fmt::Debug for Place<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place").field("index", &self.index).finish_non_exhaustive()
    }
}
