//! The context of a session: read by calls as they begin, changed between batches.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::contract::Context;
use crate::env::Env;
use crate::event::Event;
use crate::latest::Latest;
use crate::mutant::Mutant;
use crate::permission::Mode;
use crate::permission::live::Changes;

/// The context, shared by all calls of a session.
#[derive(Debug)]
pub(crate) struct SharedContext {
    now: Latest<Context>,
    /// Held while a change is made. Readers do not wait for a change, which is not our code.
    changing: Mutex<()>,
    /// Told to the questions that wait for an answer.
    changes: Changes,
    /// Modes that nobody may enter.
    forbidden_modes: Vec<Mode>,
    /// That of the session above, whose mode this one's never goes beyond.
    above: Option<Arc<SharedContext>>,
    /// The mode that was last chosen here, which may be more than the session above allows.
    wanted: Mutex<Mode>,
    /// Those of the sessions below.
    below: Mutex<Vec<Weak<SharedContext>>>,
    /// The agent whose context it is; nothing for the main one.
    agent: Option<String>,
    env: Env,
}

impl SharedContext {
    pub(crate) fn new(
        context: Context,
        changes: Changes,
        forbidden_modes: Vec<Mode>,
        env: Env,
    ) -> SharedContext {
        SharedContext {
            wanted: Mutex::new(context.mode),
            now: Latest::new(Arc::new(context)),
            changing: Mutex::default(),
            changes,
            forbidden_modes,
            above: None,
            below: Mutex::default(),
            agent: None,
            env,
        }
    }

    /// The context of an agent's session below this one: the same, in this mode as far as it is no wider than this
    /// session's. Gives the mode of this session at that moment too.
    pub(crate) fn within(
        self: &Arc<SharedContext>,
        agent: String,
        changes: Changes,
        mode: Option<Mode>,
    ) -> (Arc<SharedContext>, Mode) {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut context = Context::clone(&self.now());
        context.before_plan = None;
        let above = context.mode;
        let wanted = mode.unwrap_or(above);
        let is_second = !self.below.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        context.mode = if is_second && self.env.mutants().has(Mutant::SecondChildIsWider) {
            wanted
        } else {
            above.of_agent(wanted)
        };
        let below = Arc::new(SharedContext {
            wanted: Mutex::new(wanted),
            above: Some(Arc::clone(self)),
            agent: Some(agent),
            ..SharedContext::new(context, changes, self.forbidden_modes.clone(), self.env.clone())
        });
        let mut all = self.below.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|below| below.strong_count() > 0);
        all.push(Arc::downgrade(&below));
        drop(all);
        (below, above)
    }

    /// The context as it is now; later changes are not seen in it.
    pub(crate) fn now(&self) -> Arc<Context> {
        self.now.now()
    }

    /// The same; the one that is held, where it is still that.
    pub(crate) fn refreshed(&self, held: &Arc<Context>) -> Arc<Context> {
        self.now.refreshed(held).into_owned()
    }

    /// Whether this is the context as it is now.
    pub(crate) fn is(&self, context: &Arc<Context>) -> bool {
        self.now.is(context)
    }

    /// Changes the context, whole or, when the change panics, not at all.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Context)) {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.now();
        let mut changed = Context::clone(&before);
        change(&mut changed);
        if self.forbidden_modes.contains(&changed.mode) {
            changed.mode = before.mode;
        }
        if changed.mode != before.mode {
            *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = changed.mode;
        }
        self.enter(changed);
    }

    /// The mode of the session above has changed: what was chosen here counts within the new one.
    fn follow(&self) {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Context::clone(&self.now());
        changed.mode = *self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        self.enter(changed);
    }

    /// Makes it the context; `changing` is held.
    fn enter(&self, mut changed: Context) {
        if let Some(above) = &self.above {
            changed.mode = above.now().mode.of_agent(changed.mode);
        }
        let mode = changed.mode;
        let is_new_mode = self.now.replace(Arc::new(changed), |before, changed| {
            let is_new_mode = changed.mode != before.mode;
            // An answer that was asked for in the mode before must not be taken for one in this.
            if is_new_mode {
                self.changes.next_mode();
            }
            is_new_mode
        });
        if is_new_mode {
            self.env.emit(|| Event::ModeChanged { agent: self.agent.clone(), mode });
        }
        if is_new_mode && !self.env.mutants().has(Mutant::ChildKeepsMode) {
            let below = self.below.lock().unwrap_or_else(PoisonError::into_inner).clone();
            below.iter().filter_map(Weak::upgrade).for_each(|below| below.follow());
        }
        self.changes.tell();
    }
}
