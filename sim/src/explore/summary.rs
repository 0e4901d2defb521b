//! What an exploration came to, as JSON that can be added up.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::report::Exploration;
use super::subject::Identity;
use crate::timeline::counted;

/// What an exploration of some seeds came to. Its JSON form is public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// What was explored, as in tokens.
    pub transcript: String,
    /// How it was replayed, as in tokens.
    pub config: String,
    /// How the runs were chosen, such as `portfolio` or `random, swarm`; nothing where an older version did not say.
    #[serde(default)]
    pub how: String,
    /// The seeds that were run, each range with its end left out; in order and apart.
    pub seeds: Vec<(u64, u64)>,
    /// How much of the recording had to be mended, so that only what could be read was run.
    #[serde(default)]
    pub repairs: usize,
    /// How many runs were made.
    pub runs: u64,
    /// Whether these are all runs that differ, found without seeds.
    #[serde(default)]
    pub is_complete: bool,
    /// What was broken, one for each invariant, that of the lowest seed.
    pub findings: Vec<SummaryFinding>,
    /// In how many runs each state was seen.
    pub coverage: BTreeMap<String, u64>,
    /// The seeds at which the process ended without a word.
    #[serde(default)]
    pub crashes: Vec<Crash>,
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryFinding {
    /// Its name.
    pub invariant: String,
    /// What happened.
    pub detail: String,
    /// The lowest seed that breaks it.
    pub seed: Option<u64>,
    /// What shows it again.
    pub token: String,
    /// In how many runs it was broken.
    pub runs: u64,
}

/// A seed whose run ended its process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// The seed.
    pub seed: u64,
    /// How the process ended.
    pub how: String,
}

/// Two summaries that cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// They are of different things.
    #[error(
        "these are of different recordings or flags (`{0}` and `{1}`): merge what was swept with the same"
    )]
    Other(String, String),
    /// The same seed means another run in each.
    #[error("their runs were chosen in different ways (`{0}` and `{1}`): merge what was swept in one way")]
    Ways(String, String),
    /// They have no seeds to tell their runs apart by.
    #[error("neither has seeds, so that the same runs would count twice: one of them is enough")]
    Seedless,
    /// A seed would be counted twice.
    #[error("the seeds {0}..{1} are in both: give each shard once")]
    Twice(u64, u64),
}

impl Summary {
    /// Of these seeds nothing was run yet.
    #[must_use]
    pub fn empty(identity: Identity) -> Summary {
        let Identity { transcript, config } = identity;
        Summary {
            transcript,
            config,
            how: String::new(),
            seeds: Vec::new(),
            repairs: 0,
            runs: 0,
            is_complete: false,
            findings: Vec::new(),
            coverage: BTreeMap::new(),
            crashes: Vec::new(),
        }
    }

    /// What an exploration of these seeds came to; of a search, which has none, no seeds.
    #[must_use]
    pub fn of(identity: Identity, seeds: Range<u64>, found: &Exploration) -> Summary {
        let finding = |finding: &super::Finding| SummaryFinding {
            invariant: finding.violation.invariant.to_owned(),
            detail: finding.violation.to_string(),
            seed: finding.seed,
            token: finding.token.to_string(),
            runs: finding.runs,
        };
        let ran = (seeds.start, seeds.start + found.runs);
        Summary {
            seeds: if seeds.is_empty() { Vec::new() } else { vec![ran] },
            runs: found.runs,
            is_complete: found.is_complete,
            findings: found.findings.iter().map(finding).collect(),
            coverage: found.coverage.0.iter().map(|(name, runs)| ((*name).to_owned(), *runs)).collect(),
            ..Summary::empty(identity)
        }
    }

