//! Feature switches that a listed tool depends on.

use std::collections::BTreeSet;
use std::fmt;

/// Which feature switches let a tool be listed in a session: any of some must be on, and none of others. What is off at
/// compile time is in no catalogue at all, and what a tool itself finds out it tells by
/// [`is_enabled`](crate::contract::Tool::is_enabled).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    any_of: BTreeSet<String>,
    none_of: BTreeSet<String>,
}

impl Layer {
    /// A tool that is there where any of these switches is on.
    #[must_use]
    pub fn when_any<S: Into<String>>(switches: impl IntoIterator<Item = S>) -> Layer {
        Layer { any_of: switches.into_iter().map(Into::into).collect(), none_of: BTreeSet::new() }
    }

    /// A tool that gives way where any of these switches is on, such as to an equivalent that the shell has built in.
    #[must_use]
    pub fn unless<S: Into<String>>(switches: impl IntoIterator<Item = S>) -> Layer {
        Layer { any_of: BTreeSet::new(), none_of: switches.into_iter().map(Into::into).collect() }
    }

    /// Whether no session lists tools of both: one of them needs a switch before which the other gives way.
    pub(super) fn excludes(&self, other: &Layer) -> bool {
        let gives_way =
            |one: &Layer, other: &Layer| !one.any_of.is_empty() && one.any_of.is_subset(&other.none_of);
        gives_way(self, other) || gives_way(other, self)
    }

    /// Why the switches that are on leave a tool of this layer out; nothing where they do not.
    #[must_use]
    pub fn shut(&self, features: &BTreeSet<String>) -> Option<Shut> {
        if let Some(switch) = self.none_of.intersection(features).next() {
            return Some(Shut::GivesWay(switch.clone()));
        }
        let is_off = !self.any_of.is_empty() && self.any_of.is_disjoint(features);
        is_off.then(|| Shut::Off(self.any_of.iter().cloned().collect()))
    }
}

/// Why switches leave a tool out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shut {
    /// None of these is on.
    Off(Vec<String>),
    /// This one is on.
    GivesWay(String),
}

impl fmt::Display for Shut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shut::Off(switches) => write!(f, "the feature `{}` is off", switches.join("` or `")),
            Shut::GivesWay(switch) => write!(f, "it gives way to what the feature `{switch}` brings"),
        }
    }
}
