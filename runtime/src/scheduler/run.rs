//! One turn in motion: spawns what the line admits, cancels, and hands results over in order.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use super::line::Line;
use super::order::Slots;
use super::place::{Place, Shield};
use crate::env::{BoxFuture, Cancellation, Cause, Env, Handle, TaskName, caught};
use crate::mutant::Mutant;

/// What a call is to the scheduler.
pub trait Work: Send + Sync + 'static {
    /// What it ends with.
    type Result: Send + 'static;

    /// How others name it when it is why they were cancelled, such as `Bash(cargo test)`.
    fn label(&self) -> Arc<str>;

    /// The result when its task ended without one.
    fn lost(&self) -> Self::Result;

    /// Told when a second result was refused.
    fn refused_second_result(&self);
}

/// One turn in motion. Calls are submitted in order, may start at once, and their results come back in order.
/// Dropping it stops every call that is not through.
pub struct TurnRun<W: Work> {
    shared: Arc<Shared<W>>,
}

pub(super) struct Shared<W: Work> {
    pub(super) env: Env,
    state: Mutex<State<W>>,
}

pub(super) struct State<W: Work> {
    pub(super) line: Line,
    slots: Slots<W::Result>,
    entries: Vec<Entry>,
    /// The places that wait at the gate before their body.
    at_gate: Vec<usize>,
    /// The places that were admitted and not spawned yet. A place can be admitted before its job is made.
    admitted: VecDeque<usize>,
    /// The places that were cancelled in the line and not spawned yet.
    withdrawn: VecDeque<usize>,
    /// Whether some thread spawns jobs now; it spawns those of others too. Keeps an executor that drops a future in
    /// place of running it (at its end) from recursing through the whole line.
    is_advancing: bool,
    /// The failures that were not committed yet, with the names of the calls that failed.
    failures: Vec<(usize, Arc<str>)>,
    /// Why every call of the turn is cancelled, also those still to be submitted.
    cancelled: Option<Cause>,
    /// A closed turn spawns nothing.
    closed: bool,
}

#[derive(Default)]
struct Entry {
    job: Option<BoxFuture<'static, ()>>,
    handle: Option<Handle>,
    /// Cancelled with the lock held, told with the lock free: whoever waits for it is others' code.
    cancellation: Cancellation,
    gate: Option<Waker>,
    is_shielded: bool,
}

/// The place that a call was given.
struct Joined {
    index: usize,
    cancellation: Cancellation,
    /// Whether it is spawned at once.
    is_first: bool,
}

impl<W: Work> TurnRun<W> {
    /// An empty turn that lets at most `cap` calls run side by side.
    #[must_use]
    pub fn new(env: &Env, cap: NonZeroUsize) -> TurnRun<W> {
        TurnRun::with_room(env, cap, 0)
    }

    /// An empty turn that has room for so many calls before it grows.
    #[must_use]
    pub fn with_room(env: &Env, cap: NonZeroUsize, calls: usize) -> TurnRun<W> {
        let state = State {
            line: Line::with_room(cap, calls, env.mutants().clone()),
            slots: Slots::with_room(calls),
            entries: Vec::with_capacity(calls),
            at_gate: Vec::new(),
            admitted: VecDeque::new(),
            withdrawn: VecDeque::new(),
            is_advancing: false,
            failures: Vec::new(),
            cancelled: None,
            closed: false,
        };
        TurnRun { shared: Arc::new(Shared { env: env.clone(), state: Mutex::new(state) }) }
    }

