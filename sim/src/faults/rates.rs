//! Which faults there are in a run, and how often each of them strikes.

use std::collections::BTreeMap;
use std::fmt;

use toolwright::env::Rng;

use super::kind::Fault;

/// The faults of a run. By default there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Each strikes once in so many times.
    // INVARIANT: at least 2, so that a choice of option 0 is there.
    every: BTreeMap<Fault, usize>,
}

/// How often a fault may strike; the shortest is what an exhaustive search takes.
const EVERY: [usize; 4] = [2, 4, 8, 16];

impl Faults {
    /// These faults, each as often as not.
    #[must_use]
    pub fn of(faults: impl IntoIterator<Item = Fault>) -> Faults {
        Faults { every: faults.into_iter().map(|fault| (fault, EVERY[0])).collect() }
    }

    /// With this fault, once in so many times; 0 and 1 count as 2.
    #[must_use]
    pub fn with(mut self, fault: Fault, every: usize) -> Faults {
        self.every.insert(fault, every.max(EVERY[0]));
        self
    }

    /// Without this fault.
    pub fn remove(&mut self, fault: Fault) {
        self.every.remove(&fault);
    }

    /// Once in how many times this one strikes; nothing where it never does.
    #[must_use]
    pub fn every(&self, fault: Fault) -> Option<usize> {
        self.every.get(&fault).copied()
    }

    /// Whether this one may strike.
    #[must_use]
    pub fn has(&self, fault: Fault) -> bool {
        self.every.contains_key(&fault)
    }

    /// Whether none may strike.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.every.is_empty()
    }

    /// Those that may strike.
    pub fn iter(&self) -> impl Iterator<Item = Fault> + '_ {
        self.every.keys().copied()
    }

    /// Draws for each of these faults whether it is there, and how often it strikes. A quarter of the draws has none.
    pub(crate) fn draw(among: &[Fault], drawn: &mut Rng) -> Faults {
        let is_calm = drawn.below(4) == 0;
        let mut every = BTreeMap::new();
        for &fault in among {
            let (is_there, rate) = (drawn.below(3) == 0, drawn.below(EVERY.len() as u64));
            if is_there && !is_calm {
                every.insert(fault, EVERY[usize::try_from(rate).expect("below four")]);
            }
        }
        Faults { every }
    }

    /// Reads what [`fmt::Display`] writes; nothing when it is something else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Faults> {
        let mut every = BTreeMap::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let fault = Fault::of_letter(letter)?;
            rest = &rest[letter.len_utf8()..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let rate: usize = rest[..digits].parse().ok().filter(|rate| *rate >= EVERY[0])?;
            every.insert(fault, rate).is_none().then_some(())?;
            rest = &rest[digits..];
        }
        (!every.is_empty()).then_some(Faults { every })
    }
}

impl fmt::Display for Faults {
    /// Such as `p4H2`: a tool panics once in four times, a hook hangs once in two.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.every.iter().try_for_each(|(fault, every)| write!(f, "{}{every}", fault.letter()))
    }
}
