//! One turn of a session: planned, run, and answered in order.

use std::collections::BTreeSet;

use tokio::sync::OwnedMutexGuard;

use super::{Session, note};
use crate::env::{Env, TaskName};
use crate::event::Event;
use crate::hooks::HookStage;
use crate::hooks::wire::BatchCall;
use crate::message::{CallId, Message, ToolResult, ToolUse, Turn, TurnId};
use crate::pipeline::{self, CallWork, Completion, Planned, TurnFacts, plan_call};
use crate::scheduler::{TurnRun, plan};

/// What a turn ended with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnOutcome {
    /// One result a call, in the order of the calls.
    pub results: Vec<ToolResult>,
    /// Messages to put into the conversation after the results.
    pub new_messages: Vec<Message>,
}

/// A turn in motion. Dropping it aborts every call that is not through; the next turn waits until their bodies have
/// ended.
pub struct RunningTurn<'a> {
    session: &'a Session,
    new_messages: Vec<Message>,
    /// The calls as hooks are told of them when all have their results; empty once they were told.
    batch: Vec<BatchCall>,
    // INVARIANT: there until the turn ends.
    motion: Option<Motion>,
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
        let mut running = self.start_turn(turn).await;
        let mut outcome = TurnOutcome::default();
        while let Some(result) = running.next().await {
            outcome.results.push(result);
        }
        outcome.new_messages = running.finish();
        outcome
    }

    /// Starts a turn; waits while another one runs.
    pub async fn start_turn(&self, turn: Turn) -> RunningTurn<'_> {
        let alone = std::sync::Arc::clone(&self.turn_lock).lock_owned().await;
        let id = self.next_turn();
        let facts = TurnFacts {
            turn: id,
            message: turn.message,
            conversation: self.conversation(),
            context_tokens: self.context_tokens(),
            within: Some(std::sync::Arc::new(self.within())),
        };
        let planned = self.plan_turn(turn.calls);
        let is_told = self.services.askable.hooks.are_any_at(HookStage::PostToolBatch);
        let told = planned.iter().filter(|_| is_told);
        let batch = told.map(|planned| batch_call(planned.tool_use())).collect();
        self.announce(id, &planned);
        let run = TurnRun::new(&self.services.env, self.cap);
        self.in_motion().turn = Some(run.stopper());
        for planned in planned {
            let call = planned.tool_use().id.clone();
            let work = CallWork::new(self.services.env.clone(), call, planned.label());
            let services = std::sync::Arc::clone(&self.services);
            let facts = facts.clone();
            run.submit(work, planned.is_safe(), |place| pipeline::run(services, facts, planned, place));
        }
        let motion = Motion { env: self.services.env.clone(), turn: id, run, _alone: alone };
        RunningTurn { session: self, new_messages: Vec::new(), batch, motion: Some(motion) }
    }

    /// Finds and parses every call. A second call with the identifier of another has no result of its own to carry, so
    /// it is dropped: one result for each identifier.
    fn plan_turn(&self, calls: Vec<ToolUse>) -> Vec<Planned> {
        let mut seen: BTreeSet<CallId> = BTreeSet::new();
        let new = calls.into_iter().filter(|call| seen.insert(call.id.clone()));
        new.map(|call| plan_call(&self.pool, self.services.bodies.as_deref(), call)).collect()
    }

    fn announce(&self, turn: TurnId, planned: &[Planned]) {
        let env = &self.services.env;
        let safe: Vec<bool> = planned.iter().map(Planned::is_safe).collect();
        let batches = plan(&safe);
        env.emit(|| Event::TurnStarted { turn, calls: planned.len(), batches: batches.len() });
        for (batch, calls) in batches.into_iter().enumerate() {
            for index in calls.calls {
                let planned = &planned[index];
                env.emit(|| Event::Planned {
                    turn,
                    call: planned.tool_use().id.clone(),
                    index,
                    batch,
                    tool: planned.tool_use().name.clone(),
                    safe: planned.is_safe(),
                    label: planned.label().to_string(),
                });
            }
        }
    }
}

/// A call as hooks are told of it, before its result has come.
fn batch_call(call: &ToolUse) -> BatchCall {
    let input = call.input.as_str();
    BatchCall {
        tool_name: call.name.clone(),
        tool_input: serde_json::from_str(input).unwrap_or_else(|_not_json| input.into()),
        tool_use_id: call.id.as_str().to_owned(),
        tool_response: serde_json::Value::Null,
    }
}

impl RunningTurn<'_> {
    /// The next result in the order of the calls; nothing when all have come.
    pub async fn next(&mut self) -> Option<ToolResult> {
        let Some(completion) = self.motion.as_mut()?.next().await else {
            self.after_all().await;
            return None;
        };
        self.new_messages.extend(completion.new_messages);
        let result = completion.result;
        if let Some(call) = self.batch.iter_mut().find(|call| call.tool_use_id == result.tool_use_id.as_str())
        {
            call.tool_response = serde_json::to_value(&result.content).unwrap_or_default();
        }
        Some(result)
    }

    /// Tells hooks that every call has its result; an abort stops them.
    async fn after_all(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let was_stopped = self.motion.as_ref().is_some_and(|motion| motion.run.is_stopped());
        if batch.is_empty() || was_stopped {
            return;
        }
        let moments = self.session.moments();
        if let Some(said) = self.session.unless_aborted(moments.batch(batch)).await {
            let hooks = &self.session.services.askable.hooks;
            hooks.stop_agent(said.stopped.or(said.blocked));
            self.new_messages.extend(said.context.into_iter().map(note));
        }
    }

    /// Ends the turn; gives the messages to put into the conversation after the results. Calls whose results have not
    /// come are aborted.
    #[must_use]
    pub fn finish(mut self) -> Vec<Message> {
        std::mem::take(&mut self.new_messages)
    }
}

impl Motion {
    async fn next(&mut self) -> Option<Completion> {
        let completion = self.run.next().await?;
        let result = &completion.result;
        self.env.emit(|| Event::Result {
            turn: self.turn,
            call: result.tool_use_id.clone(),
            is_error: result.is_error,
            content: result.content.clone(),
        });
        Some(completion)
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

impl std::fmt::Debug for RunningTurn<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let run = self.motion.as_ref().map(|motion| (motion.turn, &motion.run));
        f.debug_struct("RunningTurn").field("run", &run).finish_non_exhaustive()
    }
}
