//! The tasks of a world, by their numbers.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use toolwright::env::{BoxFuture, TaskName, Tick};

use super::strategy::{Announced, ReadyTask, TaskId};
use super::stuck::{Waiting, Waits};
use super::task::Shared;

/// Every task there ever was; those that have ended are nothing but their parent's number.
pub(super) struct Tasks {
    alive: Vec<Option<Task>>,
    parents: Vec<Option<TaskId>>,
}

pub(super) struct Task {
    pub(super) name: TaskName,
    /// What its handle and its wakers have of it.
    pub(super) shared: Arc<Shared>,
    /// Taken out while the task is polled.
    pub(super) polled: Option<Polled>,
    pub(super) is_aborted: bool,
    pub(super) announced: Option<Announced>,
    last: Option<Announced>,
    since: Tick,
    /// How often it was woken since its step before.
    pub(super) wakes: u32,
    steps: u64,
}

/// What a step of a task takes.
pub(super) struct Polled {
    pub(super) future: BoxFuture<'static, ()>,
    pub(super) waker: Waker,
}

impl Polled {
    pub(super) fn poll(&mut self) -> Poll<()> {
        self.future.as_mut().poll(&mut Context::from_waker(&self.waker))
    }
}

impl Task {
    pub(super) fn new(name: TaskName, shared: Arc<Shared>, polled: Polled, now: Tick) -> Task {
        Task {
            name,
            shared,
            polled: Some(polled),
            is_aborted: false,
            announced: None,
            last: None,
            since: now,
            wakes: 0,
            steps: 0,
        }
    }

    /// The task as a strategy sees it.
    pub(super) fn ready(&self, id: TaskId) -> ReadyTask {
        let announced = self.announced.filter(|_| !self.is_aborted);
        ReadyTask { id, name: self.name, announced, is_aborted: self.is_aborted }
    }

    /// It makes a step now; gives what the step takes.
    pub(super) fn begin_step(&mut self, now: Tick) -> Option<Polled> {
        self.steps += 1;
        self.since = now;
        self.last = self.announced.take().or(self.last);
        self.polled.take()
    }
}

/// For how many tasks there is room from the start, which is enough for a small turn.
const TASKS: usize = 32;

impl Tasks {
    pub(super) fn new() -> Tasks {
        Tasks { alive: Vec::with_capacity(TASKS), parents: Vec::with_capacity(TASKS) }
    }

    pub(super) fn next_id(&self) -> TaskId {
        self.alive.len()
    }

    pub(super) fn add(&mut self, task: Task, parent: Option<TaskId>) {
        self.alive.push(Some(task));
        self.parents.push(parent);
    }

    pub(super) fn get(&mut self, id: TaskId) -> Option<&mut Task> {
        self.alive.get_mut(id)?.as_mut()
    }

    pub(super) fn remove(&mut self, id: TaskId) -> Option<Task> {
        self.alive.get_mut(id)?.take()
    }

    /// Takes all that are left.
    pub(super) fn drain(&mut self) -> Vec<Task> {
        std::mem::take(&mut self.alive).into_iter().flatten().collect()
    }

    /// Who has not ended, and whom each may wait for.
    pub(super) fn waiting(&self) -> Waits {
        let alive = || (0..).zip(&self.alive).filter_map(|(id, task)| Some((id, task.as_ref()?)));
        let of = |(id, task): (TaskId, &Task)| Waiting {
            task: task.name,
            on: alive()
                .filter(|(other, _)| self.living_parent(*other) == Some(id))
                .map(|(_, other)| other.name)
                .collect(),
            since: task.since,
            last: task.last,
            steps: task.steps,
        };
        Waits(alive().map(of).collect())
    }

    /// Who spawned a task, or who spawned that one, and so on: the nearest that has not ended.
    fn living_parent(&self, task: TaskId) -> Option<TaskId> {
        let mut parent = self.parents[task];
        while let Some(id) = parent
            && self.alive[id].is_none()
        {
            parent = self.parents[id];
        }
        parent
    }
}
