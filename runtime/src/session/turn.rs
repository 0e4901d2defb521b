//! One turn of a session: planned, run, and answered in order. Its message may still stream while its calls run.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{self, Poll, ready};

use tokio::sync::OwnedMutexGuard;

use super::Session;
use crate::contract::TurnFacts;
use crate::env::{Cause, Env, TaskName};
use crate::event::Event;
use crate::hooks::HookStage;
use crate::hooks::wire::events::calls::BatchCall;
use crate::message::{CallId, Message, ToolResult, ToolUse, Turn, TurnId};
use crate::pipeline::{self, CallWork, Completion, Planned, plan_call};
use crate::scheduler::{Planner, TurnRun, plan};

/// What a turn ended with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnOutcome {
    /// One result a call, in the order of the calls. A call with the identifier of one before it in the turn is that call
    /// told twice, and has no result of its own: nobody could tell whose it is.
    pub results: Vec<ToolResult>,
    /// Messages to put into the conversation after the results.
    pub new_messages: Vec<Message>,
}

/// How many calls a turn has that streams, as a rule.
const CALLS_USUAL: usize = 4;

/// A turn in motion. Dropping it aborts every call that is not through; the next turn waits until their bodies have
/// ended.
pub struct RunningTurn<'a> {
    session: &'a Session,
    new_messages: Vec<Message>,
    /// The calls as hooks are told of them when all have their results; nothing where no hook wants to know, and once
    /// they were told.
    batch: Option<Vec<BatchCall>>,
    // INVARIANT: there until the turn ends.
    motion: Option<Motion>,
}

/// A turn whose message still streams. Dropping it stops its calls, like dropping a [`RunningTurn`].
pub struct OpenTurn<'a> {
    running: RunningTurn<'a>,
    facts: Arc<TurnFacts>,
    planner: Planner,
    seen: BTreeSet<CallId>,
}

/// The calls of a turn, apart from who waits for their results.
struct Motion {
    env: Env,
    turn: TurnId,
    run: TurnRun<CallWork>,
    /// Keeps the next turn waiting until this one is through.
    _alone: OwnedMutexGuard<()>,
}

impl Session {
    /// Runs a turn to its end. Every call gets exactly one result, whatever happens.
    pub async fn run_turn(&self, turn: Turn) -> TurnOutcome {
        let results = Vec::with_capacity(turn.calls.len());
        let mut running = self.start_turn(turn).await;
        let mut outcome = TurnOutcome { results, new_messages: Vec::new() };
        while let Some(result) = running.next().await {
            outcome.results.push(result);
        }
        outcome.new_messages = running.finish();
        outcome
    }

    /// Starts a turn; waits while another one runs.
    pub async fn start_turn(&self, turn: Turn) -> RunningTurn<'_> {
        let (mut running, facts) = self.begin_turn(turn.message, turn.calls.len()).await;
        let planned = self.plan_turn(turn.calls);
        if self.services.env.is_heard() {
            let batches = plan(&planned.iter().map(Planned::is_safe).collect::<Vec<_>>());
            running.announce_start(Some((planned.len(), batches.len())));
            for (batch, calls) in batches.into_iter().enumerate() {
                calls.calls.for_each(|index| running.announce(&planned[index], index, batch));
            }
        }
        planned.into_iter().for_each(|planned| running.submit(&facts, planned));
        running
    }

    /// Starts a turn whose message still streams, with the message's identifier where it has one; waits while another
    /// turn runs.
    pub async fn start_streaming(&self, message: Option<String>) -> OpenTurn<'_> {
        let (running, facts) = self.begin_turn(message, CALLS_USUAL).await;
        running.announce_start(None);
        OpenTurn { running, facts, planner: Planner::default(), seen: BTreeSet::new() }
    }

    /// Begins a turn that has room for so many calls before anything grows.
    async fn begin_turn(&self, message: Option<String>, calls: usize) -> (RunningTurn<'_>, Arc<TurnFacts>) {
        let alone = Arc::clone(&self.turn_lock).lock_owned().await;
        let turn = self.next_turn();
        let (conversation, context_tokens) = (self.conversation(), self.context_tokens());
        let within = Some(Arc::clone(&self.within));
        let known = self.services.facts_of_turn();
        let facts = TurnFacts { turn, message, conversation, context_tokens, within, ..known };
        let run = TurnRun::with_room(&self.services.env, self.within.cap, calls);
        self.in_motion().turn = Some(run.stopper());
        let motion = Motion { env: self.services.env.clone(), turn, run, _alone: alone };
        let is_told = self.services.askable.hooks.are_any_at(HookStage::PostToolBatch);
        let batch = is_told.then(Vec::new);
        (
            RunningTurn { session: self, new_messages: Vec::new(), batch, motion: Some(motion) },
            Arc::new(facts),
        )
    }

    /// Finds and parses every call. A second call with the identifier of another has no result of its own to carry, so
    /// it is dropped: one result for each identifier.
    fn plan_turn(&self, calls: Vec<ToolUse>) -> Vec<Planned> {
        let repeated = repeated(&calls);
        let new = calls.into_iter().enumerate().filter(|(at, _)| !repeated.contains(at));
        let pool = self.pool();
        let (env, bodies) = (self.env(), self.services.bodies.as_deref());
        new.map(|(_, call)| plan_call(env, &pool, bodies, call)).collect()
    }
}