    /// Gives a call its place, now, and starts its job when its time has come. A job ends its [`Place`] with
    /// [`Place::finish`].
    pub fn submit<F>(&self, work: W, safe: bool, job: impl FnOnce(Place<W>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Joined { index, cancellation, is_first } = self.shared.lock().join(safe);
        let make = || job(Place::new(Arc::clone(&self.shared), index, cancellation, work));
        if is_first {
            let mut advancing = Advancing { shared: &self.shared, spawned: None };
            let name = TaskName { kind: "call", index };
            advancing.spawned = Some((index, self.shared.env.spawn(name, make())));
            return;
        }
        let future = caught(make());
        let next = {
            let mut state = self.shared.lock();
            state.entries[index].job = Some(future);
            if let Some(cause) = state.cancelled.clone() {
                state.entries[index].cancellation.set(cause);
                state.withdrawn.push_back(index);
            }
            state.begin_advancing()
        };
        self.shared.advance(next);
    }

    /// Cancels every call without a result: queued ones never start, running ones are stopped.
    pub fn abort(&self) {
        self.stop(Cause::Aborted);
    }

    /// The person sent a new message: like [`TurnRun::abort`], but running bodies behind a [`Shield`] finish.
    pub fn interrupt(&self) {
        self.stop(Cause::Interrupted);
    }

    /// Cancels every call without a result, for this cause; a call that is submitted later is cancelled on arrival.
    pub fn stop(&self, cause: Cause) {
        self.shared.cancel_all(cause);
    }

    /// The next result in the order of the calls; nothing when every call submitted so far has handed over its own.
    pub async fn next(&mut self) -> Option<W::Result> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// See [`TurnRun::next`].
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<W::Result>> {
        let mut state = self.shared.lock();
        if self.shared.env.mutants().has(Mutant::HandedOutOfOrder) {
            state.slots.swap_with_full(None);
        }
        state.slots.poll_next(cx)
    }

    /// Whether every call submitted so far has handed over its result.
    #[must_use]
    pub fn is_through(&self) -> bool {
        self.shared.lock().slots.is_through()
    }

    /// Whether it was stopped as a whole.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.shared.lock().cancelled.is_some()
    }

    /// A way to stop this turn from elsewhere.
    #[must_use]
    pub fn stopper(&self) -> Stopper<W> {
        Stopper(Arc::downgrade(&self.shared))
    }
}

/// Stops a turn from elsewhere; does nothing once the turn is gone. Cheap to clone.
pub struct Stopper<W: Work>(Weak<Shared<W>>);

impl<W: Work> Clone for Stopper<W> {
    fn clone(&self) -> Stopper<W> {
        Stopper(Weak::clone(&self.0))
    }
}

impl<W: Work> Stopper<W> {
    /// See [`TurnRun::abort`].
    pub fn abort(&self) {
        self.stop(Cause::Aborted);
    }

    /// See [`TurnRun::interrupt`].
    pub fn interrupt(&self) {
        self.stop(Cause::Interrupted);
    }

    fn stop(&self, cause: Cause) {
        if let Some(shared) = self.0.upgrade() {
            shared.cancel_all(cause);
        }
    }
}

impl<W: Work> fmt::Debug for Stopper<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopper")
    }
}

impl<W: Work> Drop for TurnRun<W> {
    fn drop(&mut self) {
        let (mut jobs, mut handles) = (Vec::new(), Vec::new());
        {
            let mut state = self.shared.lock();
            state.closed = true;
            if state.slots.is_through() {
                return;
            }
            for entry in &mut state.entries {
                jobs.extend(entry.job.take());
                handles.extend(entry.handle.take());
            }
        }
        handles.iter().for_each(Handle::abort);
        // Places in the jobs leave the line as they are dropped, so the lock must be free. What is in them is others' code
        // too: where one panics as it is dropped, the next is dropped all the same.
        for job in jobs {
            drop(catch_unwind(AssertUnwindSafe(|| drop(job))));
        }
    }
}

impl<W: Work> fmt::Debug for TurnRun<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnRun").field("line", &self.shared.lock().line).finish_non_exhaustive()
    }
}

impl<W: Work> Shared<W> {
    pub(super) fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Spawns this job, and every other whose time has come. The lock is free while a job is spawned. Whoever finds
    /// another at it has no job to begin with and leaves the rest to that one, which looks once more before it stops.
    pub(super) fn advance(&self, first: Option<NextJob>) {
        let Some((index, job)) = first else { return };
        let mut advancing = Advancing { shared: self, spawned: None };
        advancing.spawn(index, job);
    }

