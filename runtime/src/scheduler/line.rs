//! The line of one turn: who may start, told from who came before. A state machine without time or tasks.
//!
//! A place is taken when a call is submitted. It is *admitted* when the batches before it are through: a safe call
//! beside safe calls, up to the cap; any other call alone. Hooks and permission run in an admitted place. Its body
//! *starts* through a second gate, since a rewrite may have made the call, or one before it, unsafe in the meantime.

use std::num::NonZeroUsize;

use crate::mutant::{Mutant, Mutants};

/// The places of one turn, in the order of its calls.
#[derive(Debug)]
pub struct Line {
    places: Vec<Spot>,
    /// The first place that was not admitted yet.
    next: usize,
    /// How many places are admitted and not left.
    open: usize,
    /// How many bodies run.
    running: usize,
    /// The admitted places that must be alone and have not left, from the first to the last; hardly ever more than one.
    // INVARIANT: every index in it is open; admission in order keeps all later places queued while it is not empty,
    // but for places that were admitted before a rewrite put an index here.
    exclusive: Vec<usize>,
    /// Every place before this one has left or was withdrawn.
    passed: usize,
    cap: usize,
    mutants: Mutants,
}

#[derive(Clone, Copy, Debug)]
struct Spot {
    safe: bool,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Queued,
    Admitted,
    Running,
    /// Cancelled while it was queued: it runs no body and stands in nobody's way.
    Withdrawn,
    Left,
}

impl Line {
    /// An empty line that lets at most `cap` calls run side by side.
    #[must_use]
    pub fn new(cap: NonZeroUsize) -> Line {
        Line::with_room(cap, 0, Mutants::default())
    }

    /// A line with room for so many calls before it grows.
    pub(super) fn with_room(cap: NonZeroUsize, calls: usize, mutants: Mutants) -> Line {
        Line {
            places: Vec::with_capacity(calls),
            next: 0,
            open: 0,
            running: 0,
            exclusive: Vec::new(),
            passed: 0,
            cap: cap.get(),
            mutants,
        }
    }

    /// Takes a place at the end; gives its index.
    pub fn join(&mut self, safe: bool) -> usize {
        self.places.push(Spot { safe, stage: Stage::Queued });
        self.places.len() - 1
    }

    /// Admits the next place, if its time has come.
    pub fn admit(&mut self) -> Option<usize> {
        while self.places.get(self.next).is_some_and(|spot| spot.stage != Stage::Queued) {
            self.next += 1;
        }
        if self.mutants.has(Mutant::OvertakingReader)
            && self.exclusive.is_empty()
            && self.open < self.cap
            && let Some(reader) = self.places.iter().position(|spot| spot.safe && spot.stage == Stage::Queued)
        {
            self.places[reader].stage = Stage::Admitted;
            self.open += 1;
            return Some(reader);
        }
        let spot = self.places.get_mut(self.next)?;
        let alone = self.exclusive.is_empty() || self.mutants.has(Mutant::SafeBesideUnsafe);
        let counted = if self.mutants.has(Mutant::CapCountsBodies) { self.running } else { self.open };
        let fits = if spot.safe { alone && counted < self.cap } else { self.open == 0 };
        if !fits {
            return None;
        }
        spot.stage = Stage::Admitted;
        self.open += 1;
        if !spot.safe {
            self.put_alone(self.next);
        }
        self.next += 1;
        Some(self.next - 1)
    }

    /// Takes a queued place out of the line; it will run no body. Says whether it was queued.
    pub fn withdraw(&mut self, index: usize) -> bool {
        let is_queued = self.places[index].stage == Stage::Queued;
        if is_queued {
            self.places[index].stage = Stage::Withdrawn;
        }
        is_queued
    }

    /// Changes whether an admitted place is safe, after a rewrite and before its body: one that must now be alone
    /// stands before everything that has not started, at its own place.
    pub fn rejudge(&mut self, index: usize, safe: bool) {
        let spot = &mut self.places[index];
        spot.safe = safe;
        if spot.stage == Stage::Admitted {
            if safe {
                self.put_beside(index);
            } else if !(self.mutants.has(Mutant::RewriteStaysBeside) && self.running > 0) {
                self.put_alone(index);
            }
        }
    }

    /// Whether the body of an admitted place may start now: a safe one when no place before it must be alone, any
    /// other when every place before it has left and no body runs.
    #[must_use]
    pub fn may_start(&self, index: usize) -> bool {
        let spot = self.places[index];
        spot.stage == Stage::Admitted
            && match (spot.safe, self.exclusive.first()) {
                (true, _) if self.mutants.has(Mutant::SafeBesideUnsafe) => true,
                (true, None) => true,
                (true, Some(&first)) => first > index,
                (false, _) if self.mutants.has(Mutant::GateForgetsRunning) => self.all_passed_before(index),
                (false, _) => self.running == 0 && (self.open == 1 || self.all_passed_before(index)),
            }
    }

    /// Starts the body of an admitted place, if it [may start](Line::may_start) now.
    pub fn start(&mut self, index: usize) -> bool {
        let may = self.may_start(index);
        if may {
            self.places[index].stage = Stage::Running;
            self.running += 1;
        }
        may
    }

