//! `SendMessage`: tells an agent more.

use serde::Serialize;
use toolwright::prelude::*;

use super::hold::Hold;
use super::{AgentStatus, Agents, life};
use crate::one_line::one_line;

/// Sends a message to an agent that was started before. One that runs gets it when it has finished what it is at; one
/// that has finished goes on in the background, with everything it knows. Its end is told later.
#[tool(
    should_defer,
    default_permission = allow,
    state = Agents,
    search_hint = "send a message to a sub-agent, go on with it"
)]
pub struct SendMessage {
    /// The agent: its identifier, or the name it was given.
    to: String,
    /// The message.
    message: String,
    /// What it is about in a few words, for the person.
    summary: Option<String>,
    #[tool(inject = |agents| agents.clone())]
    agents: Agents,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendMessageOutput {
    /// The agent.
    pub agent_id: String,
    /// Whether it had ended, and goes on now.
    pub resumed: bool,
}

impl Tool for SendMessage {
    type Output = SendMessageOutput;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        let kind =
            self.agents.running().find(&self.to).map_or_else(|| self.to.clone(), |life| life.kind.clone());
        Effects::one(Effect::Name(kind))
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        if self.message.trim().is_empty() {
            return Err(InvalidInput::new("`message` is empty: say something"));
        }
        if self.agents.running().find(&self.to).is_none() {
            return Err(InvalidInput::new(format!(
                "there is no agent `{}`: use the identifier that its result had, or the name it was given",
                one_line(&self.to)
            )));
        }
        Ok(())
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<SendMessageOutput, ToolError> {
        let running = self.agents.running();
        let Some(life) = running.find(&self.to) else {
            return Err(ToolError::new(format!("there is no agent `{}` any more", one_line(&self.to))));
        };
        // Another's agent may be allowed more than the one that writes to it.
        if let Some(me) = cx.chain().agent()
            && life.started_by.as_deref() != Some(me)
        {
            return Err(ToolError::new(format!(
                "the agent `{}` was not started by this one: agents may only write to those they started",
                life.id
            )));
        }
        let slot = running.enter();
        if let Err(full) = &slot
            && running.status(&life.id) != Some(AgentStatus::Running)
        {
            return Err(ToolError::new(full.clone()));
        }
        let resumed = running.tell(&life.id, self.message.clone()).map_err(ToolError::new)?;
        let output = SendMessageOutput { agent_id: life.id.clone(), resumed: resumed.is_some() };
        if let Some(life) = resumed {
            match slot {
                Ok(slot) => life::let_run(&self.agents, life, Hold::of(slot), self.message.clone()),
                Err(full) => {
                    let status = AgentStatus::Failed(full.clone());
                    running.ended(&life.id, status);
                    return Err(ToolError::new(full));
                }
            }
        }
        Ok(output)
    }

    fn result_content(data: &SendMessageOutput) -> Content {
        let id = &data.agent_id;
        if data.resumed {
            format!("the agent `{id}` goes on in the background; you are told when it has finished").into()
        } else {
            format!("the agent `{id}` gets it when it has finished what it is at").into()
        }
    }

    fn description(&self) -> String {
        let about = self.summary.as_deref().unwrap_or(&self.message);
        format!("SendMessage to {}: {}", one_line(&self.to), one_line(about))
    }

    fn classifier_input(&self) -> Option<String> {
        Some(format!("tell the agent {}: {}", self.to, self.message))
    }
}
