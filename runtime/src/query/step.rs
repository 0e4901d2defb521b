//! One step of the loop: the model speaks, its calls run while it does, and both go into the conversation.

use std::collections::{BTreeSet, VecDeque};
use std::pin::pin;

use futures_util::StreamExt;

use super::{Model, ModelError, ModelEvent, ModelStream, Request, StopReason, Usage};
use crate::env::{Cancellation, Either};
use crate::event::{Event, SentTools};
use crate::message::{Block, CallId, Message, Role, ToolResult, ToolUse};
use crate::mutant::Mutant;
use crate::permission::Mode;
use crate::session::{OpenTurn, RunningTurn, Session};

/// What one step of the loop came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The model made calls, and they were answered.
    Called,
    /// The model made no calls; this is what it said.
    Answered(String),
    /// It was aborted. The answer of a model that was still speaking is dropped, unless it had made calls: what was
    /// said up to then is kept, and each call has its result.
    Aborted,
    /// The model made calls, they were answered, and a hook would not have the agent go on; this is why.
    Stopped(String),
}

/// A step that has ended.
pub(super) struct Ended {
    pub(super) step: Step,
    /// Whether the model is to be asked again though it made no calls: it paused, or somebody added to the conversation
    /// meanwhile.
    pub(super) goes_on: bool,
    /// The tokens of the answer.
    pub(super) used: Usage,
}

impl Session {
    /// Asks the model once, and runs the calls it makes, each as soon as its block is complete. Steps run one at a
    /// time. When the step is dropped in the middle of its calls they are stopped, and the conversation still gets a
    /// result for each.
    ///
    /// # Errors
    /// When the model gave no whole answer: the conversation is as it was, and calls that had started are stopped.
    pub async fn step(&self, model: &dyn Model) -> Result<Step, ModelError> {
        self.step_until(model, &Cancellation::new()).await.map(|ended| ended.step)
    }

    /// A step that this cancellation ends like an abort.
    pub(super) async fn step_until(
        &self,
        model: &dyn Model,
        stop: &Cancellation,
    ) -> Result<Ended, ModelError> {
        let _alone = {
            let (mut alone, mut stopped) = (pin!(self.step_lock.lock()), pin!(stop.cancelled()));
            match self.env().race("step", &mut alone, &mut stopped).await {
                Either::Left(alone) => alone,
                Either::Right(_cause) => {
                    let (step, used) = (Step::Aborted, Usage::default());
                    return Ok(Ended { step, goes_on: false, used });
                }
            }
        };
        let in_motion = self.conversation.step();
        let _abortable = self.abortable_step(stop.clone());
        let mut answer = Answer::new(self, stop);
        let taken = answer.take(model).await;
        let (used, has_paused) = (answer.used, answer.has_paused);
        // What it adds to the conversation comes before what waits for the end of the step.
        drop(answer);
        // Behind the results of this step.
        self.take_notes().into_iter().for_each(|text| self.conversation.push(Message::note(text)));
        let has_news = in_motion.end();
        Ok(Ended { step: taken?, goes_on: has_news || has_paused, used })
    }
}

/// What a model answers, while it does. However it ends, each call of a message that is kept is answered in the
/// conversation: a call without a result would make every later request invalid.
struct Answer<'a> {
    session: &'a Session,
    stop: &'a Cancellation,
    blocks: Vec<Block>,
    calls: BTreeSet<CallId>,
    /// The identifiers of calls that were made before; looked up when the first call of this message comes.
    before: Option<BTreeSet<CallId>>,
    /// The turn of the message's calls, from the first one on until the message is complete.
    turn: Option<OpenTurn<'a>>,
    unanswered: VecDeque<CallId>,
    results: Vec<ToolResult>,
    new_messages: Vec<Message>,
    /// The identifier of the message, where it has one.
    message: Option<String>,
    used: Usage,
    has_paused: bool,
    /// Whether the message itself is in the conversation.
    is_said: bool,
}

/// What can happen while a model speaks.
enum Happening {
    Stopped,
    Said(Option<Result<ModelEvent, ModelError>>),
    Result(ToolResult),
}

/// How far a message came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heard {
    Whole,
    Part,
}

