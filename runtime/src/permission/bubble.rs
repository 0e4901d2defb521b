//! A sub-agent's questions, passed up to whoever its parent asks.

use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Answer, Prompter, Question};
use crate::env::{Cancellation, Either, Env};

/// Asks in a sub-agent's place whoever its parent asks. The question says which agent it comes from. It is withdrawn
/// when the sub-agent is cancelled, and has no answer then.
#[derive(Clone)]
pub struct Bubble {
    env: Env,
    parent: Arc<dyn Prompter>,
    agent: String,
    cancellation: Cancellation,
}

impl Bubble {
    /// Passes on the questions of this agent, until it is cancelled. Agents within agents pass them on in turn.
    #[must_use]
    pub fn new(
        env: Env,
        parent: Arc<dyn Prompter>,
        agent: impl Into<String>,
        cancellation: Cancellation,
    ) -> Bubble {
        Bubble { env, parent, agent: agent.into(), cancellation }
    }
}

#[async_trait]
impl Prompter for Bubble {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        let mut question = question.clone();
        // The parent of a parent adds itself further out.
        question.agents.insert(0, self.agent.clone());
        let mut cancelled = pin!(self.cancellation.cancelled());
        let mut asked = pin!(self.parent.ask(&question));
        match self.env.race("bubble", &mut cancelled, &mut asked).await {
            Either::Left(_cause) => None,
            Either::Right(answer) => answer,
        }
    }
}

impl std::fmt::Debug for Bubble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bubble").field("agent", &self.agent).finish_non_exhaustive()
    }
}
