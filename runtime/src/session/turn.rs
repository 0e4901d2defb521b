//! One turn of a session: planned, run, and answered in order.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use tokio::sync::OwnedMutexGuard;

use super::Session;
use crate::event::Event;
use crate::message::{CallId, Message, ToolResult, ToolUse, Turn, TurnId};
use crate::pipeline::{self, CallWork, Planned, TurnFacts, plan_call};
use crate::scheduler::{TurnRun, plan};

/// What a turn ended with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnOutcome {
    /// One result a call, in the order of the calls.
    pub results: Vec<ToolResult>,
    /// Messages to put into the conversation after the results.
    pub new_messages: Vec<Message>,
}

/// A turn in motion. Dropping it stops every call that is not through.
pub struct RunningTurn<'a> {
    session: &'a Session,
    turn: TurnId,
    run: TurnRun<CallWork>,
    new_messages: Vec<Message>,
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
        let facts = TurnFacts { turn: id, message: turn.message, conversation: self.conversation() };
        let planned = self.plan_turn(turn.calls);
        self.announce(id, &planned);
        let run = TurnRun::new(&self.services.env, self.cap);
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(run.stopper());
        for planned in planned {
            let call = planned.tool_use().id.clone();
            let work = CallWork::new(self.services.env.clone(), call, planned.label());
            let services = std::sync::Arc::clone(&self.services);
            let facts = facts.clone();
            run.submit(work, planned.is_safe(), |place| pipeline::run(services, facts, planned, place));
        }
        RunningTurn { session: self, turn: id, run, new_messages: Vec::new(), _alone: alone }
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

impl RunningTurn<'_> {
    /// The next result in the order of the calls; nothing when all have come.
    pub async fn next(&mut self) -> Option<ToolResult> {
        let completion = self.run.next().await?;
        self.new_messages.extend(completion.new_messages);
        let result = completion.result;
        self.session.services.env.emit(|| Event::Result {
            turn: self.turn,
            call: result.tool_use_id.clone(),
            is_error: result.is_error,
            content: result.content.clone(),
        });
        Some(result)
    }

    /// Ends the turn; gives the messages to put into the conversation after the results.
    #[must_use]
    pub fn finish(mut self) -> Vec<Message> {
        let turn = self.turn;
        self.session.services.env.emit(|| Event::TurnEnded { turn });
        std::mem::take(&mut self.new_messages)
    }
}

impl Drop for RunningTurn<'_> {
    fn drop(&mut self) {
        *self.session.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl std::fmt::Debug for RunningTurn<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunningTurn")
            .field("turn", &self.turn)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}
