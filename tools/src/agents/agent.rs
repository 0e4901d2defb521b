//! `Agent`: has another agent do a task.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};
use toolwright::permission::Profile;
use toolwright::prelude::*;

use super::life::{self, Order};
use super::{AgentProgress, Agents, Report};
use crate::front_matter::names;
use crate::one_line::one_line;

/// The agent that does what no other is asked for.
const KIND_DEFAULT: &str = "general-purpose";
/// How many characters of an agent's description the model reads.
const DESCRIPTION_CHARS_MAX: usize = 1_536;

/// Has another agent do a task of several steps. It has a conversation and tools of its own; only its last message comes
/// back. It knows nothing of this conversation: say everything that it needs.
#[tool(
    concurrency_safe = Agent::is_safe_beside,
    aliases("Task"),
    always_load,
    default_permission = allow,
    max_result_chars = 32_000,
    state = Agents,
    progress = AgentProgress,
    search_hint = "delegate a task to a sub-agent"
)]
pub struct Agent {
    /// The task in three to five words, for the person.
    description: String,
    /// What the agent is to do, and what it needs to know.
    prompt: String,
    /// Which agent; `general-purpose` when left out.
    subagent_type: Option<String>,
    /// The model it is to use; the agent's own when left out.
    model: Option<ModelName>,
    /// Whether to go on without waiting for it. Its end is told later.
    run_in_background: Option<bool>,
    /// A name to send it messages by.
    name: Option<String>,
    /// Where it is to work, other than here: `worktree` gives it a git working tree of its own.
    isolation: Option<Isolation>,
    #[tool(inject = |agents| agents.clone())]
    agents: Agents,
}

/// A model, by its short name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Params)]
#[serde(rename_all = "lowercase")]
pub enum ModelName {
    /// Quick and able.
    Sonnet,
    /// Slow and thorough.
    Opus,
    /// Quick and small.
    Haiku,
    /// The most able.
    Fable,
}

/// Where an agent works, other than here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Params)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// In a working tree of its own, made for it of the last commit: removed when nothing in it was changed.
    Worktree,
    /// On another machine. Not available.
    Remote,
}

/// What became of a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum AgentOutput {
    /// It is done.
    Completed {
        /// What the agent said last, as blocks.
        content: Vec<Value>,
        /// What it took.
        #[serde(flatten)]
        report: Report,
    },
    /// An agent is at it.
    AsyncLaunched {
        /// The agent.
        agent_id: String,
        /// The task in a few words.
        description: String,
        /// What the agent is to do.
        prompt: String,
    },
}

impl Tool for Agent {
    type Output = AgentOutput;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Name(self.kind().to_owned()))
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        self.agents.find(self.kind()).map_err(InvalidInput::new)?;
        if self.prompt.trim().is_empty() {
            return Err(InvalidInput::new("`prompt` is empty: say what the agent is to do"));
        }
        if self.isolation == Some(Isolation::Remote) {
            return Err(InvalidInput::new(
                "`isolation` cannot be `remote`, since agents run on this machine: use `worktree`, or leave it out",
            ));
        }
        match &self.name {
            Some(name) => names::check(name).map_err(|bad| InvalidInput::new(format!("`name`: {bad}"))),
            None => Ok(()),
        }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<AgentOutput, ToolError> {
        let agents = &self.agents;
        let agent = agents.find(self.kind()).map_err(ToolError::new)?;
        let prompt = match &agent.initial_prompt {
            Some(first) => format!("{first}\n\n{}", self.prompt),
            None => self.prompt.clone(),
        };
        let order = Order {
            agent,
            description: one_line(&self.description),
            prompt,
            model: self.model.map(|model| model.name().to_owned()),
            name: self.name.clone(),
            in_background: self.run_in_background.unwrap_or(agent.background),
            isolation: self.isolation,
            without: Vec::new(),
        };
        let (life, hold) = life::start(cx, agents, &order).await.map_err(ToolError::new)?;
        if order.in_background {
            let agent_id = life.id.clone();
            life::let_run(agents, life, hold, order.prompt.clone());
            return Ok(AgentOutput::AsyncLaunched {
                agent_id,
                description: order.description,
                prompt: self.prompt.clone(),
            });
        }
        let report = life::wait_for(agents, &life, hold, order.prompt).await.map_err(ToolError::new)?;
        Ok(AgentOutput::completed(report))
    }

    fn prompt(agents: &Agents) -> Cow<'static, str> {
        let mut text = Self::form_docs().to_owned();
        text.push_str("\n\nThe agents:");
        for agent in agents.definitions().values() {
            let about: String = agent.description.chars().take(DESCRIPTION_CHARS_MAX).collect();
            text.push_str(&format!("\n- {}: {}", agent.name, about.replace('\n', " ")));
        }
        Cow::Owned(text)
    }

    fn result_content(data: &AgentOutput) -> Content {
        match data {
            AgentOutput::Completed { report, .. } => {
                let kept = match (&report.worktree_path, &report.worktree_branch) {
                    (Some(path), Some(branch)) => format!(
                        "; its working tree has changes and was kept: `{}`, branch `{branch}`",
                        path.display()
                    ),
                    _none => String::new(),
                };
                format!(
                    "{}\n\n(agent `{}`: {} calls, {} tokens; SendMessage goes on with it{kept})",
                    report.text, report.agent_id, report.total_tool_use_count, report.total_tokens
                )
                .into()
            }
            AgentOutput::AsyncLaunched { agent_id, description, .. } => format!(
                "the agent `{agent_id}` works on it in the background ({description}); you are told when it has \
                 finished, so do not wait for it"
            )
            .into(),
        }
    }

    fn description(&self) -> String {
        format!("Agent {}: {}", one_line(self.kind()), one_line(&self.description))
    }

    fn classifier_input(&self) -> Option<String> {
        Some(format!("start the agent {} with: {}", self.kind(), self.prompt))
    }

    fn render_result(data: &AgentOutput) -> Vec<String> {
        match data {
            AgentOutput::Completed { report, .. } => {
                let about = format!("{} calls, {} tokens", report.total_tool_use_count, report.total_tokens);
                std::iter::once(about).chain(report.text.lines().take(3).map(str::to_owned)).collect()
            }
            AgentOutput::AsyncLaunched { description, .. } => {
                vec![format!("in the background: {description}")]
            }
        }
    }
}

impl Agent {
    /// In the reference version agents ran alone.
    fn is_safe_beside(&self) -> bool {
        match self.agents.profile() {
            Profile::V2_1_88 => false,
            Profile::Current => true,
        }
    }

    fn kind(&self) -> &str {
        self.subagent_type.as_deref().unwrap_or(KIND_DEFAULT)
    }

    fn form_docs() -> &'static str {
        &<Agent as toolwright::contract::ToolForm>::form().docs
    }
}

impl AgentOutput {
    pub(crate) fn completed(report: Report) -> AgentOutput {
        AgentOutput::Completed { content: vec![json!({"type": "text", "text": report.text})], report }
    }
}

impl ModelName {
    fn name(self) -> &'static str {
        match self {
            ModelName::Sonnet => "sonnet",
            ModelName::Opus => "opus",
            ModelName::Haiku => "haiku",
            ModelName::Fable => "fable",
        }
    }
}