    pub(super) fn fill(&self, index: usize, result: W::Result) -> Result<(), W::Result> {
        let mut state = self.lock();
        if self.env.mutants().has(Mutant::LostResultOnAbort) && state.cause(index).is_some() {
            return Ok(());
        }
        let waker = state.slots.fill(index, result)?;
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    /// The common end of a call, in one go: its result is written, and its place is left.
    pub(super) fn fill_and_leave(&self, index: usize, result: W::Result) -> Result<(), W::Result> {
        let mut state = self.lock();
        let is_lost = self.env.mutants().has(Mutant::LostResultOnAbort) && state.cause(index).is_some();
        let filled = if is_lost { Ok(None) } else { state.slots.fill(index, result) };
        let mutants = self.env.mutants();
        if (mutants.has(Mutant::SwappedOnAbort) && state.cause(index).is_some())
            || mutants.is_long(Mutant::SwappedInTheCrowd, index)
        {
            state.slots.swap_with_full(Some(index));
        }
        self.leave_locked(state, index);
        let waker = filled?;
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    pub(super) fn leave(&self, index: usize) {
        self.leave_locked(self.lock(), index);
    }

    fn leave_locked(&self, mut state: MutexGuard<'_, State<W>>, index: usize) {
        state.line.leave(index);
        let handle = state.entries[index].handle.take();
        let (wakers, next) = (state.take_gate_wakers(), state.begin_advancing());
        drop(state);
        drop(handle);
        wakers.iter().for_each(Waker::wake_by_ref);
        self.advance(next);
    }

    fn cancel_all(&self, cause: Cause) {
        let mut state = self.lock();
        state.cancelled.get_or_insert_with(|| cause.clone());
        self.cancel_locked(state, &cause);
    }

    /// Cancels whoever has no result. The cause is the failure earliest in the turn among those of this instant.
    pub(super) fn commit_failures(&self) {
        let mut state = self.lock();
        let Some((_index, label)) = state.failures.iter().min().cloned() else { return };
        state.failures.clear();
        let cause = Cause::Sibling(label);
        // Calls that are still to be submitted are siblings too.
        state.cancelled.get_or_insert_with(|| cause.clone());
        self.cancel_locked(state, &cause);
    }

    fn cancel_locked(&self, mut state: MutexGuard<'_, State<W>>, cause: &Cause) {
        let told = state.cancel_unanswered(cause);
        let (wakers, next) = (state.take_gate_wakers(), state.begin_advancing());
        drop(state);
        told.iter().for_each(Cancellation::tell);
        wakers.iter().for_each(Waker::wake_by_ref);
        self.advance(next);
    }
}

/// A job whose time has come, with the index of its call.
type NextJob = (usize, BoxFuture<'static, ()>);

/// The one who spawns jobs now. At its end, also by a panic, it has spawned every job whose time has come.
struct Advancing<'a, W: Work> {
    shared: &'a Shared<W>,
    /// What was spawned last, still to be kept.
    spawned: Option<(usize, Handle)>,
}

impl<W: Work> Advancing<'_, W> {
    fn spawn(&mut self, index: usize, job: BoxFuture<'static, ()>) {
        let handle = self.shared.env.spawn_caught(TaskName { kind: "call", index }, job);
        self.spawned = Some((index, handle));
    }
}

impl<W: Work> Drop for Advancing<'_, W> {
    fn drop(&mut self) {
        loop {
            let next = {
                let mut state = self.shared.lock();
                if let Some((index, handle)) = self.spawned.take() {
                    state.keep(index, handle);
                }
                let next = state.next_job();
                state.is_advancing = next.is_some();
                next
            };
            match next {
                Some((index, job)) => self.spawn(index, job),
                None => return,
            }
        }
    }
}

impl<W: Work> State<W> {
    /// Gives a call its place.
    fn join(&mut self, safe: bool) -> Joined {
        self.slots.push();
        let entry = Entry::default();
        let cancellation = entry.cancellation.clone();
        self.entries.push(entry);
        let index = self.line.join(safe);
        Joined { index, cancellation, is_first: self.is_first(index) }
    }