    /// Leaves the place, whatever its stage.
    pub fn leave(&mut self, index: usize) {
        let spot = &mut self.places[index];
        match spot.stage {
            Stage::Running => {
                self.running -= 1;
                self.open -= 1;
            }
            Stage::Admitted => {
                self.open -= 1;
                self.cap += usize::from(self.mutants.has(Mutant::PlaceGivenBackTwice));
            }
            Stage::Queued | Stage::Withdrawn | Stage::Left => {}
        }
        spot.stage = Stage::Left;
        self.put_beside(index);
        let has_passed = |spot: &Spot| matches!(spot.stage, Stage::Left | Stage::Withdrawn);
        while self.places.get(self.passed).is_some_and(has_passed) {
            self.passed += 1;
        }
    }

    pub(super) fn mutants(&self) -> &Mutants {
        &self.mutants
    }

    /// Whether this place may be beside other safe ones.
    pub(super) fn is_safe(&self, index: usize) -> bool {
        self.places[index].safe
    }

    /// Whether this place's body runs.
    #[must_use]
    pub fn is_running(&self, index: usize) -> bool {
        self.places[index].stage == Stage::Running
    }

    fn all_passed_before(&self, index: usize) -> bool {
        let has_passed = |spot: &Spot| matches!(spot.stage, Stage::Left | Stage::Withdrawn);
        // Withdrawn places may lie just beyond what is known to have passed.
        self.passed >= index || self.places[self.passed..index].iter().all(has_passed)
    }

    fn put_alone(&mut self, index: usize) {
        if let Err(at) = self.exclusive.binary_search(&index) {
            self.exclusive.insert(at, index);
        }
    }

    fn put_beside(&mut self, index: usize) {
        if let Ok(at) = self.exclusive.binary_search(&index) {
            self.exclusive.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Rng;
    use crate::scheduler::plan;

    fn line(cap: usize, safe: &[bool]) -> Line {
        let mut line = Line::new(NonZeroUsize::new(cap).expect("caps in tests are not zero"));
        safe.iter().for_each(|&safe| {
            line.join(safe);
        });
        line
    }

    fn admitted(line: &mut Line) -> Vec<usize> {
        std::iter::from_fn(|| line.admit()).collect()
    }

    #[test]
    fn whole_batches_are_admitted_one_after_another() {
        let safe = [true, true, false, true, false, false, true, true, true];
        let mut line = line(10, &safe);
        for batch in plan(&safe) {
            assert_eq!(admitted(&mut line), batch.calls.clone().collect::<Vec<_>>());
            batch.calls.clone().for_each(|index| assert!(line.start(index)));
            batch.calls.for_each(|index| line.leave(index));
        }
        assert!(admitted(&mut line).is_empty());
    }

    #[test]
    fn the_cap_holds_and_the_next_comes_as_one_leaves() {
        let mut line = line(2, &[true; 4]);
        assert_eq!(admitted(&mut line), [0, 1]);
        line.leave(1);
        assert_eq!(admitted(&mut line), [2]);
        line.leave(0);
        assert_eq!(admitted(&mut line), [3]);
    }

    #[test]
    fn a_call_that_became_unsafe_runs_alone_before_what_has_not_started() {
        let mut line = line(10, &[true, true, true]);
        assert_eq!(admitted(&mut line), [0, 1, 2]);
        assert!(line.start(0));
        line.rejudge(1, false);
        assert!(!line.start(1), "0 runs");
        assert!(!line.start(2), "1 comes first");
        line.leave(0);
        assert!(!line.start(2), "1 comes first, though it has not started");
        assert!(line.start(1));
        assert!(!line.start(2), "1 runs alone");
        line.leave(1);
        assert!(line.start(2));
    }

    #[test]
    fn several_that_became_unsafe_do_not_wait_for_each_other() {
        let mut line = line(10, &[true, true, true]);
        assert_eq!(admitted(&mut line), [0, 1, 2]);
        (0..3).for_each(|index| line.rejudge(index, false));
        for index in 0..3 {
            assert!((index + 1..3).all(|later| !line.start(later)));
            assert!(line.start(index));
            line.leave(index);
        }
    }

    #[test]
    fn a_withdrawn_place_stands_in_nobodys_way() {
        let mut line = line(10, &[false, false, false]);
        assert_eq!(admitted(&mut line), [0]);
        assert!(line.withdraw(1));
        assert!(!line.withdraw(0), "it is not queued any more");
        line.leave(0);
        assert_eq!(admitted(&mut line), [2]);
        assert!(line.start(2));
    }

    /// Random turns, random moves: the rules hold at every step, and every line drains.
    #[test]
    fn no_order_of_moves_breaks_the_barriers_or_hangs() {
        for seed in 0..2_000 {
            let mut rng = Rng::new(seed);
            let safe: Vec<bool> = (0..rng.below(8) + 1).map(|_| rng.below(2) == 0).collect();
            let mut line = line(usize::try_from(rng.below(3) + 1).expect("small"), &safe);
            let mut open: Vec<usize> = Vec::new();
            let mut left = 0;
            for _ in 0..1_000 {
                open.extend(admitted(&mut line));
                if open.is_empty() {
                    break;
                }
                let at = usize::try_from(rng.below(open.len() as u64)).expect("small");
                let index = open[at];
                match rng.below(4) {
                    0 if !line.is_running(index) => line.rejudge(index, rng.below(2) == 0),
                    1 if line.is_running(index) => {
                        line.leave(index);
                        open.remove(at);
                        left += 1;
                    }
                    _other => drop(line.start(index)),
                }
                let runs: Vec<usize> = open.iter().copied().filter(|&index| line.is_running(index)).collect();
                assert!(
                    runs.len() <= 1 || runs.iter().all(|&index| line.places[index].safe),
                    "seed {seed}: {line:?}"
                );
            }
            assert_eq!(left, safe.len(), "seed {seed}: {line:?}");
        }
    }
}
