//! How a subject is explored, and the loop that does it.

use std::num::NonZeroUsize;
use std::ops::Range;

use toolwright::event::{Event, Outcome, Stamped};
use toolwright::message::CallId;

use super::coverage::{Coverage, State, built_in_states};
use super::report::{Exploration, Finding};
use super::subject::{Ran, Subject};
use crate::check::{self, Checker, Violation};
use crate::engine::{Choice, Simulation, Strategy, Stuck};
use crate::replay::Conditions;
use crate::strategy::{Deviations, Family, Search, Tree, Way};
use crate::token::Token;

/// How many steps one run may take before it is a livelock.
const STEPS_MAX: u64 = 1_000_000;

/// Every so many seeds a run is made twice and compared.
const TWICE_EVERY: u64 = 64;

/// The invariant that a state breaks which no run may be in.
pub const NEVER: &str = "never";

/// That a run was in states that no run may be in.
pub(crate) fn entered(never: &[State], events: &[Stamped], cap: NonZeroUsize) -> Vec<Violation> {
    let entered = never.iter().filter(|state| (state.is_in)(events, cap.get()));
    let violation = |state: &State| Violation { invariant: NEVER, call: None, detail: state.name.to_owned() };
    entered.map(violation).collect()
}

/// A look at a whole run, which says what is wrong with it.
type Look = dyn Fn(&[Stamped]) -> Result<(), String> + Sync;
type MakeCheckers = dyn Fn() -> Vec<Box<dyn Checker>> + Sync;

/// How a subject is explored.
pub struct Explore<'a> {
    family: Family,
    states: Vec<State>,
    declared: Vec<&'static str>,
    never: Vec<State>,
    checkers: Box<MakeCheckers>,
    checks: Vec<(&'static str, Box<Look>)>,
    steps_max: u64,
    findings_max: usize,
    is_stopped: &'a dyn Fn() -> bool,
}

/// A run that was checked.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What happened.
    pub ran: Ran,
    /// What was broken.
    pub violations: Vec<Violation>,
    /// What was chosen.
    pub choices: Vec<Choice>,
}

impl Default for Explore<'_> {
    fn default() -> Explore<'static> {
        Explore {
            family: Family::Portfolio,
            states: built_in_states().to_vec(),
            declared: Vec::new(),
            never: Vec::new(),
            checkers: Box::new(Vec::new),
            checks: Vec::new(),
            steps_max: STEPS_MAX,
            findings_max: 16,
            is_stopped: &|| false,
        }
    }
}

