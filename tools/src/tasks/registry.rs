//! The tasks that were begun, whoever's they are.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use toolwright::session::Ties;

use super::task::{Task, Why};
use crate::agents::Running;

/// Limits that tasks keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskLimits {
    /// How many run at a time in one session.
    pub running_max: usize,
    /// How many that have ended are kept in one session, to be asked for their output.
    pub ended_max: usize,
    /// How many bytes of a task's output its file takes.
    pub file_bytes_max: u64,
    /// How many bytes a task may write before it is stopped.
    pub output_bytes_max: u64,
}

impl Default for TaskLimits {
    fn default() -> TaskLimits {
        TaskLimits {
            running_max: 50,
            ended_max: 100,
            file_bytes_max: 64 * 1024 * 1024,
            output_bytes_max: 5 * 1024 * 1024 * 1024,
        }
    }
}

/// What becomes of a command that is late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Late {
    /// It is stopped with everything that it started.
    #[default]
    Stop,
    /// It goes on in the background, unless it only waits, may be one of git, or could not be understood.
    Move,
}

/// The tasks that were begun: what Bash, Monitor, TaskOutput and TaskStop share. Cheap to clone; clones share. Sessions do
/// not see each other's tasks, and an agent only its own.
#[derive(Clone, Debug, Default)]
pub struct Tasks(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    limits: TaskLimits,
    late: Late,
    tasks: Mutex<VecDeque<Arc<Task>>>,
    agents: OnceLock<Running>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.tasks.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..).for_each(|task| task.kill());
    }
}

/// Builds [`Tasks`].
#[derive(Clone, Copy, Debug, Default)]
pub struct TasksBuilder {
    limits: TaskLimits,
    late: Late,
}

/// Who asks for tasks: a call, by its session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking<'a> {
    /// Nothing in tests of a method by itself.
    pub(crate) ties: Option<&'a Ties>,
    /// Whether it is within no agent.
    pub(crate) is_outermost: bool,
}

impl Asking<'_> {
    fn is_same_session(&self, task: &Task) -> bool {
        is_same(self.ties, task.ties.as_ref(), Ties::is_same_session)
    }

    fn is_same_conversation(&self, task: &Task) -> bool {
        is_same(self.ties, task.ties.as_ref(), Ties::is_same_conversation)
    }

    /// Whether it may know of a task.
    fn sees(&self, task: &Task) -> bool {
        self.is_same_conversation(task) || (self.is_outermost && self.is_same_session(task))
    }
}

/// Whether two things hang on the same: by this comparison, or both on nothing, as in tests of a method by itself.
pub(crate) fn is_same(one: Option<&Ties>, other: Option<&Ties>, compare: fn(&Ties, &Ties) -> bool) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => compare(one, other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

impl Tasks {
    /// None yet, with the usual limits; a command that is late is stopped.
    #[must_use]
    pub fn new() -> Tasks {
        Tasks::default()
    }

    /// Begins with the usual limits.
    #[must_use]
    pub fn builder() -> TasksBuilder {
        TasksBuilder::default()
    }

    pub(crate) fn limits(&self) -> &TaskLimits {
        &self.0.limits
    }

    pub(crate) fn late(&self) -> Late {
        self.0.late
    }

    /// Agents in the background are tasks too: TaskOutput and TaskStop find them. The first that are given stay.
    pub(crate) fn know_agents(&self, running: &Running) {
        // Agents that come second share the tools of others, and are known to these alone.
        drop(self.0.agents.set(running.clone()));
    }

    pub(crate) fn agents(&self) -> Option<&Running> {
        self.0.agents.get()
    }

    /// Adds one, unless too many run in its session; then it is killed.
    pub(crate) fn add(&self, task: Arc<Task>) -> Result<(), String> {
        let asking = Asking { ties: task.ties.as_ref(), is_outermost: true };
        let mut tasks = self.tasks();
        let of_session = |other: &&Arc<Task>| asking.is_same_session(other);
        let running = tasks.iter().filter(of_session).filter(|other| other.is_running()).count();
        if running >= self.0.limits.running_max {
            drop(tasks);
            task.kill();
            return Err(format!(
                "{running} tasks run in the background already: stop one with TaskStop, or wait until one has ended"
            ));
        }
        let ended: Vec<Arc<Task>> =
            tasks.iter().filter(of_session).filter(|other| !other.is_running()).cloned().collect();
        for old in ended.iter().take((ended.len() + 1).saturating_sub(self.0.limits.ended_max)) {
            tasks.retain(|other| !Arc::ptr_eq(other, old));
        }
        tasks.push_back(Arc::clone(&task));
        drop(tasks);
        if let Some(ties) = &task.ties {
            let (task, shared) = (Arc::downgrade(&task), Arc::downgrade(&self.0));
            ties.when_over(move || {
                let Some(task) = task.upgrade() else { return };
                task.kill();
                if let Some(shared) = shared.upgrade() {
                    Tasks(shared).tasks().retain(|other| !Arc::ptr_eq(other, &task));
                }
            });
        }
        Ok(())
    }

    /// The task of this identifier, where whoever asks may know of it.
    pub(crate) fn find(&self, id: &str, asking: Asking<'_>) -> Option<Arc<Task>> {
        self.tasks().iter().find(|task| task.id == id && asking.sees(task)).cloned()
    }

    /// The tasks that whoever asks may know of, in the order they were begun.
    pub(crate) fn seen(&self, asking: Asking<'_>) -> Vec<Arc<Task>> {
        self.tasks().iter().filter(|task| asking.sees(task)).cloned().collect()
    }

    /// The identifiers of the tasks that run in a session, agents left out, in the order they were begun.
    #[must_use]
    pub fn running_in(&self, ties: &Ties) -> Vec<String> {
        let seen = self.seen(Asking { ties: Some(ties), is_outermost: true });
        seen.into_iter().filter(|task| task.is_running()).map(|task| task.id.clone()).collect()
    }

    /// Waits until a task has ended; at once where it is not known.
    pub async fn end_of(&self, id: &str) {
        let task = self.tasks().iter().find(|task| task.id == id).cloned();
        if let Some(task) = task {
            task.end().await;
        }
    }

    /// Stops the tasks of one conversation, such as that of an agent that has ended.
    pub fn stop_all_of(&self, ties: &Ties) {
        for task in self.seen(Asking { ties: Some(ties), is_outermost: false }) {
            task.stop(Why::Over);
        }
    }

    fn tasks(&self) -> MutexGuard<'_, VecDeque<Arc<Task>>> {
        self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TasksBuilder {
    /// The limits that tasks keep.
    #[must_use]
    pub fn limits(mut self, limits: TaskLimits) -> TasksBuilder {
        self.limits = limits;
        self
    }

    /// What becomes of a command that is late.
    #[must_use]
    pub fn late(mut self, late: Late) -> TasksBuilder {
        self.late = late;
        self
    }

    /// The tasks: none yet.
    #[must_use]
    pub fn build(self) -> Tasks {
        let TasksBuilder { limits, late } = self;
        Tasks(Arc::new(Shared { limits, late, tasks: Mutex::default(), agents: OnceLock::new() }))
    }
}
