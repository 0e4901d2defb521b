//! One agent from its start to its last word.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use toolwright::contract::{Cx, Tool};
use toolwright::env::{Cancellation, Cause, Either, TaskName};
use toolwright::hooks::{HookConfig, HookLayer};
use toolwright::message::{Block, Message, Role};
use toolwright::permission::{Mode, Source};
use toolwright::query::{Budget, End};
use toolwright::session::Session;

use super::running::{AgentStatus, Slot};
use super::subset::{self, Setting};
use super::watched::{Listener, Watched};
use super::{AgentDefinition, Agents};

/// What is to be done, and by whom.
pub(crate) struct Order<'a> {
    pub(crate) agent: &'a AgentDefinition,
    pub(crate) description: String,
    pub(crate) prompt: String,
    pub(crate) model: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) in_background: bool,
    /// Tools that it may not have besides.
    pub(crate) without: Vec<String>,
}

/// An agent that was started.
pub(crate) struct Life {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) name: Option<String>,
    pub(crate) description: String,
    /// The agent that started it; nothing where the main one did.
    pub(crate) started_by: Option<String>,
    pub(crate) session: Session,
    pub(crate) cancellation: Cancellation,
    model: Watched,
    model_name: Option<String>,
    budget: Budget,
    in_background: AtomicBool,
}

/// What an agent came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The agent.
    pub agent_id: String,
    /// What kind of agent it is.
    pub agent_type: String,
    /// What it was told to do.
    pub prompt: String,
    /// Its last word.
    #[serde(skip)]
    pub text: String,
    /// How long it took.
    pub total_duration_ms: u64,
    /// How many tokens its model read and wrote, where it said so.
    pub total_tokens: u64,
    /// How many calls it made.
    pub total_tool_use_count: usize,
    /// The model it asked for by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_model: Option<String>,
}

/// Makes the session of an agent, within the session of the call. What it may do is at most what that session may.
///
/// # Errors
/// In words: a limit, or nothing that it could do.
pub(crate) async fn start<T: Tool>(
    cx: &Cx<'_, T>,
    agents: &Agents,
    order: &Order<'_>,
) -> Result<(Arc<Life>, Slot), String> {
    let agent = order.agent;
    if let Some(why) = &agent.unavailable {
        return Err(format!("the agent `{}` cannot be run: {why}", agent.name));
    }
    let depth = cx.chain().depth();
    if depth >= agents.depth_max() {
        return Err(format!(
            "agents may be {} deep within each other, and this one is: do the work here",
            agents.depth_max()
        ));
    }
    let slot = agents.running().enter()?;
    let id = cx.env().new_id("agent");
    let cancellation = Cancellation::new();
    let above = cx.context().mode;
    let setting = Setting {
        in_background: order.in_background,
        is_deepest: depth + 1 >= agents.depth_max(),
        mode: agent.mode.map_or(above, |mode| Mode::of_agent(above, mode)),
    };
    let Some(child) = cx.child(&id, &agent.name, cancellation.clone()) else {
        return Err("this call is in no session, so no agent can be started from it".to_owned());
    };
    let mut child = child.keep(|form| {
        subset::has(agent, setting, &form.name) && !order.without.iter().any(|tool| *tool == form.name)
    });
    child = child.hooks_configured(hooks_of(agents, agent)?);
    if let Some(mode) = agent.mode {
        child = child.mode(mode);
    }
    let named = order.model.as_deref().or(agent.model.as_deref()).map(|name| agents.model_named(name));
    if let Some(name) = &named {
        child = child.model(name);
    }
    let session = child.history(skills_of(agents, agent)?).build();
    if session.pool().tools().is_empty() {
        return Err(format!(
            "no tool is left for the agent `{}`: none of its tools is in this session",
            agent.name
        ));
    }
    let said = session.moments().subagent_start(&id, &agent.name, Some(&order.description)).await;
    if let Some(why) = said.blocked.or(said.stopped) {
        return Err(format!("a hook would not have the agent `{}` start: {why}", agent.name));
    }
    said.context.into_iter().for_each(|context| session.push(note(context)));
    let listener = Listener { env: cx.env().clone(), call: cx.call_id().clone() };
    let listener = Some(listener).filter(|_| !order.in_background);
    let already_said = session.conversation().len();
    let life = Arc::new(Life {
        model: Watched::new(agents.model(), &agent.system_prompt, id.clone(), listener, already_said),
        model_name: session.context().model.clone(),
        budget: agents.budget(agent),
        kind: agent.name.clone(),
        name: order.name.clone(),
        description: order.description.clone(),
        started_by: cx.chain().agent().map(str::to_owned),
        in_background: AtomicBool::new(order.in_background),
        id,
        session,
        cancellation,
    });
    agents.running().add(&life);
    Ok((life, slot))
}

/// The hooks that an agent brings. Without them it could do what its author does not want.
fn hooks_of(agents: &Agents, agent: &AgentDefinition) -> Result<Option<HookLayer>, String> {
    let Some(hooks) = &agent.hooks else { return Ok(None) };
    if !agents.trusts_hooks() {
        return Err(format!(
            "the agent `{}` cannot be run: it brings `hooks`, which run only where its folder is trusted",
            agent.name
        ));
    }
    let (config, _told_when_it_was_read) = HookConfig::from_json(hooks);
    Ok(Some(HookLayer::new(Source::ProjectSettings, config)))
}

