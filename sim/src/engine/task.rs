//! Tasks of a simulation, their wakers and their handles.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use toolwright::env::OtherHandle;

use super::strategy::TaskId;

/// Who was woken or stopped since the world looked.
#[derive(Debug, Default)]
pub(super) struct Ready(Mutex<ReadyState>);

#[derive(Debug, Default)]
pub(super) struct ReadyState {
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
        self.news.woken.push(id);
        if let Some(outside) = self.outside.take() {
            outside.wake();
        }
    }
}

/// How a task stands with those who hold its handle.
#[derive(Debug, Default)]
pub(super) struct Fate {
    pub(super) is_aborted: bool,
    pub(super) has_ended: bool,
    pub(super) joiner: Option<Waker>,
}

/// What the world, the handle and the wakers of a task have in common; it is the handle.
pub(super) struct Shared {
    pub(super) id: TaskId,
    pub(super) ready: Arc<Ready>,
    pub(super) fate: Mutex<Fate>,
}

impl Shared {
    pub(super) fn fate(&self) -> MutexGuard<'_, Fate> {
        self.fate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Shared {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ready.lock().wake(self.id);
    }
}

impl OtherHandle for Shared {
    /// The executor drops the task at its next step, as tokio does: never inline.
    fn abort(&self) {
        let Shared { id, ready, .. } = self;
        let mut fate = self.fate();
        if !fate.has_ended && !fate.is_aborted {
            fate.is_aborted = true;
            let mut ready = ready.lock();
            ready.wake(*id);
            ready.news.aborted.push(*id);
        }
    }

    fn poll_ended(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut fate = self.fate();
        if fate.has_ended {
            return Poll::Ready(());
        }
        fate.joiner = Some(cx.waker().clone());
        Poll::Pending
    }
}
