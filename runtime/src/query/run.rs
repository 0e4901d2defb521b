//! The loop itself.

use std::num::NonZeroUsize;

use futures_util::StreamExt;

use super::model::{Model, ModelError, ModelEvent, Request};
use crate::message::{Block, Message, Role, ToolUse, Turn};
use crate::session::Session;

/// What a run may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How often the model is asked at the most.
    pub requests_max: NonZeroUsize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { requests_max: NonZeroUsize::new(100).expect("a hundred is not zero") }
    }
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The model made no more calls; this is what it said last.
    Answered(String),
    /// The budget was spent; the last results are in the conversation.
    OutOfBudget,
    /// The model gave no answer.
    Failed(ModelError),
}

/// What one step of the loop came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The model made calls, and they were answered.
    Called,
    /// The model made no calls; this is what it said.
    Answered(String),
}

impl Session {
    /// Gives the model a prompt, and runs its calls until it makes no more. The conversation keeps what was said.
    pub async fn run(&self, model: &dyn Model, prompt: impl Into<String>, budget: Budget) -> End {
        self.push(Message::user(prompt));
        for _ in 0..budget.requests_max.get() {
            match self.step(model).await {
                Ok(Step::Called) => {}
                Ok(Step::Answered(text)) => return End::Answered(text),
                Err(error) => return End::Failed(error),
            }
        }
        End::OutOfBudget
    }

    /// Asks the model once, and runs the calls it makes.
    ///
    /// # Errors
    /// When the model gave no answer; the conversation is as it was.
    pub async fn step(&self, model: &dyn Model) -> Result<Step, ModelError> {
        let answer = self.ask(model).await?;
        let calls: Vec<ToolUse> = answer.iter().filter_map(call_of).cloned().collect();
        let text = text_of(&answer);
        if !answer.is_empty() {
            self.push(Message { role: Role::Assistant, content: answer, is_meta: false });
        }
        if calls.is_empty() {
            return Ok(Step::Answered(text));
        }
        self.answer(calls).await;
        Ok(Step::Called)
    }

    /// Asks the model once. A broken answer is dropped whole: it may hold half a call.
    async fn ask(&self, model: &dyn Model) -> Result<Vec<Block>, ModelError> {
        let request = Request {
            tools: self.pool().definitions(),
            messages: self.conversation(),
            model: self.context().model.clone(),
        };
        let mut events = model.respond(request);
        let mut blocks = Vec::new();
        while let Some(event) = events.next().await {
            blocks.push(match event? {
                ModelEvent::Text(text) => Block::Text(text),
                ModelEvent::ToolUse(call) => Block::ToolUse(call),
            });
        }
        Ok(blocks)
    }

    /// Runs the calls and puts their results, and what tools and hooks add, into the conversation.
    async fn answer(&self, calls: Vec<ToolUse>) {
        let outcome = self.run_turn(Turn::new(calls)).await;
        let content = outcome.results.into_iter().map(Block::ToolResult).collect();
        self.push(Message { role: Role::User, content, is_meta: false });
        outcome.new_messages.into_iter().for_each(|message| self.push(message));
    }
}

fn call_of(block: &Block) -> Option<&ToolUse> {
    match block {
        Block::ToolUse(call) => Some(call),
        Block::Text(_) | Block::ToolResult(_) | Block::Other(_) => None,
    }
}

fn text_of(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        Block::ToolUse(_) | Block::ToolResult(_) | Block::Other(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