/// The places of calls that have the identifier of one before them; there hardly ever are any.
fn repeated(calls: &[ToolUse]) -> BTreeSet<usize> {
    if calls.len() < 2 {
        return BTreeSet::new();
    }
    let mut order: Vec<usize> = (0..calls.len()).collect();
    // Stable: of two with one identifier, the first in the turn stays first.
    order.sort_by(|&one, &other| calls[one].id.cmp(&calls[other].id));
    let pairs = order.windows(2).filter(|pair| calls[pair[0]].id == calls[pair[1]].id);
    pairs.map(|pair| pair[1]).collect()
}

/// A call as hooks are told of it, before its result has come.
fn batch_call(call: &Planned) -> BatchCall {
    let input = call.written().as_str();
    BatchCall {
        tool_name: call.tool().to_owned(),
        tool_input: serde_json::from_str(input).unwrap_or_else(|_not_json| input.into()),
        tool_use_id: call.id().as_str().to_owned(),
        tool_response: serde_json::Value::Null,
    }
}

impl RunningTurn<'_> {
    /// The next result in the order of the calls; nothing when all have come.
    pub async fn next(&mut self) -> Option<ToolResult> {
        let result = poll_fn(|cx| self.poll_next(cx)).await;
        if result.is_none()
            && let Some(batch) = self.batch.take()
        {
            // It comes once in a turn.
            Box::pin(self.after_all(batch)).await;
        }
        result
    }

    /// Tells hooks that every call has its result; an abort stops them.
    async fn after_all(&mut self, batch: Vec<BatchCall>) {
        let was_stopped = self.motion.as_ref().is_some_and(|motion| motion.run.is_stopped());
        if batch.is_empty() || was_stopped {
            return;
        }
        let moments = self.session.moments();
        if let Some(said) = self.session.unless_aborted(moments.batch(batch)).await {
            let hooks = &self.session.services.askable.hooks;
            hooks.stop_agent(said.stopped.or(said.blocked));
            self.new_messages.extend(said.context.into_iter().map(Message::note));
        }
    }

    /// Stops every call; each gets its result, which names the cause.
    pub fn stop(&self, cause: Cause) {
        if let Some(motion) = &self.motion {
            motion.run.stop(cause);
        }
    }

    /// The next result, as far as calls were submitted: nothing yet may mean that there is no call to wait for.
    fn poll_next(&mut self, cx: &mut task::Context<'_>) -> Poll<Option<ToolResult>> {
        let Some(motion) = &mut self.motion else { return Poll::Ready(None) };
        let completion = ready!(motion.poll_next(cx));
        Poll::Ready(completion.map(|Completion { result, mut new_messages }| {
            self.new_messages.append(&mut new_messages);
            if let Some(batch) = &mut self.batch {
                let id = result.tool_use_id.as_str();
                if let Some(call) = batch.iter_mut().find(|call| call.tool_use_id == id) {
                    call.tool_response = serde_json::to_value(&result.content).unwrap_or_default();
                }
            }
            result
        }))
    }

    fn announce_start(&self, size: Option<(usize, usize)>) {
        let Some(motion) = &self.motion else { return };
        let (calls, batches) = size.unzip();
        let agent = || self.session.chain().agent().map(str::to_owned);
        motion.env.emit(|| Event::TurnStarted { turn: motion.turn, calls, batches, agent: agent() });
    }

    fn announce(&self, planned: &Planned, index: usize, batch: usize) {
        let Some(motion) = &self.motion else { return };
        motion.env.emit(|| Event::Planned {
            turn: motion.turn,
            call: planned.id().clone(),
            index,
            batch,
            tool: planned.tool().to_owned(),
            safe: planned.is_safe(),
            label: planned.label().to_string(),
            deferred: self.session.pool().deferred(planned.tool()),
        });
    }

    fn submit(&mut self, facts: &Arc<TurnFacts>, planned: Planned) {
        let Some(motion) = &self.motion else { return };
        if let Some(batch) = &mut self.batch {
            batch.push(batch_call(&planned));
        }
        let call = planned.id().clone();
        let services = &self.session.services;
        let label = planned.may_be_named(services).then(|| planned.label());
        let work = CallWork::new(Arc::clone(services), call, label);
        let facts = Arc::clone(facts);
        motion.run.submit(work, planned.is_safe(), |place| pipeline::run(facts, planned, place));
    }

    /// Ends the turn; gives the messages to put into the conversation after the results. Calls whose results have not
    /// come are aborted.
    #[must_use]
    pub fn finish(mut self) -> Vec<Message> {
        std::mem::take(&mut self.new_messages)
    }
}

