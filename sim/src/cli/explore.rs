//! `toolwright explore`.

use std::ops::Range;
use std::process::ExitCode;

use clap::Args;

use super::how::{SubjectArguments, parse_seeds, parse_state};
use super::output::{Fault, complain, print};
use crate::explore::{State, Subject, Summary};
use crate::faults::Faults;
use crate::replay::Conditions;
use crate::strategy::{Aborts, Dpor, Family};
use toolwright::visible::visible;

#[derive(Args)]
pub(super) struct ExploreArguments {
    #[command(flatten)]
    subject: SubjectArguments,
    #[command(flatten)]
    pub(super) with: WithArguments,
    /// How many seeds, or which ones, as `A..B`
    #[arg(long, default_value = "1000", value_parser = parse_seeds)]
    seeds: Range<u64>,
    /// Make every run that differs, up to the number of seeds, in place of seeds; for turns of few calls
    #[arg(long, conflicts_with_all = ["strategy", "swarm"])]
    exhaustive: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// How it is explored, for `explore` and `sweep`.
#[derive(Args)]
pub(super) struct WithArguments {
    /// How choices are made: portfolio (each by turns), random, pos, pct2, pct3, pct4
    #[arg(long, default_value = "portfolio", value_parser = |text: &str| text.parse::<Family>())]
    pub(super) strategy: Family,
    /// A state that must be seen in some run, by its name; may be given again
    #[arg(long, value_name = "STATE", value_parser = parse_state)]
    pub(super) sometimes: Vec<State>,
}

impl WithArguments {
    /// Says which declared states were never seen.
    pub(super) fn complain_of_missing(&self, summary: &Summary) -> bool {
        let names: Vec<String> = self.sometimes.iter().map(|state| state.name.to_owned()).collect();
        let missing = summary.missing(&names);
        for name in &missing {
            complain(&format!("`{name}` was never seen, so too little was tried"));
        }
        !missing.is_empty()
    }
}

pub(super) fn run(arguments: &ExploreArguments) -> Result<ExitCode, Fault> {
    let recording = arguments.subject.recording()?;
    let explore = arguments.subject.explore().family(arguments.with.strategy).findings_max(usize::MAX);
    let seeds = arguments.seeds.clone();
    let summary = if arguments.exhaustive {
        let runs_max = seeds.end.saturating_sub(seeds.start);
        let tree = Dpor::new(Aborts::Conflict);
        let conditions =
            Conditions { faults: Faults::of(arguments.subject.faults()), ..Conditions::default() };
        let found = explore.search(&recording, tree, &conditions, runs_max);
        Summary::of(recording.identity(), 0..0, &found)
    } else {
        let found = explore.seeds(&recording, seeds.clone());
        Summary::of(recording.identity(), seeds, &found)
    };
    show(&summary, arguments.json)?;
    let is_missing = arguments.with.complain_of_missing(&summary);
    Ok(ExitCode::from(u8::from(!summary.is_ok() || is_missing)))
}

/// Prints a summary, for people or for programs.
pub(super) fn show(summary: &Summary, json: bool) -> Result<(), Fault> {
    if json {
        let line = serde_json::to_string(summary).expect("counts and texts serialise");
        return print(&format!("{line}\n"));
    }
    let text = summary.to_string();
    let lines: Vec<String> = text.lines().map(|line| visible(line).to_string() + "\n").collect();
    print(&lines.concat())
}
