//! The loop itself.

use std::collections::{BTreeSet, VecDeque};
use std::num::NonZeroUsize;
use std::pin::pin;

use futures_util::StreamExt;

use super::{Model, ModelError, ModelEvent, Request};
use crate::env::{Cancellation, Either};
use crate::message::{Block, CallId, Message, Role, ToolResult, ToolUse, Turn};
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
    /// It was aborted; calls that were made have their results.
    Aborted,
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
    /// It was aborted. The answer of a model that was still speaking is dropped; calls that were made have their
    /// results.
    Aborted,
}

impl Session {
    /// Gives the model a prompt, and runs its calls until it makes no more. The conversation keeps what was said.
    pub async fn run(&self, model: &dyn Model, prompt: impl Into<String>, budget: Budget) -> End {
        self.push(Message::user(prompt));
        for _ in 0..budget.requests_max.get() {
            match self.step(model).await {
                Ok(Step::Called) => {}
                Ok(Step::Answered(text)) => return End::Answered(text),
                Ok(Step::Aborted) => return End::Aborted,
                Err(error) => return End::Failed(error),
            }
        }
        End::OutOfBudget
    }

    /// Asks the model once, and runs the calls it makes. Steps run one at a time. When the step is dropped in the
    /// middle of its calls they are stopped, and the conversation still gets a result for each.
    ///
    /// # Errors
    /// When the model gave no answer; the conversation is as it was.
    pub async fn step(&self, model: &dyn Model) -> Result<Step, ModelError> {
        let _alone = self.step_lock.lock().await;
        let _in_motion = self.conversation.step();
        let abortable = self.abortable_step();
        let abort = &abortable.cancellation;
        let asked = {
            let mut answer = pin!(self.ask(model));
            let mut aborted = pin!(abort.cancelled());
            self.env().race("abort", &mut answer, &mut aborted).await
        };
        let Either::Left(answer) = asked else { return Ok(Step::Aborted) };
        let answer = answer?;
        let calls: Vec<ToolUse> = answer.iter().filter_map(call_of).cloned().collect();
        let text = text_of(&answer);
        if !answer.is_empty() {
            self.conversation.say(Message { role: Role::Assistant, content: answer, is_meta: false });
        }
        if calls.is_empty() {
            return Ok(Step::Answered(text));
        }
        self.answer(calls, abort).await;
        Ok(if abort.is_cancelled() { Step::Aborted } else { Step::Called })
    }

    /// Asks the model once. A broken answer is dropped whole: it may hold half a call. A second call with the
    /// identifier of another is dropped: it could not be answered.
    async fn ask(&self, model: &dyn Model) -> Result<Vec<Block>, ModelError> {
        let request = Request {
            tools: self.pool().definitions(),
            messages: self.conversation(),
            model: self.context().model.clone(),
            ..Request::default()
        };
        let mut events = model.respond(request);
        let mut blocks = Vec::new();
        let mut calls: BTreeSet<CallId> = BTreeSet::new();
        while let Some(event) = events.next().await {
            match event? {
                ModelEvent::Block { block: Block::ToolUse(call), .. } => {
                    if calls.insert(call.id.clone()) {
                        blocks.push(Block::ToolUse(call));
                    }
                }
                ModelEvent::Block { block, .. } => blocks.push(block),
                ModelEvent::Started { .. }
                | ModelEvent::BlockStarted { .. }
                | ModelEvent::Delta { .. }
                | ModelEvent::Usage(_)
                | ModelEvent::Mended(_)
                | ModelEvent::Stopped(_) => {}
            }
        }
        Ok(blocks)
    }

    /// Runs the calls and puts their results, and what tools and hooks add, into the conversation.
    async fn answer(&self, calls: Vec<ToolUse>, abort: &Cancellation) {
        let unanswered = calls.iter().map(|call| call.id.clone()).collect();
        let mut answers =
            Answers { session: self, unanswered, results: Vec::new(), new_messages: Vec::new() };
        let mut running = self.start_turn(Turn::new(calls)).await;
        if abort.is_cancelled() {
            self.abort();
        }
        while let Some(result) = running.next().await {
            answers.add(result);
        }
        answers.new_messages = running.finish();
    }
}

/// The answers to a message's calls. However the turn ends, each call is answered in the conversation: a call without
/// a result would make every later request invalid.
struct Answers<'a> {
    session: &'a Session,
    unanswered: VecDeque<CallId>,
    results: Vec<ToolResult>,
    new_messages: Vec<Message>,
}

impl Answers<'_> {
    /// Results come in the order of the calls.
    fn add(&mut self, result: ToolResult) {
        self.unanswered.pop_front();
        self.results.push(result);
    }
}

impl Drop for Answers<'_> {
    fn drop(&mut self) {
        let lost = |call| ToolResult::error(call, "the call was stopped: its turn was given up");
        let lost = std::mem::take(&mut self.unanswered).into_iter().map(lost);
        let results = std::mem::take(&mut self.results).into_iter().chain(lost);
        let content = results.map(Block::ToolResult).collect();
        let conversation = &self.session.conversation;
        conversation.say(Message { role: Role::User, content, is_meta: false });
        std::mem::take(&mut self.new_messages).into_iter().for_each(|message| conversation.say(message));
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
