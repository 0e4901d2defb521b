//! The rules of a session while it runs: which are in force in a mode, those that are granted on the way, and the word
//! to those who wait for an answer that something has changed.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::broad::is_broad;
use super::{Behavior, Files, Mode, RuleProblem, RuleSet, RuleText};
use crate::contract::Context;
use crate::latest::Latest;

/// Counts what questions depend on. Cheap to clone; clones share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    told: Arc<Told>,
    modes: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Told {
    all: AtomicU64,
    notify: Notify,
}

/// How often the mode has changed: an answer counts in the mode that it was asked in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModeEpoch(u64);

impl Changes {
    /// For a session within: it hears of the same changes, and has a mode of its own.
    pub(crate) fn within(&self) -> Changes {
        Changes { told: Arc::clone(&self.told), modes: Arc::default() }
    }

    /// Something changed that a question may depend on.
    pub(crate) fn tell(&self) {
        self.told.all.fetch_add(1, Ordering::SeqCst);
        self.told.notify.notify_waiters();
    }

    /// The mode is about to change.
    pub(crate) fn next_mode(&self) {
        self.modes.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn epoch(&self) -> ModeEpoch {
        ModeEpoch(self.modes.load(Ordering::SeqCst))
    }

    /// What has been told so far.
    pub(crate) fn seen(&self) -> u64 {
        self.told.all.load(Ordering::SeqCst)
    }

    /// Waits until something was told that was not seen.
    pub(crate) async fn after(&self, seen: u64) {
        loop {
            let mut told = std::pin::pin!(self.told.notify.notified());
            told.as_mut().enable();
            if self.seen() != seen {
                return;
            }
            told.await;
        }
    }
}

/// The rules that are in force.
#[derive(Debug, Default)]
pub(crate) struct InForce {
    all: Arc<RuleSet>,
    /// Without the allow rules that are too broad for the mode `auto`: the same where there are none.
    narrow: Arc<RuleSet>,
    /// The allow rules that are too broad.
    suspended: Vec<String>,
}

impl InForce {
    /// Compiles rules; gives what is wrong with them too.
    pub(super) fn new(rules: &[RuleText], place: &Context, files: &dyn Files) -> (InForce, Vec<RuleProblem>) {
        let (all, problems) = RuleSet::new(rules.iter().cloned(), place, files);
        let all = Arc::new(all);
        let (broad, rest): (Vec<&RuleText>, Vec<&RuleText>) =
            rules.iter().partition(|rule| is_suspended(rule));
        let narrow = if broad.is_empty() {
            Arc::clone(&all)
        } else {
            Arc::new(RuleSet::new(rest.into_iter().cloned(), place, files).0)
        };
        let suspended = broad.into_iter().map(|rule| rule.text.clone()).collect();
        (InForce { all, narrow, suspended }, problems)
    }

    fn with(&self, rule: &RuleText, place: &Context, files: &dyn Files) -> Result<InForce, RuleProblem> {
        let add = |set: &RuleSet| {
            let (set, problems) = set.with([rule.clone()], place, files);
            problems.into_iter().next().map_or(Ok(Arc::new(set)), Err)
        };
        let mut suspended = self.suspended.clone();
        let all = add(&self.all)?;
        let narrow = if is_suspended(rule) {
            suspended.push(rule.text.clone());
            Arc::clone(&self.narrow)
        } else if Arc::ptr_eq(&self.all, &self.narrow) {
            Arc::clone(&all)
        } else {
            add(&self.narrow)?
        };
        Ok(InForce { all, narrow, suspended })
    }

    /// The same, with nothing allowed any more.
    fn closed(&self) -> InForce {
        let closed = |rules: &RuleSet| {
            let mut rules = rules.clone();
            rules.close();
            Arc::new(rules)
        };
        InForce { all: closed(&self.all), narrow: closed(&self.narrow), suspended: self.suspended.clone() }
    }

    /// The rules that count in this mode: entering `auto` suspends broad allow rules, and leaving it restores them.
    pub(crate) fn in_mode(&self, mode: Mode) -> &RuleSet {
        match mode {
            Mode::Auto => &self.narrow,
            Mode::Default
            | Mode::Plan
            | Mode::AcceptEdits
            | Mode::BypassPermissions
            | Mode::DontAsk
            | Mode::Bubble => &self.all,
        }
    }

    /// The rules that do not count in the mode `auto`, as they were given.
    pub(crate) fn suspended(&self) -> &[String] {
        &self.suspended
    }
}

fn is_suspended(rule: &RuleText) -> bool {
    rule.behavior == Behavior::Allow && is_broad(&rule.text)
}

/// The rules of a session.
#[derive(Debug)]
pub(crate) struct LiveRules {
    now: Latest<InForce>,
    /// Held while a rule is added. What is in force once the rules are withdrawn that count until the person says
    /// something; nothing while there are none.
    adding: Mutex<Option<Arc<InForce>>>,
    /// Where the session began: what rules hang on.
    place: Context,
    changes: Changes,
}

impl LiveRules {
    /// Begins with these rules, which hang on this place. They stay as they are: what is added goes into another set.
    pub(crate) fn new(rules: Arc<InForce>, place: Context, changes: Changes) -> LiveRules {
        LiveRules { now: Latest::new(rules), adding: Mutex::default(), place, changes }
    }

    /// Nothing is allowed automatically any more; see [`RuleSet::close`].
    pub(crate) fn close(&self) {
        let mut beneath = self.adding();
        *beneath = beneath.take().map(|rules| Arc::new(rules.closed()));
        self.put(Arc::new(self.now().closed()));
    }

    pub(crate) fn now(&self) -> Arc<InForce> {
        self.now.now()
    }

    /// The same; those that are held, where they are still in force.
    pub(crate) fn refreshed<'a>(&self, held: &'a Arc<InForce>) -> Cow<'a, Arc<InForce>> {
        self.now.refreshed(held)
    }

    /// Adds a rule, from now on and for the questions that wait.
    ///
    /// # Errors
    /// What is wrong with the rule: then nothing changes.
    pub(crate) fn add(&self, rule: &RuleText, files: &dyn Files) -> Result<(), RuleProblem> {
        let mut beneath = self.adding();
        let now = self.now().with(rule, &self.place, files)?;
        if let Some(rules) = &*beneath {
            *beneath = Some(Arc::new(rules.with(rule, &self.place, files)?));
        }
        self.put(Arc::new(now));
        Ok(())
    }

    /// Adds rules until [`end_span`](LiveRules::end_span): all of them, or none.
    ///
    /// # Errors
    /// What is wrong with the first one that is wrong.
    pub(crate) fn add_span(&self, rules: &[RuleText], files: &dyn Files) -> Result<(), RuleProblem> {
        let mut beneath = self.adding();
        let before = self.now();
        let mut now = Arc::clone(&before);
        for rule in rules {
            now = Arc::new(now.with(rule, &self.place, files)?);
        }
        beneath.get_or_insert(before);
        self.put(now);
        Ok(())
    }

    /// Withdraws the rules that were added for a span.
    pub(crate) fn end_span(&self) {
        if let Some(rules) = self.adding().take() {
            self.put(rules);
        }
    }

    fn adding(&self) -> MutexGuard<'_, Option<Arc<InForce>>> {
        self.adding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, rules: Arc<InForce>) {
        self.now.replace(rules, |_before, _now| ());
        self.changes.tell();
    }
}
