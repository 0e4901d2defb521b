//! An agent's model: it is told who it is, and what goes through it is counted and shown as progress.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use serde::Serialize;
use toolwright::env::Env;
use toolwright::event::Event;
use toolwright::message::{Block, CallId, Message};
use toolwright::query::{Model, ModelEvent, ModelStream, Request, Usage};
use toolwright::registry::Backend;

/// A message of an agent, while it runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentProgress {
    /// The agent.
    pub agent_id: String,
    /// The message.
    pub message: Message,
}

/// Who hears of an agent's messages: whoever watches the call that started it.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    pub(crate) env: Env,
    pub(crate) call: CallId,
}

/// What went through a model.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) usage: Usage,
    pub(crate) tool_uses: usize,
    messages: usize,
}

/// The model of one agent.
pub(crate) struct Watched {
    model: Arc<dyn Model>,
    system: Option<Arc<str>>,
    agent: String,
    listener: Mutex<Option<Listener>>,
    spent: Arc<Mutex<Spent>>,
}

impl Watched {
    pub(crate) fn new(
        model: Arc<dyn Model>,
        system: &str,
        agent: String,
        listener: Option<Listener>,
        already_said: usize,
    ) -> Watched {
        let system = Some(system).filter(|system| !system.is_empty()).map(Arc::from);
        let spent = Spent { messages: already_said, ..Spent::default() };
        Watched { model, system, agent, listener: Mutex::new(listener), spent: Arc::new(Mutex::new(spent)) }
    }

    /// Counts and shows the messages that are new in a conversation.
    pub(crate) fn hear(&self, conversation: &[Message]) {
        let new = {
            let mut spent = lock(&self.spent);
            let new = conversation.get(spent.messages..).unwrap_or_default();
            spent.messages = conversation.len();
            spent.tool_uses += new.iter().map(calls_in).sum::<usize>();
            new
        };
        let listener = lock(&self.listener).clone();
        let Some(Listener { env, call }) = listener else { return };
        for message in new {
            let progress = AgentProgress { agent_id: self.agent.clone(), message: message.clone() };
            env.emit(|| Event::Progress {
                call: call.clone(),
                data: serde_json::to_value(&progress).unwrap_or_default(),
                lines: Vec::new(),
            });
        }
    }

    /// Nobody listens any more: the call is over.
    pub(crate) fn mute(&self) {
        *lock(&self.listener) = None;
    }

    pub(crate) fn spent(&self) -> Spent {
        *lock(&self.spent)
    }
}

fn calls_in(message: &Message) -> usize {
    message.content.iter().filter(|block| matches!(block, Block::ToolUse(_))).count()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Model for Watched {
    fn backend(&self) -> Backend {
        self.model.backend()
    }

    fn respond(&self, mut request: Request) -> ModelStream {
        self.hear(&request.messages);
        request.system = self.system.clone();
        let spent = Arc::clone(&self.spent);
        let before = lock(&spent).usage;
        Box::pin(self.model.respond(request).inspect(move |event| {
            if let Ok(ModelEvent::Usage(answer)) = event {
                let mut usage = before;
                usage += *answer;
                lock(&spent).usage = usage;
            }
        }))
    }
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watched").field("agent", &self.agent).finish_non_exhaustive()
    }
}
