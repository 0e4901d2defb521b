//! One session: tools, rules, hooks and people around a conversation. Runs turns.

mod builder;
mod context;
mod turn;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use self::builder::{SessionBuilder, SiblingPolicy};
pub(crate) use self::context::SharedContext;
pub use self::turn::{RunningTurn, TurnOutcome};
use crate::contract::Context;
use crate::env::Env;
use crate::message::{Message, TurnId};
use crate::permission::RuleProblem;
use crate::pipeline::{CallWork, Services};
use crate::registry::{Catalogue, Pool};
use crate::scheduler::Stopper;

/// One session. Turns run one at a time.
pub struct Session {
    pub(crate) services: Arc<Services>,
    pool: Pool,
    cap: std::num::NonZeroUsize,
    rule_problems: Vec<RuleProblem>,
    turns: AtomicU64,
    pub(crate) conversation: Mutex<Arc<Vec<Message>>>,
    running: Mutex<Option<Stopper<CallWork>>>,
    /// Held while a turn runs: a second turn waits for it.
    turn_lock: Arc<tokio::sync::Mutex<()>>,
}

impl Session {
    /// Begins to build a session of these tools, in this environment.
    #[must_use]
    pub fn builder(env: Env, catalogue: Catalogue) -> SessionBuilder {
        SessionBuilder::new(env, catalogue)
    }

    /// The tools of the session.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The rules that do not do what their author wanted.
    #[must_use]
    pub fn rule_problems(&self) -> &[RuleProblem] {
        &self.rule_problems
    }

    /// The context that the next call would see.
    #[must_use]
    pub fn context(&self) -> Arc<Context> {
        self.services.context.now()
    }

    /// Changes the context that later calls see. Calls that have begun keep theirs.
    pub fn change(&self, change: impl FnOnce(&mut Context)) {
        self.services.context.change(change);
    }

    /// The environment of the session.
    #[must_use]
    pub fn env(&self) -> &Env {
        &self.services.env
    }

    /// The conversation so far.
    #[must_use]
    pub fn conversation(&self) -> Arc<Vec<Message>> {
        Arc::clone(&self.conversation.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds to the conversation.
    pub fn push(&self, message: Message) {
        let mut conversation = self.conversation.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut conversation).push(message);
    }

    /// Stops every call of the running turn; each gets its result.
    pub fn abort(&self) {
        if let Some(stopper) = &*self.running.lock().unwrap_or_else(PoisonError::into_inner) {
            stopper.abort();
        }
    }

    /// The person sent a new message: calls that may be stopped are, calls that may not finish, and no other starts.
    pub fn interrupt(&self) {
        if let Some(stopper) = &*self.running.lock().unwrap_or_else(PoisonError::into_inner) {
            stopper.interrupt();
        }
    }

    fn next_turn(&self) -> TurnId {
        TurnId(self.turns.fetch_add(1, Ordering::Relaxed))
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("pool", &self.pool).finish_non_exhaustive()
    }
}
