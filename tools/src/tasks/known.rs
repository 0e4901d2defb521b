//! A task of any kind, as TaskOutput and TaskStop see it: a process that is kept here, or an agent.

use std::sync::Arc;

use toolwright::contract::{Cx, Tool};

use super::registry::Asking;
use super::spool::{News, SHOWN_CHARS_MAX};
use super::task::{Task, Why};
use super::{TaskKind, Tasks};
use crate::agents::{AgentStatus, Life, Running, not_found};

/// What became of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskStatus {
    /// It runs.
    Running,
    /// It has ended by itself, with this exit code; an agent has none.
    Ended(Option<i32>),
    /// It has ended by itself and failed; this is why.
    Failed(String),
    /// It was stopped; this is why.
    Stopped(String),
}

impl TaskStatus {
    /// It in one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            TaskStatus::Running => "running",
            TaskStatus::Ended(_) => "completed",
            TaskStatus::Failed(_) => "failed",
            TaskStatus::Stopped(_) => "stopped",
        }
    }

    /// It as the end of a sentence about the task.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            TaskStatus::Running => "runs".to_owned(),
            TaskStatus::Ended(None) => "has ended".to_owned(),
            TaskStatus::Ended(Some(code)) => format!("has ended with exit code {code}"),
            TaskStatus::Failed(why) => format!("has failed: {why}"),
            TaskStatus::Stopped(why) => format!("was stopped: {why}"),
        }
    }
}

/// A task that a call may know of.
pub(crate) enum Known {
    Process(Arc<Task>),
    Agent(Running, Arc<Life>),
}

/// Whoever asks for tasks by a call.
pub(crate) fn asking<'a, T: Tool>(cx: &Cx<'a, T>) -> Asking<'a> {
    Asking { ties: cx.ties(), is_outermost: cx.chain().depth() == 0 }
}

/// The task of this identifier.
///
/// # Errors
/// In words, with the nearest identifiers: there is none that the call may know of.
pub(crate) fn find<T: Tool>(cx: &Cx<'_, T>, tasks: &Tasks, id: &str) -> Result<Known, String> {
    let asking = asking(cx);
    if let Some(task) = tasks.find(id, asking) {
        return Ok(Known::Process(task));
    }
    let agents = agents_of(cx, tasks);
    if let Some((running, life)) =
        agents.iter().find(|(_, life)| life.id == id || life.name.as_deref() == Some(id))
    {
        return Ok(Known::Agent(running.clone(), Arc::clone(life)));
    }
    let mut ids: Vec<String> = tasks.seen(asking).iter().map(|task| task.id.clone()).collect();
    ids.extend(agents.iter().map(|(_, life)| life.id.clone()));
    Err(not_found("task", id, ids.iter().map(String::as_str)))
}

/// The agents that a call may know of: the main agent all of its session, an agent those it has started.
fn agents_of<T: Tool>(cx: &Cx<'_, T>, tasks: &Tasks) -> Vec<(Running, Arc<Life>)> {
    let (Some(running), Some(ties)) = (tasks.agents(), cx.ties()) else { return Vec::new() };
    let all = running.all().into_iter().filter_map(|(id, _status)| running.find(&id));
    let is_seen = |life: &Arc<Life>| {
        let is_mine = cx.chain().agent().is_none_or(|me| life.started_by.as_deref() == Some(me));
        is_mine && ties.is_same_session(life.session.ties())
    };
    all.filter(is_seen).map(|life| (running.clone(), life)).collect()
}

impl Known {
    pub(crate) fn id(&self) -> &str {
        match self {
            Known::Process(task) => &task.id,
            Known::Agent(_, life) => &life.id,
        }
    }

    pub(crate) fn kind(&self) -> TaskKind {
        match self {
            Known::Process(task) => task.kind,
            Known::Agent(..) => TaskKind::Agent,
        }
    }

    pub(crate) fn description(&self) -> &str {
        match self {
            Known::Process(task) => &task.description,
            Known::Agent(_, life) => &life.description,
        }
    }

    pub(crate) fn status(&self) -> TaskStatus {
        match self {
            Known::Process(task) => task.status(),
            Known::Agent(running, life) => match running.status(&life.id) {
                Some(AgentStatus::Running) => TaskStatus::Running,
                Some(AgentStatus::Finished(_)) => TaskStatus::Ended(None),
                Some(AgentStatus::Failed(why)) => TaskStatus::Failed(why),
                Some(AgentStatus::Stopped) => TaskStatus::Stopped("it was asked for".to_owned()),
                None => TaskStatus::Failed("it was long ago, and is forgotten".to_owned()),
            },
        }
    }

    /// Waits until it has ended.
    pub(crate) async fn end(&self) {
        match self {
            Known::Process(task) => drop(task.end().await),
            Known::Agent(running, life) => drop(running.end_of(&life.id).await),
        }
    }

    /// The model knows of its end.
    pub(crate) fn told(&self) {
        match self {
            Known::Process(task) => task.told(),
            Known::Agent(running, life) => running.told(&life.id),
        }
    }

    /// What it has written, or said, since this was last asked.
    pub(crate) fn take_news(&self) -> News {
        match self {
            Known::Process(task) => task.spool.take_news(!task.is_running()),
            Known::Agent(running, life) => {
                let said = match running.status(&life.id) {
                    Some(AgentStatus::Finished(report)) => report.text,
                    _nothing => String::new(),
                };
                let too_many = said.chars().count().saturating_sub(SHOWN_CHARS_MAX);
                let from = said.char_indices().nth(too_many).map_or(said.len(), |(at, _)| at);
                News { text: said[from..].to_owned(), bytes_before: from as u64 }
            }
        }
    }

    /// Has it stopped.
    pub(crate) fn stop(&self) {
        match self {
            Known::Process(task) => task.stop(Why::Asked),
            Known::Agent(running, life) => drop(running.stop(&life.id)),
        }
    }
}
