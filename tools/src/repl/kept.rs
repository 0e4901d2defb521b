//! The interpreters that are kept between calls: one a conversation and language.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolwright::session::Ties;

use super::Language;
use super::interpreter::Interpreter;
use crate::shell::ShellState;
use crate::tasks::is_same;

/// How many are kept at a time.
const KEPT_MAX: usize = 16;

/// The interpreters of all sessions. Cheap to clone; clones share. Each conversation has its own, and those of a session
/// end with it. They are confined as commands are.
#[derive(Clone, Debug, Default)]
pub struct Repls {
    slots: Slots,
    /// Dropped after the interpreters, whose temporary files it has.
    shell: ShellState,
}

#[derive(Clone, Debug, Default)]
struct Slots(Arc<Mutex<Vec<Slot>>>);

#[derive(Debug)]
struct Slot {
    /// Nothing in tests of a method by itself.
    ties: Option<Ties>,
    language: Language,
    state: State,
}

#[derive(Debug)]
enum State {
    /// It waits for code.
    Idle(Box<Interpreter>),
    /// A call has it.
    Busy,
    /// The call that had it was stopped, and it with it.
    Lost,
}

/// The place of an interpreter that a call has. Dropped without giving one back, the state counts as lost.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    repls: &'a Repls,
    ties: Option<&'a Ties>,
    language: Language,
}

/// What was kept for a call.
#[derive(Debug)]
pub(super) enum Before {
    /// Nothing: it is the first.
    Nothing,
    /// Nothing any more: a call before was stopped.
    Lost,
    Kept(Box<Interpreter>),
}

impl Slot {
    fn is(&self, ties: Option<&Ties>, language: Language) -> bool {
        self.language == language && is_same(ties, self.ties.as_ref(), Ties::is_same_conversation)
    }
}

impl Repls {
    /// None yet.
    #[must_use]
    pub fn new() -> Repls {
        Repls::default()
    }

    /// None yet; they will be confined by what confines the commands of this state, and share their temporary files.
    #[must_use]
    pub fn beside(shell: ShellState) -> Repls {
        Repls { slots: Slots::default(), shell }
    }

    /// What confines them.
    pub(super) fn shell(&self) -> &ShellState {
        &self.shell
    }

    /// Takes the interpreter of a conversation, and its place.
    ///
    /// # Errors
    /// In words: another call has it, or there are too many.
    pub(super) fn take<'a>(
        &'a self,
        ties: Option<&'a Ties>,
        language: Language,
    ) -> Result<(Taken<'a>, Before), String> {
        let mut slots = self.slots.lock();
        let taken = || Taken { repls: self, ties, language };
        if let Some(slot) = slots.iter_mut().find(|slot| slot.is(ties, language)) {
            return match std::mem::replace(&mut slot.state, State::Busy) {
                State::Idle(interpreter) => Ok((taken(), Before::Kept(interpreter))),
                State::Lost => Ok((taken(), Before::Lost)),
                State::Busy => Err(format!(
                    "{} runs code for another call: wait until that has its result",
                    language.name()
                )),
            };
        }
        slots.retain(|slot| !matches!(slot.state, State::Lost));
        if slots.len() >= KEPT_MAX {
            return Err(format!("{KEPT_MAX} interpreters are kept already: run the code with Bash"));
        }
        slots.push(Slot { ties: ties.cloned(), language, state: State::Busy });
        drop(slots);
        if let Some(ties) = ties {
            let (weak, over) = (Arc::downgrade(&self.slots.0), ties.clone());
            ties.when_over(move || {
                if let Some(slots) = weak.upgrade() {
                    Slots(slots).forget(&over);
                }
            });
        }
        Ok((taken(), Before::Nothing))
    }
}

impl Slots {
    /// Ends the interpreters of a session.
    fn forget(&self, over: &Ties) {
        let is_over = |slot: &mut Slot| slot.ties.as_ref().is_some_and(|ties| ties.is_same_session(over));
        let ended: Vec<Slot> = self.lock().extract_if(.., is_over).collect();
        // Not under the lock: ending one takes a moment.
        drop(ended);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, ties: Option<&Ties>, language: Language, state: State) {
        let mut slots = self.lock();
        // Where the session is over there is no place any more, and the interpreter ends.
        let before = slots
            .iter_mut()
            .find(|slot| slot.is(ties, language))
            .map(|slot| std::mem::replace(&mut slot.state, state));
        drop(slots);
        drop(before);
    }
}

impl Taken<'_> {
    /// Keeps the interpreter for the next call.
    pub(super) fn keep(self, interpreter: Box<Interpreter>) {
        self.repls.slots.set(self.ties, self.language, State::Idle(interpreter));
        std::mem::forget(self);
    }

    /// Keeps nothing, and the next call need not be told.
    pub(super) fn leave(self) {
        let Taken { repls, ties, language } = &self;
        let mut slots = repls.slots.lock();
        slots.retain(|slot| !slot.is(*ties, *language));
        drop(slots);
        std::mem::forget(self);
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.repls.slots.set(self.ties, self.language, State::Lost);
    }
}
