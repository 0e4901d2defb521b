//! One session: tools, rules, hooks and people around a conversation. Runs turns.

mod builder;
mod child;
mod context;
mod conversation;
mod groundwork;
mod moments;
mod ties;
mod tools;
mod turn;

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::builder::{SessionBuilder, SiblingPolicy};
pub(crate) use self::child::Within;
pub use self::child::{ChildBuilder, Place};
pub(crate) use self::context::SharedContext;
use self::conversation::Conversation;
pub use self::groundwork::Groundwork;
pub use self::moments::{HooksSaid, Moments, STOP_BLOCKS_MAX};
use self::ties::EndsHere;
pub use self::ties::Ties;
pub use self::turn::{OpenTurn, RunningTurn, TurnOutcome};
use crate::contract::Context;
use crate::env::{Cancellation, Cause, Either, Env};
use crate::message::{Message, Repair, ToolUse, TurnId};
use crate::mutant::Mutant;
use crate::permission::{Bubble, Explained, Mode, RuleProblem};
use crate::pipeline::{self, CallWork, NotExplained, Services};
use crate::registry::{Catalogue, Pool};
use crate::scheduler::Stopper;
use crate::settings::Diagnostic;

/// One session. Turns run one at a time, and so do the steps of the query loop.
pub struct Session {
    pub(crate) services: Arc<Services>,
    /// What sessions within this one are made from.
    within: Arc<Within>,
    rule_problems: Vec<RuleProblem>,
    settings_problems: Vec<Diagnostic>,
    /// What the last assistant message's context had in tokens; nothing is zero.
    context_tokens: AtomicU64,
    /// Whether hooks were told that it begins.
    has_begun: AtomicBool,
    /// How often in a row hooks have kept the agent from ending its turn.
    stop_blocks: AtomicUsize,
    pub(crate) conversation: Conversation,
    history_repairs: Vec<Repair>,
    in_motion: Mutex<InMotion>,
    /// Held while a turn runs: a second turn waits for it.
    turn_lock: Arc<tokio::sync::Mutex<()>>,
    /// Held while a step of the query loop runs.
    pub(crate) step_lock: tokio::sync::Mutex<()>,
    /// Ends what outlives its calls; nothing where the session is within another.
    _ends_here: Option<EndsHere>,
}

/// What an abort stops.
#[derive(Default)]
struct InMotion {
    turn: Option<Stopper<CallWork>>,
    step: Option<Cancellation>,
    /// The hooks of a moment that is about no call.
    hooks: Option<Cancellation>,
}

impl Session {
    /// Begins to build a session of these tools, in this environment.
    #[must_use]
    pub fn builder(env: Env, catalogue: Catalogue) -> SessionBuilder {
        SessionBuilder::new(env, catalogue)
    }

    /// The tools of the session, as they are now.
    #[must_use]
    pub fn pool(&self) -> Arc<Pool> {
        self.within.pool()
    }

    /// The rules that do not do what their author wanted.
    #[must_use]
    pub fn rule_problems(&self) -> &[RuleProblem] {
        &self.rule_problems
    }

    /// What is wrong with the settings, and with the rules in them, each with its place.
    #[must_use]
    pub fn settings_problems(&self) -> &[Diagnostic] {
        &self.settings_problems
    }

    /// What the gate would answer to a call now, and why. Nothing runs and nobody is asked; hooks are not run either, so
    /// their word is missing from it.
    ///
    /// # Errors
    /// When the tool is not in the pool, or the input does not fit it.
    pub async fn explain(&self, call: ToolUse) -> Result<Explained, NotExplained> {
        pipeline::explain(&self.services, &self.pool(), call, self.conversation()).await
    }

    /// The context that the next call would see.
    #[must_use]
    pub fn context(&self) -> Arc<Context> {
        self.services.context.now()
    }

    /// Changes the context that later calls see; calls whose body has begun keep theirs. The change must not change the
    /// session itself. A mode that settings have switched off is not entered: the mode stays.
    pub fn change(&self, change: impl FnOnce(&mut Context)) {
        self.services.context.change(change);
    }

    /// The allow rules that do not count while the mode is `auto`, since they would leave the classifier nothing to judge.
    #[must_use]
    pub fn suspended_rules(&self) -> Vec<String> {
        let in_force = self.services.rules.now();
        match self.context().mode {
            Mode::Auto => in_force.suspended().to_vec(),
            Mode::Default
            | Mode::Plan
            | Mode::AcceptEdits
            | Mode::BypassPermissions
            | Mode::DontAsk
            | Mode::Bubble => Vec::new(),
        }
    }

