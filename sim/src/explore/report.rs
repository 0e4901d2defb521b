//! What an exploration came to.

use std::fmt;

use toolwright::event::Stamped;

use super::coverage::Coverage;
use crate::check::Violation;
use crate::engine::Choice;
use crate::timeline::counted;
use crate::token::Token;

/// A broken invariant, and the run that broke it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was broken; the first of its name in the run.
    pub violation: Violation,
    /// The seed of the run; nothing when it came from an exhaustive search.
    pub seed: Option<u64>,
    /// What shows it again.
    pub token: Token,
    /// In how many runs an invariant of this name was broken.
    pub runs: u64,
    /// The events of the first run that broke it.
    pub events: Vec<Stamped>,
    /// The choices of that run.
    pub choices: Vec<Choice>,
}

/// What an exploration came to.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// How many runs were made.
    pub runs: u64,
    /// How many runs were given up, since others show whatever they could still show.
    pub given_up: u64,
    /// Whether every run there is was made.
    pub is_complete: bool,
    /// How many bodies began, in all runs together: where there was none, little was tried.
    pub bodies: u64,
    /// What was broken, one for each invariant, in the order of finding.
    pub findings: Vec<Finding>,
    /// Which states were seen.
    pub coverage: Coverage,
    /// The states that were declared and never seen: the exploration proves too little.
    pub missing: Vec<&'static str>,
}

impl Exploration {
    /// Whether nothing was broken, and every declared state was seen.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.findings.is_empty() && self.missing.is_empty()
    }
}

impl Exploration {
    /// In words, with what shows a run again as `again` has it.
    pub(crate) fn told(&self, again: &dyn Fn(&Token) -> String) -> String {
        let mut text = counted(usize::try_from(self.runs).unwrap_or(usize::MAX), "run");
        if self.is_complete {
            text += ", and there are no others";
        }
        for finding in &self.findings {
            text += &format!("\n{}\n  in {} of the runs", finding.violation, finding.runs);
            if let Some(seed) = finding.seed {
                text += &format!(", first under seed {seed}");
            }
            text += &format!("\n  to see it again: {}", again(&finding.token));
        }
        for name in &self.missing {
            text += &format!("\nnever seen, so too little was tried: {name}");
        }
        text
    }
}

impl fmt::Display for Exploration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(&Token::to_string))
    }
}
