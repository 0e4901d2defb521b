//! Bugs put in on purpose, to prove that checkers find them. Off, and free, without the feature `mutants`.
//!
//! Their kinds are fixed in the one table below: what each breaks, and where. Some show only where other tasks do much
//! between two steps of one: their window is counted in the accesses that are announced meanwhile.

#[cfg(feature = "mutants")]
use std::collections::BTreeMap;
#[cfg(feature = "mutants")]
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

macro_rules! mutants {
    ($($invariant:literal, $room:literal: $(#[doc = $doc:literal] $name:ident,)+)+) => {
        /// A bug put in on purpose.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(not(feature = "mutants"), expect(unreachable_pub, reason = "public with the feature only"))]
        #[non_exhaustive]
        pub enum Mutant {
            $($(#[doc = $doc] $name,)+)+
        }

        #[cfg(feature = "mutants")]
        impl Mutant {
            /// All of them.
            pub const ALL: &[Mutant] = &[$($(Mutant::$name,)+)+];

            /// The invariant that it breaks.
            #[must_use]
            pub fn breaks(self) -> &'static str {
                match self {
                    $($(Mutant::$name)|+ => $invariant,)+
                }
            }

            /// The room that it is in.
            #[must_use]
            pub fn room(self) -> &'static str {
                match self {
                    $($(Mutant::$name)|+ => $room,)+
                }
            }
        }
    };
}

mutants! {
    "results complete", "scheduler":
    /// An aborted call leaves its place without a result.
    LostResultOnAbort,
    /// Of two failures at one instant, the second has no result.
    SecondFailureLost,
    /// A call that is long in leaving leaves without a result.
    ForgottenInTheCrowd,

    "results unique", "scheduler":
    /// A cancelled call answers for itself, and is answered for.
    ResultTwiceOnAbort,
    /// A call that is long in leaving is answered for, and answers.
    ResultTwiceInTheCrowd,

    "results ordered", "scheduler":
    /// A result that is there is handed over before the one that is due.
    HandedOutOfOrder,
    /// Results of cancelled neighbours are exchanged.
    SwappedOnAbort,
    /// The result of a call that is long in leaving is exchanged with that of its neighbour.
    SwappedInTheCrowd,

    "barriers", "scheduler":
    /// A safe call is admitted beside an unsafe one.
    SafeBesideUnsafe,
    /// A safe call passes an unsafe one that waits before it.
    OvertakingReader,
    /// A call that became unsafe while others run does not stand in anybody's way.
    RewriteStaysBeside,
    /// A call that became unsafe does not wait for later ones that run already.
    GateForgetsRunning,
    /// A call that is long in becoming unsafe stays safe in the line.
    RewriteLostInTheCrowd,

    "cap", "scheduler":
    /// The cap counts bodies, and not the calls that are about to start theirs.
    CapCountsBodies,
    /// A call that ends before its body gives its place back twice.
    PlaceGivenBackTwice,

    "progress", "scheduler":
    /// Of those who wait at the gate one is woken.
    WakesOneAtTheGate,

    "progress", "pipeline":
    /// A body that runs is not stopped.
    DeafToStop,

    "no start after the result", "scheduler":
    /// A call that was cancelled at the gate has its result, and starts.
    StartsAfterResult,
    /// A call that is long at the gate is given up, and starts.
    StartsInTheCrowd,

    "no call without permission", "permission":
    /// A question that was withdrawn counts as answered.
    WithdrawnRuns,
    /// That nobody answers is a yes, while the mode stays what it was.
    SilenceIsYes,
    /// An answer that is long in coming is taken without being told.
    SlipsInTheCrowd,

    "no call without permission", "hooks":
    /// A hook that ran out of time is passed over.
    HookTimeoutPasses,
    /// A hook that panicked is passed over.
    HookPanicPasses,

    "one claim", "permission":
    /// A question that anybody but the person has answered can be claimed once more.
    DoubleClaim,
    /// A claim that is long in coming can be made again.
    ClaimReopensInTheCrowd,

    "decided input is run input", "permission":
    /// The input that an answer gives is not the one that runs.
    AnswersInputIgnored,
    /// After a rewrite the person is asked about the input before.
    AsksAboutTheFirst,

    "killswitch", "permission":
    /// What an answer makes of a call is not shown to the killswitch.
    RewrittenPastKillswitch,
    /// Whoever enters the mode that asks nothing passes the killswitch.
    BypassBeatsKillswitch,

    "byte-stable tool list", "session":
    /// After an abort the tools are listed in another order.
    ListTurnsOnAbort,
    /// While planning the list is shorter.
    ListFollowsMode,

    "no deferred tool before it is loaded", "pipeline":
    /// Where one tool was loaded, all count as loaded.
    LoadedTogether,
    /// Whoever was refused a tool that is not loaded is not refused again.
    RefusedOnce,

    "child never wider", "session":
    /// A session within another keeps its mode when the one above is narrowed.
    ChildKeepsMode,
    /// The second session within another gets the mode it asks for.
    SecondChildIsWider,
}

/// Which bug is on, so that a finding names its cause: at most one. Cheap to clone; clones share what they count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mutants {
    #[cfg(feature = "mutants")]
    only: Option<Mutant>,
    #[cfg(feature = "mutants")]
    trail: Arc<Mutex<Trail>>,
}

/// What a bug goes by.
#[cfg(feature = "mutants")]
#[derive(Debug, Default)]
struct Trail {
    /// How many accesses were announced.
    accesses: u64,
    /// How many there had been when each window was opened.
    opened: BTreeMap<usize, u64>,
    /// Whether it was told that something has happened.
    is_flagged: bool,
}

/// How many accesses must be announced in a window until it is long.
#[cfg(feature = "mutants")]
const LONG: u64 = 24;

/// The variable that puts a bug into every environment of a process, to run the other tests with it.
#[cfg(feature = "mutants")]
const VARIABLE: &str = "TOOLWRIGHT_MUTANT";

#[cfg(feature = "mutants")]
impl Mutants {
    pub(crate) fn only(mutant: Mutant) -> Mutants {
        Mutants { only: Some(mutant), ..Mutants::default() }
    }

    /// The bug that the process was started with.
    pub(crate) fn of_environment() -> Mutants {
        static ASKED: OnceLock<Option<Mutant>> = OnceLock::new();
        let read = || {
            let name = std::env::var(VARIABLE).ok()?;
            let named = Mutant::ALL.iter().find(|mutant| format!("{mutant:?}") == name);
            Some(*named.unwrap_or_else(|| panic!("{VARIABLE} is `{name}`, which is no implanted bug")))
        };
        Mutants { only: *ASKED.get_or_init(read), ..Mutants::default() }
    }

    pub(crate) fn has(&self, mutant: Mutant) -> bool {
        self.only == Some(mutant)
    }

    /// An access is announced.
    pub(crate) fn announced(&self) {
        if self.only.is_some() {
            self.trail().accesses += 1;
        }
    }

    /// A window of the bug opens for the call with this index.
    pub(crate) fn open(&self, mutant: Mutant, index: usize) {
        if self.has(mutant) {
            let mut trail = self.trail();
            let now = trail.accesses;
            trail.opened.insert(index, now);
        }
    }

    /// Whether the bug is on and much was announced since its window was opened.
    pub(crate) fn is_long(&self, mutant: Mutant, index: usize) -> bool {
        self.has(mutant) && {
            let trail = self.trail();
            trail.opened.get(&index).is_some_and(|opened| trail.accesses - opened >= LONG)
        }
    }

    /// What the bug waits for has happened.
    pub(crate) fn flag(&self, mutant: Mutant) {
        if self.has(mutant) {
            self.trail().is_flagged = true;
        }
    }

    /// Whether the bug is on and what it waits for has happened.
    pub(crate) fn is_flagged(&self, mutant: Mutant) -> bool {
        self.has(mutant) && self.trail().is_flagged
    }

    fn trail(&self) -> std::sync::MutexGuard<'_, Trail> {
        self.trail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(not(feature = "mutants"))]
#[expect(clippy::unused_self, reason = "the same calls with and without the feature")]
impl Mutants {
    pub(crate) fn of_environment() -> Mutants {
        Mutants {}
    }

    pub(crate) fn has(&self, _mutant: Mutant) -> bool {
        false
    }

    pub(crate) fn announced(&self) {}

    pub(crate) fn open(&self, _mutant: Mutant, _index: usize) {}

    pub(crate) fn is_long(&self, _mutant: Mutant, _index: usize) -> bool {
        false
    }

    pub(crate) fn flag(&self, _mutant: Mutant) {}

    pub(crate) fn is_flagged(&self, _mutant: Mutant) -> bool {
        false
    }
}