impl<'a> Answer<'a> {
    fn new(session: &'a Session, stop: &'a Cancellation) -> Answer<'a> {
        Answer {
            session,
            stop,
            blocks: Vec::new(),
            calls: BTreeSet::new(),
            before: None,
            turn: None,
            unanswered: VecDeque::new(),
            results: Vec::new(),
            new_messages: Vec::new(),
            message: None,
            used: Usage::default(),
            has_paused: false,
            is_said: false,
        }
    }

    async fn take(&mut self, model: &dyn Model) -> Result<Step, ModelError> {
        let heard = match self.hear(model).await {
            Ok(heard) => heard,
            Err(error) => {
                self.drop_message();
                return Err(error);
            }
        };
        if self.calls.is_empty() {
            return Ok(match heard {
                Heard::Whole => Step::Answered(self.say()),
                Heard::Part => Step::Aborted,
            });
        }
        self.say();
        self.run_out().await;
        // Taken in any case: what stopped this step stops no later one.
        let stopped = self.session.services.askable.hooks.take_stop();
        Ok(match stopped {
            _aborted if self.stop.is_cancelled() => Step::Aborted,
            Some(reason) => Step::Stopped(reason),
            None => Step::Called,
        })
    }

    /// Listens to the model, and to the calls that it has made so far.
    async fn hear(&mut self, model: &dyn Model) -> Result<Heard, ModelError> {
        let mut events = model.respond(self.session.request());
        loop {
            match self.next(&mut events).await {
                Happening::Stopped => return Ok(Heard::Part),
                Happening::Said(None) => return Ok(Heard::Whole),
                Happening::Said(Some(event)) => self.add(event?).await,
                Happening::Result(result) => self.answered(result),
            }
        }
    }

    async fn next(&mut self, events: &mut ModelStream) -> Happening {
        let env = self.session.env();
        let turn = &mut self.turn;
        let mut result = pin!(async {
            match turn {
                Some(turn) => turn.next().await,
                None => std::future::pending().await,
            }
        });
        let mut said = events.next();
        let mut going_on = pin!(env.race("answer", &mut said, &mut result));
        let mut stopped = pin!(self.stop.cancelled());
        match env.race("abort", &mut stopped, &mut going_on).await {
            Either::Left(_cause) => Happening::Stopped,
            Either::Right(Either::Left(event)) => Happening::Said(event),
            Either::Right(Either::Right(result)) => Happening::Result(result),
        }
    }

    async fn add(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Block { block: Block::ToolUse(mut call), .. } => {
                self.name_anew(&mut call);
                // A second call with the identifier of another could not be answered.
                if self.calls.insert(call.id.clone()) {
                    self.call(call).await;
                }
            }
            ModelEvent::Block { block, .. } => self.blocks.push(block),
            ModelEvent::Started { message, .. } => self.message = message,
            ModelEvent::Usage(used) => {
                self.session.heard(used.total());
                self.used = used;
            }
            ModelEvent::Stopped(reason) => self.has_paused = reason == StopReason::Paused,
            ModelEvent::BlockStarted { .. } | ModelEvent::Delta { .. } | ModelEvent::Mended(_) => {}
        }
    }

    /// Gives a call another identifier where one of an earlier message has its own: some models count from the beginning
    /// in each message, and in one conversation two calls with one identifier are none that models take.
    fn name_anew(&mut self, call: &mut ToolUse) {
        let conversation = &self.session.conversation;
        let before = self.before.get_or_insert_with(|| calls_in(&conversation.so_far()));
        if before.contains(&call.id) {
            let named = |number: usize| CallId::new(format!("{}_again{number}", call.id));
            let is_free = |id: &CallId| !before.contains(id) && !self.calls.contains(id);
            if let Some(free) = (1..).map(named).find(is_free) {
                call.id = free;
            }
        }
    }

    /// A call's block is complete, so the call may run; the first one opens the turn.
    async fn call(&mut self, call: ToolUse) {
        self.blocks.push(Block::ToolUse(call.clone()));
        self.unanswered.push_back(call.id.clone());
        if self.calls.len() == 1 {
            self.turn = self.open().await;
        }
        // Where the step was stopped before its turn opened, no call of the message runs.
        if let Some(turn) = &mut self.turn {
            turn.submit(call);
        }
    }

    /// Opens the turn, unless the step is stopped while another turn still runs.
    async fn open(&self) -> Option<OpenTurn<'a>> {
        let (mut opened, mut stopped) =
            (pin!(self.session.start_streaming(self.message.clone())), pin!(self.stop.cancelled()));
        match self.session.env().race("turn", &mut opened, &mut stopped).await {
            Either::Left(turn) => Some(turn),
            Either::Right(_cause) => None,
        }
    }

    /// Puts what the model said into the conversation; gives its text.
    fn say(&mut self) -> String {
        self.is_said = true;
        let content = std::mem::take(&mut self.blocks);
        let text = text_of(&content);
        if !content.is_empty() {
            self.session.conversation.say(Message { role: Role::Assistant, content, is_meta: false });
        }
        text
    }

    /// Waits for the results that are still to come. When the step is stopped meanwhile, so are the calls.
    async fn run_out(&mut self) {
        let Some(mut turn) = self.turn.take().map(OpenTurn::close) else { return };
        while let Some(result) = self.next_of(&mut turn).await {
            self.answered(result);
        }
        self.new_messages = turn.finish();
    }

    async fn next_of(&self, turn: &mut RunningTurn<'_>) -> Option<ToolResult> {
        if self.stop.cause().is_none() {
            let (mut next, mut stopped) = (pin!(turn.next()), pin!(self.stop.cancelled()));
            if let Either::Left(result) = self.session.env().race("abort", &mut next, &mut stopped).await {
                return result;
            }
        }
        if let Some(cause) = self.stop.cause() {
            turn.stop(cause.clone());
        }
        turn.next().await
    }

    /// Results come in the order of the calls.
    fn answered(&mut self, result: ToolResult) {
        self.unanswered.pop_front();
        self.results.push(result);
    }

    /// The message broke off: it is not in the conversation, and so nothing of its calls is either.
    fn drop_message(&mut self) {
        self.calls.clear();
        if let Some(turn) = self.turn.take() {
            turn.drop_message();
        }
    }
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        if self.calls.is_empty() {
            return;
        }
        if !self.is_said {
            self.say();
        }
        let lost = |call| ToolResult::error(call, "the call was stopped: its turn was given up");
        let lost = std::mem::take(&mut self.unanswered).into_iter().map(lost);
        let results = std::mem::take(&mut self.results).into_iter().chain(lost);
        let content = results.map(Block::ToolResult).collect();
        let conversation = &self.session.conversation;
        conversation.say(Message { role: Role::User, content, is_meta: false });
        std::mem::take(&mut self.new_messages).into_iter().for_each(|message| conversation.say(message));
    }
}