    /// Whether a call that has just come is admitted at once, with nothing else to be spawned before it: then whoever
    /// submits it spawns it, and is the one who advances.
    fn is_first(&mut self, index: usize) -> bool {
        let may_be_first = !self.is_advancing && self.cancelled.is_none() && self.admitted.is_empty();
        if may_be_first && let Some(admitted) = self.line.admit() {
            if admitted == index {
                self.is_advancing = true;
                return true;
            }
            self.admitted.push_back(admitted);
        }
        false
    }

    /// The first of the jobs to spawn, unless somebody is at it, who will look again.
    pub(super) fn begin_advancing(&mut self) -> Option<NextJob> {
        if self.is_advancing {
            return None;
        }
        let next = self.next_job();
        self.is_advancing = next.is_some();
        next
    }

    /// The next job to spawn: of a place that was cancelled in the line, or that is admitted now.
    fn next_job(&mut self) -> Option<NextJob> {
        if self.closed {
            return None;
        }
        while let Some(index) = self.withdrawn.pop_front() {
            self.line.withdraw(index);
            self.admitted.retain(|&admitted| admitted != index);
            if let Some(job) = self.entries[index].job.take() {
                return Some((index, job));
            }
        }
        while let Some(index) = self.line.admit() {
            self.admitted.push_back(index);
        }
        // Those without a job are still to get it from whoever submits them.
        for at in 0..self.admitted.len() {
            let index = self.admitted[at];
            if let Some(job) = self.entries[index].job.take() {
                self.admitted.remove(at);
                return Some((index, job));
            }
        }
        None
    }

    fn keep(&mut self, index: usize, handle: Handle) {
        if self.closed {
            handle.abort();
        } else if self.slots.is_empty_at(index) {
            self.entries[index].handle = Some(handle);
        }
    }

    pub(super) fn cause(&self, index: usize) -> Option<Cause> {
        self.entries[index].cancellation.cause().cloned()
    }

    pub(super) fn shield(&mut self, index: usize, shield: Shield) {
        self.entries[index].is_shielded = shield == Shield::Closed;
    }

    pub(super) fn wait_at_gate(&mut self, index: usize, waker: &Waker) {
        if self.entries[index].gate.replace(waker.clone()).is_none() {
            self.at_gate.push(index);
        }
    }

    /// The wakers of all who wait at the gate; each looks again whether it may start.
    pub(super) fn take_gate_wakers(&mut self) -> Vec<Waker> {
        if self.at_gate.is_empty() {
            return Vec::new();
        }
        let mut waiting = std::mem::take(&mut self.at_gate);
        // In the order of the line, whatever the order of coming.
        waiting.sort_unstable();
        if self.line.mutants().has(Mutant::WakesOneAtTheGate) {
            waiting.truncate(1);
        }
        waiting.into_iter().filter_map(|index| self.entries[index].gate.take()).collect()
    }

    pub(super) fn note_failure(&mut self, index: usize, label: Arc<str>) {
        self.failures.push((index, label));
    }

    pub(super) fn has_failures(&self) -> bool {
        !self.failures.is_empty()
    }

    pub(super) fn is_unanswered(&self, index: usize) -> bool {
        self.slots.is_empty_at(index)
    }

    /// Marks every call without a result; gives those to tell.
    fn cancel_unanswered(&mut self, cause: &Cause) -> Vec<Cancellation> {
        let mut told = Vec::new();
        for index in 0..self.entries.len() {
            let is_spared = *cause == Cause::Interrupted && self.entries[index].is_shielded;
            if !self.slots.is_empty_at(index) || is_spared {
                continue;
            }
            let entry = &self.entries[index];
            if entry.job.is_some() && !entry.cancellation.is_cancelled() {
                self.withdrawn.push_back(index);
            }
            entry.cancellation.set(cause.clone());
            told.push(entry.cancellation.clone());
        }
        told
    }
}