impl<'a> Explore<'a> {
    /// With the ways by turns, every checker of this crate, and no state that must be seen.
    #[must_use]
    pub fn new() -> Explore<'a> {
        Explore::default()
    }

    /// Which ways the seeds choose among.
    #[must_use]
    pub fn family(mut self, family: Family) -> Explore<'a> {
        self.family = family;
        self
    }

    /// Checkers beside those of this crate, made anew for each run.
    #[must_use]
    pub fn checkers(mut self, make: impl Fn() -> Vec<Box<dyn Checker>> + Sync + 'static) -> Explore<'a> {
        self.checkers = Box::new(make);
        self
    }

    /// A look at the events of each whole run, which says what is wrong with them: the shortest checker of one's own, under
    /// the name of what must hold. [`results_differ`](crate::check::results_differ) is one;
    /// [`results`](crate::check::results) reads what each call came to.
    ///
    /// ```
    /// use toolwright_sim::{check::results_differ, explore::Explore};
    ///
    /// let explore = Explore::new().check("sold once", results_differ);
    /// ```
    #[must_use]
    pub fn check(
        mut self,
        invariant: &'static str,
        look: impl Fn(&[Stamped]) -> Result<(), String> + Sync + 'static,
    ) -> Explore<'a> {
        self.checks.push((invariant, Box::new(look)));
        self
    }

    /// A state to count beside the built-in ones.
    #[must_use]
    pub fn state(mut self, state: State) -> Explore<'a> {
        self.states.push(state);
        self
    }

    /// States that must be seen: the exploration fails when one of them never was. A name that is no state's never is.
    #[must_use]
    pub fn sometimes(mut self, names: impl IntoIterator<Item = &'static str>) -> Explore<'a> {
        self.declared.extend(names);
        self
    }

    /// A state that no run may be in: one that is breaks the invariant [`NEVER`].
    #[must_use]
    pub fn never(mut self, state: State) -> Explore<'a> {
        self.never.push(state);
        self
    }

    /// How many steps one run may take before it is a livelock.
    #[must_use]
    pub fn steps_max(mut self, steps: u64) -> Explore<'a> {
        self.steps_max = steps;
        self
    }

    /// After how many different findings it stops.
    #[must_use]
    pub fn findings_max(mut self, findings: usize) -> Explore<'a> {
        self.findings_max = findings;
        self
    }

    /// Asked after each run whether to stop.
    #[must_use]
    pub fn until(mut self, is_stopped: &'a dyn Fn() -> bool) -> Explore<'a> {
        self.is_stopped = is_stopped;
        self
    }

    /// Whether states are declared that must be seen.
    pub(crate) fn is_to_see(&self) -> bool {
        !self.declared.is_empty()
    }

    /// The run of a seed, checked.
    pub(crate) fn of_seed(&self, subject: &dyn Subject, seed: u64) -> Judged {
        self.one(subject, &self.family.way(seed), &subject.conditions(seed))
    }

    /// One run, checked.
    #[must_use]
    pub fn one(&self, subject: &dyn Subject, way: &Way, conditions: &Conditions) -> Judged {
        self.judged(subject, way.strategy(), conditions)
    }

    /// One run by any strategy, checked.
    #[must_use]
    pub fn judged(
        &self,
        subject: &dyn Subject,
        strategy: Box<dyn Strategy>,
        conditions: &Conditions,
    ) -> Judged {
        let simulation = Simulation::with_boxed(strategy).steps_max(self.steps_max);
        let ran = subject.run(&simulation, conditions);
        let mut violations = Vec::new();
        // A run that was given up has no end to check.
        if ran.ended != Err(Stuck::GivenUp) {
            let mut checkers = check::checkers(ran.cap);
            checkers.extend((self.checkers)());
            violations = check::run(checkers, &ran.events);
            violations.extend(ran.ended.as_ref().err().map(check::progress));
            violations.extend(self.looked(&ran.events));
            violations.extend(no_reactor(&ran.events));
            violations.extend(entered(&self.never, &ran.events, ran.cap));
        }
        Judged { violations, choices: simulation.choices(), ran }
    }

    /// What the looks at a whole run say.
    fn looked<'b>(&'b self, events: &'b [Stamped]) -> impl Iterator<Item = Violation> + 'b {
        self.checks.iter().filter_map(move |(invariant, look)| {
            let detail = look(events).err()?;
            Some(Violation { invariant, call: None, detail })
        })
    }

    /// Runs a subject under each of these seeds.
    #[must_use]
    pub fn seeds(&self, subject: &dyn Subject, seeds: Range<u64>) -> Exploration {
        let mut found = Exploration::default();
        for seed in seeds {
            let (way, conditions) = (self.family.way(seed), subject.conditions(seed));
            let mut judged = self.one(subject, &way, &conditions);
            if seed % TWICE_EVERY == 0 {
                let again = self.one(subject, &way, &conditions);
                judged.violations.extend(difference(&judged, &again));
            }
            self.add(
                &mut found,
                judged,
                |_judged| Token {
                    identity: subject.identity(),
                    way: way.clone(),
                    conditions: conditions.clone(),
                },
                Some(seed),
            );
            let shows_no_more =
                found.findings.iter().any(|finding| finding.violation.invariant == SIMULATED_TIME);
            if found.findings.len() >= self.findings_max || shows_no_more || (self.is_stopped)() {
                break;
            }
        }
        self.end(found)
    }

    /// Goes through every run that the search tells apart, up to so many.
    #[must_use]
    pub fn search<T: Tree>(
        &self,
        subject: &dyn Subject,
        tree: T,
        conditions: &Conditions,
        runs_max: u64,
    ) -> Exploration {
        let mut found = Exploration::default();
        let mut search = Search::new(tree);
        while found.runs < runs_max && found.findings.len() < self.findings_max && !(self.is_stopped)() {
            let Some(strategy) = search.next_run() else {
                found.is_complete = true;
                break;
            };
            let judged = self.judged(subject, strategy, conditions);
            let token = |judged: &Judged| Token {
                identity: subject.identity(),
                way: Way::Choices(Deviations::of(&judged.choices, 0)),
                conditions: conditions.clone(),
            };
            let mut judged = judged;
            if search.has_strayed() {
                // Whatever it shows, it was not the run that was asked for.
                (judged.ran.ended, judged.violations) = (Ok(()), vec![strayed("another question")]);
            }
            self.add(&mut found, judged, token, None);
            if search.has_strayed() {
                break;
            }
        }
        self.end(found)
    }

    fn add(
        &self,
        found: &mut Exploration,
        judged: Judged,
        token: impl Fn(&Judged) -> Token,
        seed: Option<u64>,
    ) {
        found.runs += 1;
        if judged.ran.ended == Err(Stuck::GivenUp) {
            found.given_up += 1;
            return;
        }
        found.coverage.see(&self.states, &judged.ran.events, judged.ran.cap.get());
        let begins = |stamped: &&Stamped| matches!(stamped.event, Event::Started { .. });
        found.bodies += judged.ran.events.iter().filter(begins).count() as u64;
        let mut names: Vec<&'static str> = Vec::new();
        for violation in &judged.violations {
            if names.contains(&violation.invariant) {
                continue;
            }
            names.push(violation.invariant);
            let known = found.findings.iter_mut().find(|old| old.violation.invariant == violation.invariant);
            match known {
                Some(known) => known.runs += 1,
                None => found.findings.push(Finding {
                    violation: violation.clone(),
                    seed,
                    token: token(&judged),
                    runs: 1,
                    events: judged.ran.events.clone(),
                    choices: judged.choices.clone(),
                }),
            }
        }
    }

    fn end(&self, mut found: Exploration) -> Exploration {
        let Coverage(seen) = &found.coverage;
        let is_missing = |name: &&&'static str| seen.get(**name).copied().unwrap_or(0) == 0;
        found.missing = self.declared.iter().filter(is_missing).copied().collect();
        found
    }
}

