//! The four stages between a catalogue and a pool, each a pure function that says what stays and why the rest falls.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::layer::Shut;
use super::{Catalogue, Layer};
use crate::contract::{ErasedTool, Form, SessionFacts};

/// A tool on its way into a pool.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The tool.
    pub tool: Arc<dyn ErasedTool>,
    /// Whose it is.
    pub part: Part,
    /// The switches it depends on.
    pub layer: Layer,
}

/// Whose tool it is: the program's own come first, and win a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The program's own.
    BuiltIn,
    /// A remote server's.
    Remote,
}

/// One stage of the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// What the catalogue lists, as far as the feature switches go.
    Listed,
    /// What the rules do not deny as a whole.
    Rules,
    /// What can be used in a session that is launched like this one.
    Launch,
    /// What is in the pool, each name once.
    Pool,
}

/// Why a tool is not in the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fall {
    /// The feature switches leave it out.
    Feature(Shut),
    /// This rule denies it, whatever the input.
    Denied(String),
    /// It needs a person, and none can be asked.
    NoPerson,
    /// It says itself that it cannot be used here.
    Disabled,
    /// Another tool has its name: the program's own before a remote one, the first that was added before a later one.
    NameTaken,
}

/// A tool that is not in the pool.
#[derive(Clone, Debug)]
pub struct Fallen {
    /// The tool.
    pub candidate: Candidate,
    /// Why.
    pub why: Fall,
}

/// What one stage makes of the tools it is given.
#[derive(Clone, Debug, Default)]
pub struct Sieved {
    /// The tools that stay, in the order they came, or in the pool's.
    pub kept: Vec<Candidate>,
    /// The tools that fall.
    pub fallen: Vec<Fallen>,
}

impl Candidate {
    /// A remote server's tool.
    pub(super) fn remote(tool: &Arc<dyn ErasedTool>) -> Candidate {
        Candidate { tool: Arc::clone(tool), part: Part::Remote, layer: Layer::default() }
    }

    fn name(&self) -> &str {
        &self.tool.form().name
    }
}

impl Fall {
    /// The stage at which a tool falls for this reason.
    #[must_use]
    pub fn stage(&self) -> Stage {
        match self {
            Fall::Feature(_) => Stage::Listed,
            Fall::Denied(_) => Stage::Rules,
            Fall::NoPerson | Fall::Disabled => Stage::Launch,
            Fall::NameTaken => Stage::Pool,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Listed => "listed",
            Stage::Rules => "rules",
            Stage::Launch => "launch",
            Stage::Pool => "pool",
        })
    }
}

impl fmt::Display for Fall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fall::Feature(shut) => shut.fmt(f),
            Fall::Denied(rule) => write!(f, "denied as a whole by {rule}"),
            Fall::NoPerson => f.write_str("it needs a person, and there is none to ask"),
            Fall::Disabled => f.write_str("it cannot be used in this session"),
            Fall::NameTaken => f.write_str("another tool has its name"),
        }
    }
}

/// The first stage: what the catalogue lists and the feature switches leave in.
#[must_use]
pub fn listed(catalogue: &Catalogue, facts: &SessionFacts) -> Sieved {
    sieve(catalogue.candidates(), |candidate| candidate.layer.shut(&facts.features).map(Fall::Feature))
}

/// The second stage: what no rule denies as a whole; `denial` gives the rule that does.
#[must_use]
pub fn not_denied(candidates: Vec<Candidate>, denial: impl Fn(&Form) -> Option<String>) -> Sieved {
    sieve(candidates, |candidate| denial(candidate.tool.form()).map(Fall::Denied))
}

/// The third stage: what can be used in a session with these facts.
#[must_use]
pub fn launchable(candidates: Vec<Candidate>, facts: &SessionFacts) -> Sieved {
    sieve(candidates, |candidate| match candidate.tool.form().needs_person {
        true if !facts.has_person => Some(Fall::NoPerson),
        _can_be_asked => (!candidate.tool.is_enabled(facts)).then_some(Fall::Disabled),
    })
}

/// The fourth stage: the pool. The program's own tools by name, then remote ones by name, each name once.
#[must_use]
pub fn pooled(mut candidates: Vec<Candidate>) -> Sieved {
    // The sort is stable: of two tools of one part and name the first that was added stays.
    candidates.sort_by(|a, b| (a.part, a.name()).cmp(&(b.part, b.name())));
    let mut taken: BTreeSet<String> = BTreeSet::new();
    sieve(candidates, |candidate| (!taken.insert(candidate.name().to_owned())).then_some(Fall::NameTaken))
}

fn sieve(candidates: Vec<Candidate>, mut falls: impl FnMut(&Candidate) -> Option<Fall>) -> Sieved {
    let mut sieved = Sieved::default();
    for candidate in candidates {
        match falls(&candidate) {
            None => sieved.kept.push(candidate),
            Some(why) => sieved.fallen.push(Fallen { candidate, why }),
        }
    }
    sieved
}