impl Session {
    fn request(&self) -> Request {
        let pool = self.pool();
        self.take_notes().into_iter().for_each(|text| self.conversation.say(Message::note(text)));
        if let Some(text) = pool.announcement() {
            self.conversation.say(Message::note(text));
        }
        let mut tools = pool.definitions();
        let mutants = self.env().mutants();
        if mutants.is_flagged(Mutant::ListTurnsOnAbort) {
            tools.reverse();
        }
        if mutants.has(Mutant::ListFollowsMode) && self.context().mode == Mode::Plan {
            tools.pop();
        }
        let agent = || self.chain().agent().map(str::to_owned);
        self.env().emit(|| Event::Requested { agent: agent(), tools: SentTools::new(tools.clone()) });
        Request {
            tools,
            messages: self.conversation(),
            model: self.context().model.clone(),
            ..Request::default()
        }
    }
}

/// The identifiers of all calls in a conversation.
fn calls_in(messages: &[Message]) -> BTreeSet<CallId> {
    let blocks = messages.iter().flat_map(|message| &message.content);
    let calls = blocks.filter_map(|block| match block {
        Block::ToolUse(call) => Some(call.id.clone()),
        Block::Text(_) | Block::ToolResult(_) | Block::Other(_) => None,
    });
    calls.collect()
}

fn text_of(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        Block::ToolUse(_) | Block::ToolResult(_) | Block::Other(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