    /// Whether nothing was broken and nothing crashed.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.findings.is_empty() && self.crashes.is_empty()
    }

    /// Adds what was found under other seeds.
    ///
    /// # Errors
    /// It is of something else, or of seeds that were counted already.
    pub fn add(&mut self, other: Summary) -> Result<(), MergeError> {
        if (&self.transcript, &self.config) != (&other.transcript, &other.config) {
            let name = |summary: &Summary| format!("{}.{}", summary.transcript, summary.config);
            return Err(MergeError::Other(name(self), name(&other)));
        }
        // What has no runs yet, as at the beginning of a sweep, was not chosen in any way.
        if self.runs > 0 && other.runs > 0 {
            if self.how != other.how {
                return Err(MergeError::Ways(self.how.clone(), other.how));
            }
            if self.seeds.is_empty() && other.seeds.is_empty() {
                return Err(MergeError::Seedless);
            }
        }
        for &(from, to) in &other.seeds {
            let twice = self.seeds.iter().find(|(start, end)| from < *end && *start < to);
            if let Some(&(start, end)) = twice {
                return Err(MergeError::Twice(from.max(start), to.min(end)));
            }
        }
        if self.runs == 0 {
            self.how = other.how;
        }
        self.seeds.extend(other.seeds.into_iter().filter(|(from, to)| from < to));
        self.seeds.sort_unstable();
        self.seeds = joined(&self.seeds);
        self.runs = self.runs.saturating_add(other.runs);
        self.is_complete |= other.is_complete;
        self.repairs = self.repairs.max(other.repairs);
        self.crashes.extend(other.crashes);
        self.crashes.sort_by_key(|crash| crash.seed);
        for (name, runs) in other.coverage {
            let count = self.coverage.entry(name).or_default();
            *count = count.saturating_add(runs);
        }
        other.findings.into_iter().for_each(|finding| self.add_finding(finding));
        self.findings.sort_by(|a, b| a.invariant.cmp(&b.invariant));
        Ok(())
    }

    fn add_finding(&mut self, finding: SummaryFinding) {
        let known = self.findings.iter_mut().find(|known| known.invariant == finding.invariant);
        match known {
            None => self.findings.push(finding),
            Some(known) => {
                let runs = known.runs + finding.runs;
                if finding.seed < known.seed {
                    *known = finding;
                }
                known.runs = runs;
            }
        }
    }

    /// The declared states that no run was in.
    #[must_use]
    pub fn missing<'a>(&self, declared: &'a [String]) -> Vec<&'a str> {
        let is_missing = |name: &&String| self.coverage.get(*name).copied().unwrap_or(0) == 0;
        declared.iter().filter(is_missing).map(String::as_str).collect()
    }
}

/// That nothing was broken, of a recording of which so much had to be mended.
pub(crate) fn held(repairs: usize) -> String {
    match repairs {
        0 => "every invariant held".to_owned(),
        _some => {
            format!("every invariant held, of what could be read: {}, see above", counted(repairs, "repair"))
        }
    }
}

/// Ranges in order, with those that touch made one.
fn joined(ranges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for &(from, to) in ranges {
        match joined.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            Some(_) | None => joined.push((from, to)),
        }
    }
    joined
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seeds: Vec<String> = self.seeds.iter().map(|(from, to)| format!("{from}..{to}")).collect();
        match (seeds.is_empty(), self.is_complete) {
            (false, _) => writeln!(f, "{} runs, seeds {}", self.runs, seeds.join(", "))?,
            (true, true) => writeln!(f, "{} runs, and there are no others that differ", self.runs)?,
            (true, false) => writeln!(f, "{} runs, and there are others", self.runs)?,
        }
        for finding in &self.findings {
            writeln!(f, "  {}", finding.detail)?;
            let seed = finding.seed.map_or_else(String::new, |seed| format!(", first under seed {seed}"));
            writeln!(f, "    in {} of the runs{seed}", finding.runs)?;
            writeln!(f, "    token {}", finding.token)?;
        }
        for crash in &self.crashes {
            writeln!(f, "  seed {} ended the process: {}", crash.seed, crash.how)?;
        }
        if self.is_ok() {
            writeln!(f, "  {}", held(self.repairs))?;
        }
        for (name, runs) in self.coverage.iter().filter(|(_, runs)| **runs > 0) {
            writeln!(f, "{runs:>10}  {name}")?;
        }
        Ok(())
    }
}
