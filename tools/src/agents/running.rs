//! The agents that were started: which run, what the others came to, and what they are still to be told.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use toolwright::env::{Cancellation, Cause};
use toolwright::message::Message;

use super::life::{Life, Report};

/// How many agents that have ended are kept, to be asked for their output or to go on.
const ENDED_MAX: usize = 100;
/// How many messages may wait for an agent.
const WAITING_MAX: usize = 100;
/// How many characters of what an agent said a notice has.
const NOTICE_CHARS_MAX: usize = 32_000;

/// What became of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentStatus {
    /// It runs.
    Running,
    /// It has said its last word.
    Finished(Report),
    /// It ended without one; this is why.
    Failed(String),
    /// It was stopped.
    Stopped,
}

/// The agents that were started. Cheap to clone; clones share.
#[derive(Clone)]
pub struct Running {
    state: Arc<Mutex<State>>,
    ended: Arc<Notify>,
    max: usize,
}

#[derive(Default)]
struct State {
    agents: BTreeMap<String, Entry>,
    /// The identifiers, in the order they were started.
    order: VecDeque<String>,
    active: usize,
}

struct Entry {
    life: Arc<Life>,
    status: AgentStatus,
    waiting: VecDeque<String>,
    /// Whether somebody is to be told of its end.
    is_to_be_told: bool,
}

/// One of the places for agents that run; left when it is dropped.
#[derive(Debug)]
pub(crate) struct Slot(Running);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.lock().active -= 1;
    }
}

impl Running {
    pub(super) fn new(max: usize) -> Running {
        Running { state: Arc::default(), ended: Arc::default(), max }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place among the agents that run.
    pub(super) fn enter(&self) -> Result<Slot, String> {
        let mut state = self.lock();
        if state.active >= self.max {
            return Err(format!(
                "concurrent subagent limit reached: {} agents run already; wait until one has ended",
                self.max
            ));
        }
        state.active += 1;
        Ok(Slot(self.clone()))
    }

    pub(super) fn add(&self, life: &Arc<Life>) {
        let mut state = self.lock();
        let entry = Entry {
            life: Arc::clone(life),
            status: AgentStatus::Running,
            waiting: VecDeque::new(),
            is_to_be_told: life.in_background(),
        };
        state.agents.insert(life.id.clone(), entry);
        state.order.push_back(life.id.clone());
        state.forget();
    }

    /// An agent has said its last word, unless a message waits for it: then that is next.
    pub(super) fn ended(&self, id: &str, status: AgentStatus) -> Option<String> {
        let mut state = self.lock();
        let entry = state.agents.get_mut(id)?;
        if matches!(status, AgentStatus::Finished(_))
            && let Some(next) = entry.waiting.pop_front()
        {
            return Some(next);
        }
        entry.waiting.clear();
        entry.status = status;
        drop(state);
        self.ended.notify_waiters();
        None
    }

    /// Gives an agent that runs a message, or takes one that has ended up again: then it is given, to be run.
    pub(super) fn tell(&self, id: &str, message: String) -> Result<Option<Arc<Life>>, String> {
        let mut state = self.lock();
        let entry = state.agents.get_mut(id).ok_or_else(|| format!("there is no agent `{id}`"))?;
        match &entry.status {
            AgentStatus::Running if entry.waiting.len() >= WAITING_MAX => {
                Err(format!("{WAITING_MAX} messages wait for the agent `{id}` already"))
            }
            AgentStatus::Running => {
                entry.waiting.push_back(message);
                Ok(None)
            }
            AgentStatus::Stopped => Err(format!("the agent `{id}` was stopped; start another")),
            AgentStatus::Finished(_) | AgentStatus::Failed(_) => {
                entry.status = AgentStatus::Running;
                entry.is_to_be_told = true;
                Ok(Some(Arc::clone(&entry.life)))
            }
        }
    }

    /// The identifier of the agent that goes by this identifier or name; the one that was started last where several
    /// have the name.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<Life>> {
        let state = self.lock();
        if let Some(entry) = state.agents.get(name) {
            return Some(Arc::clone(&entry.life));
        }
        let mut lives = state.order.iter().rev().filter_map(|id| Some(&state.agents.get(id)?.life));
        lives.find(|life| life.name.as_deref() == Some(name)).cloned()
    }

