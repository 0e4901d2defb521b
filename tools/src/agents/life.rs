//! One agent from its start to its last word.

use std::path::PathBuf;
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

use super::hold::Hold;
use super::running::AgentStatus;
use super::servers::AgentServers;
use super::subset::{self, Setting};
use super::watched::{Listener, Watched};
use super::worktree::{Kept, Worktree};
use super::{AgentDefinition, Agents, Isolation};

/// What is to be done, and by whom.
pub(crate) struct Order<'a> {
    pub(crate) agent: &'a AgentDefinition,
    pub(crate) description: String,
    pub(crate) prompt: String,
    pub(crate) model: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) in_background: bool,
    /// Where it is to work; as its definition says where the call says nothing.
    pub(crate) isolation: Option<Isolation>,
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
    /// Its own working tree, where it has one.
    pub(super) tree: Option<Arc<Worktree>>,
    pub(super) servers: AgentServers,
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
    /// The working tree of its own that was kept, since something in it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<PathBuf>,
    /// The branch of that tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_branch: Option<String>,
}

/// Makes the session of an agent, within the session of the call. What it may do is at most what that session may.
///
/// # Errors
/// In words: a limit, or nothing that it could do.
pub(crate) async fn start<T: Tool>(
    cx: &Cx<'_, T>,
    agents: &Agents,
    order: &Order<'_>,
) -> Result<(Arc<Life>, Hold), String> {
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
    let mut hold = Hold::of(agents.running().enter()?);
    let id = cx.env().new_id("agent");
    let cancellation = Cancellation::new();
    let (session, tree) = session_of(cx, agents, order, &id, &cancellation).await?;
    let closed = [agent.disallowed_tools.as_slice(), &order.without].concat();
    let servers = AgentServers::new(&agent.servers, closed, agents.servers(), agents.trusts_hooks());
    if servers.is_empty() {
        has_tools(&session, agent)?;
    }
    let said = session.moments().subagent_start(&id, &agent.name, Some(&order.description)).await;
    if let Some(why) = said.blocked.or(said.stopped) {
        return Err(format!("a hook would not have the agent `{}` start: {why}", agent.name));
    }
    said.context.into_iter().for_each(|context| session.push(Message::note(context)));
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
        tree,
        servers,
    });
    hold.take_up(&life).await.map_err(|why| format!("the agent `{}` was not started: {why}", agent.name))?;
    has_tools(&life.session, agent)?;
    agents.running().add(&life);
    Ok((life, hold))
}

/// The session that an agent works in, and the working tree that it is to have.
async fn session_of<T: Tool>(
    cx: &Cx<'_, T>,
    agents: &Agents,
    order: &Order<'_>,
    id: &str,
    cancellation: &Cancellation,
) -> Result<(Session, Option<Arc<Worktree>>), String> {
    let agent = order.agent;
    let above = cx.context().mode;
    let depth = cx.chain().depth();
    let setting = Setting {
        in_background: order.in_background,
        is_deepest: depth + 1 >= agents.depth_max(),
        mode: agent.mode.map_or(above, |mode| Mode::of_agent(above, mode)),
    };
    let Some(child) = cx.child(id, &agent.name, cancellation.clone()) else {
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
    let mut history = skills_of(agents, agent)?;
    let tree = own_tree(cx, order, id).await?;
    if let Some(tree) = &tree {
        child = child.work_in(tree.place().clone());
        history.push(Message::note(tree.notice()));
    }
    Ok((child.history(history).build(), tree))
}

/// An agent without a tool can do nothing.
fn has_tools(session: &Session, agent: &AgentDefinition) -> Result<(), String> {
    if session.pool().tools().is_empty() {
        return Err(format!(
            "no tool is left for the agent `{}`: none of its tools is in this session",
            agent.name
        ));
    }
    Ok(())
}

/// The working tree that an agent is to have, where it is to have one of its own. It is not made yet.
async fn own_tree<T: Tool>(
    cx: &Cx<'_, T>,
    order: &Order<'_>,
    id: &str,
) -> Result<Option<Arc<Worktree>>, String> {
    match order.isolation.or(order.agent.isolation) {
        None => Ok(None),
        Some(Isolation::Remote) => Err("agents run on this machine only: use `worktree`".to_owned()),
        Some(Isolation::Worktree) => {
            let (context, name) = (cx.context().clone(), id.to_owned());
            let planned = cx.env().blocking(move || Worktree::plan(&context, &name)).await;
            let planned = planned.map_err(|end| end.to_string())?;
            let tree = planned.map_err(|why| {
                format!("the agent `{}` cannot have a working tree of its own: {why}", order.agent.name)
            })?;
            Ok(Some(Arc::new(tree)))
        }
    }
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
        Ok(Message::note(format!("the skill `{}`:\n{}", skill.name, skill.plain_text())))
    });
    texts.collect()
}

