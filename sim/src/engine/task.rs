//! Tasks of a simulation, their wakers and their handles.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use toolwright::env::OtherHandle;

use super::strategy::TaskId;

/// The tasks that can run, and who was woken or stopped since somebody looked.
#[derive(Debug, Default)]
pub(super) struct Ready(Mutex<ReadyState>);

#[derive(Debug, Default)]
pub(super) struct ReadyState {
    pub(super) ids: BTreeSet<TaskId>,
    /// Who waits outside the world until some task can run.
    pub(super) outside: Option<Waker>,
    pub(super) news: News,
}

/// Who was woken or stopped, in order, once for each time.
#[derive(Debug, Default)]
pub(super) struct News {
    pub(super) woken: Vec<TaskId>,
    pub(super) aborted: Vec<TaskId>,
}

impl News {
    pub(super) fn clear(&mut self) {
        self.woken.clear();
        self.aborted.clear();
    }
}

impl Ready {
    pub(super) fn lock(&self) -> MutexGuard<'_, ReadyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadyState {
    pub(super) fn wake(&mut self, id: TaskId) {
        self.ids.insert(id);
        self.news.woken.push(id);
        if let Some(outside) = self.outside.take() {
            outside.wake();
        }
    }
}

/// Puts its task among those that can run.
pub(super) struct TaskWaker {
    pub(super) id: TaskId,
    pub(super) ready: Arc<Ready>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ready.lock().wake(self.id);
    }
}

/// How a task stands with those who hold its handle.
#[derive(Debug, Default)]
pub(super) struct Fate {
    pub(super) is_aborted: bool,
    pub(super) has_ended: bool,
    pub(super) joiner: Option<Waker>,
}

/// The handle of a simulated task.
pub(super) struct SimHandle {
    pub(super) id: TaskId,
    pub(super) ready: Arc<Ready>,
    pub(super) fate: Arc<Mutex<Fate>>,
}

pub(super) fn lock(fate: &Mutex<Fate>) -> MutexGuard<'_, Fate> {
    fate.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OtherHandle for SimHandle {
    /// The executor drops the task at its next step, as tokio does: never inline.
    fn abort(&self) {
        let mut fate = lock(&self.fate);
        if !fate.has_ended && !fate.is_aborted {
            fate.is_aborted = true;
            let mut ready = self.ready.lock();
            ready.wake(self.id);
            ready.news.aborted.push(self.id);
        }
    }

    fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut fate = lock(&self.fate);
        if fate.has_ended {
            return Poll::Ready(());
        }
        fate.joiner = Some(cx.waker().clone());
        Poll::Pending
    }
}