/// What is broken where a body waits for something that is not there: each run says the same, and no more.
pub(crate) const SIMULATED_TIME: &str = "simulated time";
/// How tokio begins to complain of a timer, file or task outside of it.
const NO_REACTOR: &str = "there is no reactor running";
const WAITS_ON_TOKIO: &str = "this tool waits on tokio, which is not here: use `cx.sleep` or `cx.timeout`, or build the \
                              scene with `.in_tokio(…)`";

/// A body that cannot have run here: all that the run shows of it is the panic.
fn no_reactor(events: &[Stamped]) -> Option<Violation> {
    let has_panicked = |call: &CallId| {
        let mut ends = events.iter().map(|stamped| &stamped.event);
        ends.any(|end| matches!(end, Event::Finished { call: of, outcome: Outcome::Panicked } if of == call))
    };
    let called = events.iter().find_map(|stamped| match &stamped.event {
        Event::Result { call, content, is_error: true, .. }
            if content.to_text().contains(NO_REACTOR) && has_panicked(call) =>
        {
            Some(call.clone())
        }
        _other => None,
    });
    called.map(|call| Violation {
        invariant: SIMULATED_TIME,
        call: Some(call),
        detail: WAITS_ON_TOKIO.to_owned(),
    })
}

/// Where two runs of the same choices part.
fn difference(one: &Judged, other: &Judged) -> Option<Violation> {
    let (one, other) = (&one.ran.events, &other.ran.events);
    let at = (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at))?;
    Some(strayed(&format!("event {} another, {:?} and {:?}", at + 1, one.get(at), other.get(at))))
}

/// A run that does not depend on its choices alone.
fn strayed(to: &str) -> Violation {
    let detail = format!(
        "the same choices led to {to}: something waits, draws or keeps state outside the simulated environment"
    );
    Violation { invariant: "determinism", call: None, detail }
}

impl std::fmt::Debug for Explore<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Explore").field("family", &self.family).finish_non_exhaustive()
    }
}
