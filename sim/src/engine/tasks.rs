//! The tasks of a world, by their numbers.

use std::sync::{Arc, Mutex};
use std::task::Waker;

use toolwright::env::{BoxFuture, TaskName, Tick};

use super::strategy::{Announced, ReadyTask, TaskId};
use super::stuck::{Waiting, Waits};
use super::task::Fate;

/// Every task there ever was; those that have ended are nothing but their parent's number.
#[derive(Default)]
pub(super) struct Tasks {
    alive: Vec<Option<Task>>,
    parents: Vec<Option<TaskId>>,
}

pub(super) struct Task {
    pub(super) name: TaskName,
    /// Taken out while the task is polled.
    pub(super) future: Option<BoxFuture<'static, ()>>,
    pub(super) waker: Waker,
    pub(super) fate: Arc<Mutex<Fate>>,
    pub(super) is_aborted: bool,
    pub(super) announced: Option<Announced>,
    pub(super) last: Option<Announced>,
    pub(super) since: Tick,
    /// How often it was woken since its step before.
    pub(super) wakes: u32,
    pub(super) steps: u64,
}

impl Tasks {
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

    /// Takes note of who was woken and who was stopped.
    pub(super) fn note(&mut self, woken: &[TaskId], aborted: &[TaskId]) {
        for &id in woken {
            if let Some(task) = self.get(id) {
                task.wakes += 1;
            }
        }
        for &id in aborted {
            if let Some(task) = self.get(id) {
                task.is_aborted = true;
            }
        }
    }

    /// A task as a strategy sees it; nothing once it has ended.
    pub(super) fn ready(&self, id: TaskId) -> Option<ReadyTask> {
        let task = self.alive.get(id)?.as_ref()?;
        let announced = task.announced.filter(|_| !task.is_aborted);
        Some(ReadyTask { id, name: task.name, announced, is_aborted: task.is_aborted })
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