    /// The agents that are known, in the order they were started, with what became of them.
    #[must_use]
    pub fn all(&self) -> Vec<(String, AgentStatus)> {
        let state = self.lock();
        let known =
            state.order.iter().filter_map(|id| Some((id.clone(), state.agents.get(id)?.status.clone())));
        known.collect()
    }

    /// What became of an agent; nothing where it is not known.
    #[must_use]
    pub fn status(&self, id: &str) -> Option<AgentStatus> {
        Some(self.lock().agents.get(id)?.status.clone())
    }

    /// Everything that an agent has said and was told.
    #[must_use]
    pub fn conversation(&self, id: &str) -> Option<Arc<Vec<Message>>> {
        let life = Arc::clone(&self.lock().agents.get(id)?.life);
        Some(life.session.conversation())
    }

    /// Waits until an agent has ended; nothing where it is not known.
    pub async fn end_of(&self, id: &str) -> Option<AgentStatus> {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            ended.as_mut().enable();
            match self.status(id)? {
                AgentStatus::Running => ended.await,
                end => return Some(end),
            }
        }
    }

    /// Somebody is to be told of an agent's end, though nobody waited for it in the background.
    pub(super) fn tell_of(&self, id: &str) {
        if let Some(entry) = self.lock().agents.get_mut(id) {
            entry.is_to_be_told = true;
        }
    }

    /// Stops an agent; says whether it ran.
    pub fn stop(&self, id: &str) -> bool {
        let Some(cancellation) = self.cancellation(id) else { return false };
        cancellation.cancel(Cause::Aborted);
        true
    }

    fn cancellation(&self, id: &str) -> Option<Cancellation> {
        let state = self.lock();
        let entry = state.agents.get(id)?;
        (entry.status == AgentStatus::Running).then(|| entry.life.cancellation.clone())
    }

    /// The main agent knows of this agent's end from somewhere else.
    pub(crate) fn told(&self, id: &str) {
        if let Some(entry) = self.lock().agents.get_mut(id)
            && entry.status != AgentStatus::Running
        {
            entry.is_to_be_told = false;
        }
    }

    /// What the main agent has not been told yet of agents that ended in the background, as notes for its conversation.
    #[must_use]
    pub fn take_notices(&self) -> Vec<Message> {
        let mut state = self.lock();
        let mut notices = Vec::new();
        let order = state.order.clone();
        for id in order {
            let Some(entry) = state.agents.get_mut(&id) else { continue };
            if entry.is_to_be_told && entry.status != AgentStatus::Running {
                entry.is_to_be_told = false;
                let text = notice(&id, &entry.life, &entry.status);
                notices.push(Message::note(text));
            }
        }
        notices
    }
}

impl State {
    /// Forgets the agents that ended first, where there are many.
    fn forget(&mut self) {
        let has_ended = |state: &State, id: &String| {
            state
                .agents
                .get(id)
                .is_none_or(|entry| entry.status != AgentStatus::Running && !entry.is_to_be_told)
        };
        let ended: Vec<String> = self.order.iter().filter(|id| has_ended(self, id)).cloned().collect();
        for id in ended.iter().take(ended.len().saturating_sub(ENDED_MAX)) {
            self.agents.remove(id);
            self.order.retain(|other| other != id);
        }
    }
}

fn notice(id: &str, life: &Life, status: &AgentStatus) -> String {
    let place = if life.in_background() { " in the background" } else { "" };
    let about = format!("the agent `{id}`{place} ({})", life.description);
    let tree = life.kept().map_or_else(String::new, |kept| format!("; {kept}"));
    match status {
        AgentStatus::Running => format!("{about} runs"),
        AgentStatus::Finished(report) => {
            let shown: String = report.text.chars().take(NOTICE_CHARS_MAX).collect();
            let rest = report.text.chars().count().saturating_sub(NOTICE_CHARS_MAX);
            let cut = if rest > 0 { format!("\n… {rest} more characters") } else { String::new() };
            format!("{about} has finished{tree}. It says:\n{shown}{cut}")
        }
        AgentStatus::Failed(why) => format!("{about} has failed: {why}"),
        AgentStatus::Stopped => format!("{about} was stopped{tree}"),
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.all().iter().map(|(id, _)| id)).finish()
    }
}
