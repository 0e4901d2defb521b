//! `--report`: what several commands found, as a page, a trace, a chart, JSON or text.

use std::path::PathBuf;

use clap::Args;

use super::output::{Fault, complain, look, print};
use super::write::{Old, write};
use crate::check::Violation;
use crate::explore::{Explore, Judged, Recording};
use crate::replay::Conditions;
use crate::report::{Case, Form, Run};
use crate::strategy::{Family, Way};
use crate::token::Token;

/// How many seeds are tried for a run that holds, to show beside one that fails.
const HELD_SEEDS: u64 = 64;

/// A report in place of what the command prints.
#[derive(Args)]
pub(super) struct ReportArguments {
    /// Report it in this form: html, chrome (for Perfetto), mermaid, json, text
    #[arg(long, value_name = "FORM", value_parser = |text: &str| text.parse::<Form>())]
    pub(super) report: Option<Form>,
    /// Where the report goes; standard output when left out. A file that exists is not overwritten
    #[arg(short, long, value_name = "FILE", requires = "report")]
    output: Option<PathBuf>,
    /// Overwrite the file
    #[arg(long, requires = "output")]
    force: bool,
}

impl ReportArguments {
    /// Whether there is one to write.
    pub(super) fn is_wanted(&self) -> bool {
        self.report.is_some()
    }

    /// Writes the report, where one is wanted.
    pub(super) fn give(&self, case: impl FnOnce() -> Case) -> Result<(), Fault> {
        let Some(form) = self.report else { return Ok(()) };
        let case = case();
        match &self.output {
            None => print(&case.render(form, look())),
            Some(path) => {
                let text = case.render(form, crate::timeline::Look::Plain);
                write(path, text.as_bytes(), Old::forced(self.force))
            }
        }
    }

    /// Whether standard output is left to the command.
    pub(super) fn leaves_output(&self) -> bool {
        self.report.is_none() || self.output.is_some()
    }
}

/// A failing run of a recording, beside one that holds under the same conditions, where there is one.
pub(super) fn failing(recording: &Recording, title: String, run: Run, conditions: &Conditions) -> Case {
    let case = Case::new(title).inputs_of(recording.transcript()).run(run);
    match held(recording, conditions) {
        Some(run) => case.run(run),
        None => {
            complain("no run that holds was found to show beside it");
            case
        }
    }
}

/// The run of a token.
pub(super) fn named(judged: &Judged, token: &Token, violation: Option<&Violation>, seed: Option<u64>) -> Run {
    let name = match (seed, violation) {
        (Some(seed), _) => format!("seed {seed}"),
        (None, Some(violation)) => format!("breaks {}", violation.invariant),
        (None, None) => "the run of the token".to_owned(),
    };
    let run = Run::new(name, judged.ran.events.clone(), judged.violations.clone());
    run.fact("token", token.to_string())
}

/// A run that breaks nothing: the least surprising one, or else that of a low seed.
fn held(recording: &Recording, conditions: &Conditions) -> Option<Run> {
    let explore = Explore::new();
    let ways = std::iter::once(("the least surprising run".to_owned(), Way::First));
    let seeds = (0..HELD_SEEDS).map(|seed| (format!("seed {seed}"), Family::Portfolio.way(seed)));
    ways.chain(seeds).find_map(|(name, way)| {
        let judged = explore.one(recording, &way, conditions);
        judged.violations.is_empty().then(|| Run::new(name, judged.ran.events, Vec::new()))
    })
}