impl<'a> OpenTurn<'a> {
    /// The model has made a call: it takes its place in line now, and starts as soon as the calls before it allow. Says
    /// whether it was taken: a second call with the identifier of another could not be answered.
    pub fn submit(&mut self, call: ToolUse) -> bool {
        if !self.seen.insert(call.id.clone()) {
            return false;
        }
        let session = self.running.session;
        let planned = plan_call(session.env(), &session.pool(), session.services.bodies.as_deref(), call);
        let batch = self.planner.join(planned.is_safe());
        self.running.announce(&planned, self.seen.len() - 1, batch);
        self.running.submit(&self.facts, planned);
        true
    }

    /// The next result in the order of the calls. While none of the calls so far is unanswered it waits: the message
    /// may make more. What it is dropped with is not lost.
    pub async fn next(&mut self) -> ToolResult {
        poll_fn(|cx| match self.running.poll_next(cx) {
            Poll::Ready(Some(result)) => Poll::Ready(result),
            // Only a further call, which needs this borrow to end, changes that.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Stops every call so far, and those that are still to come; each gets its result, which names the cause.
    pub fn stop(&self, cause: Cause) {
        self.running.stop(cause);
    }

    /// The message is complete.
    #[must_use]
    pub fn close(self) -> RunningTurn<'a> {
        self.running
    }

    /// The message broke off and will not be in the conversation: its calls are stopped, and nobody gets their results.
    /// The next turn waits until their bodies have ended.
    pub fn drop_message(self) {
        self.running.stop(Cause::MessageDropped);
    }
}

impl Motion {
    async fn next(&mut self) -> Option<Completion> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut task::Context<'_>) -> Poll<Option<Completion>> {
        let completion = ready!(self.run.poll_next(cx));
        Poll::Ready(completion.inspect(|completion| {
            let result = &completion.result;
            self.env.emit(|| Event::Result {
                turn: self.turn,
                call: result.tool_use_id.clone(),
                is_error: result.is_error,
                content: result.content.clone(),
            });
        }))
    }

    /// Waits for every result, though nobody wants them any more: bodies must not run beside those of the next turn.
    async fn run_out(mut self) {
        while self.next().await.is_some() {}
        self.end();
    }

    fn end(self) {
        self.env.emit(|| Event::TurnEnded { turn: self.turn });
    }
}

impl Drop for RunningTurn<'_> {
    fn drop(&mut self) {
        self.session.in_motion().turn = None;
        let Some(motion) = self.motion.take() else { return };
        if motion.run.is_through() {
            motion.end();
            return;
        }
        motion.run.abort();
        let env = motion.env.clone();
        drop(env.spawn(TaskName { kind: "end of turn", index: 0 }, motion.run_out()));
    }
}

impl std::fmt::Debug for OpenTurn<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenTurn").field("running", &self.running).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for RunningTurn<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let run = self.motion.as_ref().map(|motion| (motion.turn, &motion.run));
        f.debug_struct("RunningTurn").field("run", &run).finish_non_exhaustive()
    }
}