    /// Whoever a sub-agent of this session asks, until it is cancelled: the person of this session, who is told which
    /// agent asks. Nothing where no person is there.
    #[must_use]
    pub fn bubble(&self, agent: impl Into<String>, cancellation: Cancellation) -> Option<Bubble> {
        let parent = self.services.askable.prompter.clone()?;
        Some(Bubble::new(self.env().clone(), parent, agent, cancellation))
    }

    /// The environment of the session.
    #[must_use]
    pub fn env(&self) -> &Env {
        &self.services.env
    }

    /// The conversation so far.
    #[must_use]
    pub fn conversation(&self) -> Arc<Vec<Message>> {
        self.conversation.so_far()
    }

    /// What was mended in the history that the session began with.
    #[must_use]
    pub fn history_repairs(&self) -> &[Repair] {
        &self.history_repairs
    }

    /// Adds to the conversation. What a person says ends the rules that count until then; while a step of the query loop is in motion, behind the results of that step.
    pub fn push(&self, message: Message) {
        if self.depth() == 0 && message.is_from_person() {
            self.services.rules.end_span();
        }
        self.conversation.push(message);
    }

    /// What ties to the session whatever outlives its calls.
    #[must_use]
    pub fn ties(&self) -> &Ties {
        self.within.ties()
    }

    /// What things that outlive their calls have to tell the model. [`Session::run`] tells it by itself, before it asks
    /// the model; what comes between runs is for whoever runs it.
    #[must_use]
    pub fn take_notes(&self) -> Vec<String> {
        self.ties().take_notes()
    }

    /// Stops every call of the running turn; each gets its result. A step of the query loop ends with it, also one
    /// that waits for the model.
    pub fn abort(&self) {
        self.env().mutants().flag(Mutant::ListTurnsOnAbort);
        let (turn, step, hooks) = {
            let in_motion = self.in_motion();
            (in_motion.turn.clone(), in_motion.step.clone(), in_motion.hooks.clone())
        };
        if let Some(hooks) = hooks {
            hooks.cancel(Cause::Aborted);
        }
        if let Some(step) = step {
            step.cancel(Cause::Aborted);
        }
        if let Some(turn) = turn {
            turn.abort();
        }
    }

    /// The person sends a new message. It waits until the calls of the running step are answered; of those, the ones
    /// that may be stopped are, the others finish, and no other starts. Without a running step it is just added.
    pub fn send(&self, message: Message) {
        self.push(message);
        self.interrupt();
    }

    /// The person sent a new message: calls that may be stopped are, calls that may not finish, and no other starts.
    pub fn interrupt(&self) {
        let turn = self.in_motion().turn.clone();
        if let Some(turn) = turn {
            turn.interrupt();
        }
    }

    /// Lets an abort reach the step that begins now, until the guard is dropped.
    pub(crate) fn abortable_step(&self, cancellation: Cancellation) -> AbortableStep<'_> {
        self.in_motion().step = Some(cancellation);
        AbortableStep(self)
    }

    /// Waits for hooks of a moment, unless an abort comes first: then they are stopped.
    pub(crate) async fn unless_aborted<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let abort = Cancellation::new();
        self.in_motion().hooks = Some(abort.clone());
        let (mut work, mut aborted) = (pin!(work), pin!(abort.cancelled()));
        let ended = self.env().race("moment", &mut work, &mut aborted).await;
        self.in_motion().hooks = None;
        match ended {
            Either::Left(value) => Some(value),
            Either::Right(_cause) => None,
        }
    }

    fn in_motion(&self) -> MutexGuard<'_, InMotion> {
        self.in_motion.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model told how many tokens an answer's context has.
    pub(crate) fn heard(&self, context_tokens: u64) {
        self.context_tokens.store(context_tokens, Ordering::Relaxed);
    }

    /// How many tokens the last assistant message's context had, where the model told it.
    pub(crate) fn context_tokens(&self) -> Option<u64> {
        Some(self.context_tokens.load(Ordering::Relaxed)).filter(|tokens| *tokens > 0)
    }

    fn next_turn(&self) -> TurnId {
        TurnId(self.within.turns.fetch_add(1, Ordering::Relaxed))
    }
}

/// A step of the query loop that an abort reaches.
pub(crate) struct AbortableStep<'a>(&'a Session);

impl Drop for AbortableStep<'_> {
    fn drop(&mut self) {
        self.0.in_motion().step = None;
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("pool", &self.pool()).finish_non_exhaustive()
    }
}