/// Runs an agent while somebody waits for it. When nobody does any more it is stopped.
pub(crate) async fn wait_for(
    agents: &Agents,
    life: &Arc<Life>,
    hold: Hold,
    prompt: String,
) -> Result<Report, String> {
    let stop = StopWhenDropped { agents, life };
    let end = drive(agents, life, hold, prompt).await;
    std::mem::forget(stop);
    end
}

/// Runs an agent that nobody waits for.
pub(crate) fn let_run(agents: &Agents, life: Arc<Life>, hold: Hold, prompt: String) {
    life.in_background.store(true, Ordering::SeqCst);
    let (agents, env) = (agents.clone(), life.session.env().clone());
    let run = async move {
        let stop = StopWhenDropped { agents: &agents, life: &life };
        // What it came to is in the list of agents.
        drop(drive(&agents, &life, hold, prompt).await);
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
        // What it held was given up before. Nobody gets a result that could name the tree.
        if self.life.kept().is_some() {
            self.agents.running().tell_of(&self.life.id);
        }
    }
}

async fn drive(agents: &Agents, life: &Life, mut hold: Hold, mut prompt: String) -> Result<Report, String> {
    let ended = loop {
        let ended = match hold.take_up(life).await {
            Ok(()) => run_once(life, &prompt).await,
            Err(why) => life.stopped(&why),
        };
        if life.tree.is_some() {
            // What still ran in the tree would write into one that is gone.
            agents.tasks().stop_all_of(life.session.ties());
        }
        hold.leave_tree(life).await;
        let ended = life.with_tree(ended);
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
    agents.tasks().stop_all_of(life.session.ties());
    drop(hold);
    ended
}

/// Runs the agent's loop for one prompt.
async fn run_once(life: &Life, prompt: &str) -> Result<Report, String> {
    let session = &life.session;
    let began = session.env().now();
    let ended = {
        let mut run = pin!(session.run(&life.model, prompt.to_owned(), life.budget));
        let mut stopped = pin!(life.cancellation.cancelled());
        match session.env().race("agent", &mut run, &mut stopped).await {
            Either::Left(end) => end,
            // Its calls are answered when the run is dropped.
            Either::Right(_cause) => End::Aborted,
        }
    };
    life.model.hear(&session.conversation());
    life.outcome(ended, prompt, session.env().now().since(began).as_millis())
}

impl Life {
    pub(super) fn in_background(&self) -> bool {
        self.in_background.load(Ordering::SeqCst)
    }

    /// Its own working tree, where that was kept.
    pub(super) fn kept(&self) -> Option<Kept> {
        self.tree.as_ref()?.kept()
    }

    /// What it came to, with the tree that was kept.
    fn with_tree(&self, ended: Result<Report, String>) -> Result<Report, String> {
        let Some(kept) = self.kept() else { return ended };
        match ended {
            Ok(report) => {
                Ok(Report { worktree_path: Some(kept.path), worktree_branch: Some(kept.branch), ..report })
            }
            Err(why) => Err(format!("{why}; {kept}")),
        }
    }

    fn stopped(&self, why: &str) -> Result<Report, String> {
        let last = last_words(&self.session.conversation());
        let last = last.map_or(String::new(), |last| format!("; the last it said: {last}"));
        Err(format!("the agent `{}` ({}) {why}{last}", self.kind, self.id))
    }

    fn outcome(&self, end: End, prompt: &str, millis: u128) -> Result<Report, String> {
        let text = match end {
            End::Answered(text) if !text.trim().is_empty() => text,
            End::Answered(_) => last_words(&self.session.conversation())
                .unwrap_or_else(|| "(the agent ended without a word)".to_owned()),
            End::OutOfBudget(_spent) => {
                return self.stopped("was stopped before its end: it has used up what it may spend");
            }
            End::Aborted => return self.stopped("was stopped"),
            End::Failed(error) => return self.stopped(&format!("failed, since its model did: {error}")),
            End::Blocked(why) => return self.stopped(&format!("was not started: {why}")),
            End::Stopped(why) => return self.stopped(&format!("was stopped by a hook: {why}")),
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
            worktree_path: None,
            worktree_branch: None,
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
