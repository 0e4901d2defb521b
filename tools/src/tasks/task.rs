//! One task that is a process of this machine: its state, its output, and its end.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::Serialize;
use tokio::sync::Notify;
use toolwright::env::{Cancellation, Cause};
use toolwright::session::Ties;

use super::TaskStatus;
use super::events::Events;
use super::spool::Spool;
use crate::process_tree::Tree;

/// What kind of task it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// A command in the background.
    Bash,
    /// A command or a file whose lines are told as they come.
    Monitor,
    /// An agent in the background.
    Agent,
}

impl TaskKind {
    /// What its identifiers begin with.
    pub(crate) fn word(self) -> &'static str {
        match self {
            TaskKind::Bash => "bash",
            TaskKind::Monitor => "monitor",
            TaskKind::Agent => "agent",
        }
    }

    /// What it is called in a sentence.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            TaskKind::Bash => "command",
            TaskKind::Monitor => "monitor",
            TaskKind::Agent => "agent",
        }
    }
}

/// Why a task was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It was asked for.
    Asked,
    /// The session, or the agent that it belongs to, is over.
    Over,
    /// It went beyond a limit, in words.
    Limit(Cow<'static, str>),
}

/// A task.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) kind: TaskKind,
    /// What it is, in a line.
    pub(crate) description: String,
    /// The session it belongs to; nothing in tests of a method by itself.
    pub(crate) ties: Option<Ties>,
    pub(crate) spool: Arc<Spool>,
    /// Its lines, where the model is told them as they come.
    pub(crate) events: Option<Arc<Events>>,
    /// Tells whoever runs it to stop it.
    stopping: Cancellation,
    why: OnceLock<Why>,
    /// Everything that it has started; nothing where it is no process. Gone once it was killed.
    tree: Mutex<Option<Tree>>,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    status: TaskStatus,
    /// Whether the model knows of its end.
    is_told: bool,
}

impl Task {
    pub(crate) fn new(
        id: String,
        kind: TaskKind,
        description: String,
        ties: Option<&Ties>,
        spool: Arc<Spool>,
        events: Option<Arc<Events>>,
        tree: Option<Tree>,
    ) -> Task {
        Task {
            id,
            kind,
            description,
            ties: ties.cloned(),
            spool,
            events,
            stopping: Cancellation::new(),
            why: OnceLock::new(),
            tree: Mutex::new(tree),
            state: Mutex::new(State { status: TaskStatus::Running, is_told: false }),
            changed: Notify::new(),
        }
    }

    pub(crate) fn status(&self) -> TaskStatus {
        self.state().status.clone()
    }

    pub(crate) fn is_running(&self) -> bool {
        self.state().status == TaskStatus::Running
    }

    /// Has whoever runs it stop it. The first reason stays.
    pub(crate) fn stop(&self, why: Why) {
        // A reason that came second is dropped.
        drop(self.why.set(why));
        self.stopping.cancel(Cause::Aborted);
    }

    /// Waits until it is to be stopped; says why.
    pub(crate) async fn stopped(&self) -> Why {
        self.stopping.cancelled().await;
        self.why.get().cloned().unwrap_or(Why::Over)
    }

    /// Ends it here and now with all that it has started, without waiting: nobody may be there any more to run what
    /// stops it with patience.
    pub(crate) fn kill(&self) {
        self.stop(Why::Over);
        self.kill_what_is_left();
    }

    /// Kills all that it has started. Blocks shortly.
    pub(crate) fn kill_what_is_left(&self) {
        let tree = self.tree().take();
        drop(tree);
    }

    /// Nothing is left of its process group; what has left that still belongs to it.
    pub(crate) fn forget_group(&self) {
        if let Some(tree) = &mut *self.tree() {
            tree.forget_group();
        }
    }

    /// It has ended; the first end stays. The model is told, unless it asks first.
    pub(crate) fn ended(self: &Arc<Self>, status: TaskStatus) {
        // Whoever sees the end finds the notice of it there: it is left before the state is seen.
        let mut state = self.state();
        if state.status != TaskStatus::Running {
            return;
        }
        state.status = status;
        self.spool.close();
        if let Some(rest) = self.events.as_ref().and_then(|events| events.rest()) {
            self.tell(rest);
        }
        if let Some(ties) = &self.ties {
            let task = Arc::clone(self);
            ties.note(move || task.take_notice());
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Tells the model of lines that came.
    pub(crate) fn tell(&self, lines: String) {
        if let Some(ties) = &self.ties {
            let note =
                format!("from the {} `{}` ({}):\n{lines}", self.kind.noun(), self.id, self.description);
            ties.note(move || Some(note));
        }
    }

    /// Waits until it has ended.
    pub(crate) async fn end(&self) -> TaskStatus {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            match self.status() {
                TaskStatus::Running => changed.await,
                ended => return ended,
            }
        }
    }

    /// The model knows of its end from somewhere else.
    pub(crate) fn told(&self) {
        let mut state = self.state();
        state.is_told = state.status != TaskStatus::Running;
    }

    /// What the model is to be told of its end; nothing where it knows.
    fn take_notice(&self) -> Option<String> {
        let status = {
            let mut state = self.state();
            if std::mem::replace(&mut state.is_told, true) {
                return None;
            }
            state.status.clone()
        };
        let (noun, id, about, bytes) = (self.kind.noun(), &self.id, &self.description, self.spool.total());
        let ended = status.words();
        let place = match self.spool.place() {
            Some(place) => format!("; its output is in `{}`", place.display()),
            None => String::new(),
        };
        Some(format!(
            "the {noun} `{id}` in the background ({about}) {ended}; it wrote {bytes} bytes, which TaskOutput shows{place}"
        ))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tree(&self) -> MutexGuard<'_, Option<Tree>> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