/// The skills that an agent has read when it begins.
fn skills_of(agents: &Agents, agent: &AgentDefinition) -> Result<Vec<Message>, String> {
    let texts = agent.skills.iter().map(|name| {
        let skill = agents.skills().find(name).map_err(|why| format!("the agent `{}`: {why}", agent.name))?;
        if let Some(why) = &skill.unavailable {
            return Err(format!("the agent `{}`: its skill `{name}` cannot be used: {why}", agent.name));
        }
        Ok(note(format!("the skill `{}`:\n{}", skill.name, skill.plain_text())))
    });
    texts.collect()
}

fn note(text: String) -> Message {
    Message { is_meta: true, ..Message::user(text) }
}

/// Runs an agent while somebody waits for it. When nobody does any more it is stopped.
pub(crate) async fn wait_for(
    agents: &Agents,
    life: &Arc<Life>,
    slot: Slot,
    prompt: String,
) -> Result<Report, String> {
    let stop = StopWhenDropped { agents, life };
    let end = drive(agents, life, slot, prompt).await;
    std::mem::forget(stop);
    end
}

/// Runs an agent that nobody waits for.
pub(crate) fn let_run(agents: &Agents, life: Arc<Life>, slot: Slot, prompt: String) {
    life.in_background.store(true, Ordering::SeqCst);
    let (agents, env) = (agents.clone(), life.session.env().clone());
    let run = async move {
        let stop = StopWhenDropped { agents: &agents, life: &life };
        // What it came to is in the list of agents.
        drop(drive(&agents, &life, slot, prompt).await);
        std::mem::forget(stop);
    };
    drop(env.spawn(TaskName { kind: "agent", index: 0 }, run));
}

/// Stops an agent whose run is given up.
struct StopWhenDropped<'a> {
    agents: &'a Agents,
    life: &'a Life,
}

impl Drop for StopWhenDropped<'_> {
    fn drop(&mut self) {
        self.life.cancellation.cancel(Cause::Aborted);
        self.agents.running().ended(&self.life.id, AgentStatus::Stopped);
        self.agents.tasks().stop_all_of(self.life.session.ties());
        self.life.model.mute();
    }
}

async fn drive(agents: &Agents, life: &Life, slot: Slot, mut prompt: String) -> Result<Report, String> {
    let session = &life.session;
    let began = session.env().now();
    let ended = loop {
        let ended = {
            let mut run = pin!(session.run(&life.model, prompt.clone(), life.budget));
            let mut stopped = pin!(life.cancellation.cancelled());
            match session.env().race("agent", &mut run, &mut stopped).await {
                Either::Left(end) => end,
                // Its calls are answered when the run is dropped.
                Either::Right(_cause) => End::Aborted,
            }
        };
        life.model.hear(&session.conversation());
        let ended = life.outcome(ended, &prompt, session.env().now().since(began).as_millis());
        let status = match &ended {
            Ok(report) => AgentStatus::Finished(report.clone()),
            Err(_) if life.cancellation.is_cancelled() => AgentStatus::Stopped,
            Err(why) => AgentStatus::Failed(why.clone()),
        };
        match agents.running().ended(&life.id, status) {
            Some(next) => prompt = next,
            None => break ended,
        }
    };
    life.model.mute();
    agents.tasks().stop_all_of(session.ties());
    drop(slot);
    ended
}

impl Life {
    pub(super) fn in_background(&self) -> bool {
        self.in_background.load(Ordering::SeqCst)
    }

    fn outcome(&self, end: End, prompt: &str, millis: u128) -> Result<Report, String> {
        let conversation = self.session.conversation();
        let stopped = |why: String| {
            let last =
                last_words(&conversation).map_or(String::new(), |last| format!("; the last it said: {last}"));
            Err(format!("the agent `{}` ({}) {why}{last}", self.kind, self.id))
        };
        let text = match end {
            End::Answered(text) if !text.trim().is_empty() => text,
            End::Answered(_) => {
                last_words(&conversation).unwrap_or_else(|| "(the agent ended without a word)".to_owned())
            }
            End::OutOfBudget(_spent) => {
                return stopped("was stopped before its end: it has used up what it may spend".to_owned());
            }
            End::Aborted => return stopped("was stopped".to_owned()),
            End::Failed(error) => return stopped(format!("failed, since its model did: {error}")),
            End::Blocked(why) => return stopped(format!("was not started: {why}")),
            End::Stopped(why) => return stopped(format!("was stopped by a hook: {why}")),
        };
        let spent = self.model.spent();
        Ok(Report {
            agent_id: self.id.clone(),
            agent_type: self.kind.clone(),
            prompt: prompt.to_owned(),
            text,
            total_duration_ms: u64::try_from(millis).unwrap_or(u64::MAX),
            total_tokens: spent.usage.total(),
            total_tool_use_count: spent.tool_uses,
            resolved_model: self.model_name.clone(),
        })
    }
}

fn last_words(conversation: &[Message]) -> Option<String> {
    let said = conversation.iter().rev().filter(|message| message.role == Role::Assistant);
    let texts = said.flat_map(|message| {
        message.content.iter().rev().filter_map(|block| match block {
            Block::Text(text) if !text.trim().is_empty() => Some(text.clone()),
            _other => None,
        })
    });
    texts.take(1).next()
}

impl std::fmt::Debug for Life {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Life").field("id", &self.id).field("kind", &self.kind).finish_non_exhaustive()
    }
}
