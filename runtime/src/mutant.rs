//! Bugs put in on purpose, to prove that checkers find them. Off, and free, without the feature `mutants`.

/// A bug put in on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(feature = "mutants"), expect(unreachable_pub, reason = "public with the feature only"))]
#[non_exhaustive]
pub enum Mutant {
    /// A safe call is admitted beside an unsafe one.
    SafeBesideUnsafe,
    /// An aborted call leaves its place without a result.
    LostResultOnAbort,
    /// A permission question can be claimed more than once.
    DoubleClaim,
    /// A safe call passes an unsafe one that waits before it.
    OvertakingReader,
}

/// Which bugs are on: at most one at a time, so that a finding names its cause.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mutants {
    #[cfg(feature = "mutants")]
    only: Option<Mutant>,
}

impl Mutants {
    #[cfg(feature = "mutants")]
    pub(crate) fn only(mutant: Mutant) -> Mutants {
        Mutants { only: Some(mutant) }
    }

    #[cfg(feature = "mutants")]
    pub(crate) fn has(self, mutant: Mutant) -> bool {
        self.only == Some(mutant)
    }

    #[cfg(not(feature = "mutants"))]
    #[expect(clippy::unused_self, reason = "the same call with and without the feature")]
    pub(crate) fn has(self, _mutant: Mutant) -> bool {
        false
    }
}

#[cfg(feature = "mutants")]
impl Mutant {
    /// All of them.
    pub const ALL: &[Mutant] =
        &[Mutant::SafeBesideUnsafe, Mutant::LostResultOnAbort, Mutant::DoubleClaim, Mutant::OvertakingReader];
}
