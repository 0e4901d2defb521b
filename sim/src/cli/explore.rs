//! `toolwright explore`.

use std::ops::Range;
use std::process::ExitCode;

use clap::Args;

use super::again;
use super::how::{SubjectArguments, parse_seeds, parse_state};
use super::interrupt::{INTERRUPTED, Interrupt};
use super::output::{Fault, complain, print};
use super::program::Tools;
use super::progress::progress;
use super::report::{ReportArguments, failing};
use crate::explore::{Exploration, Explore, Finding, Recording, State, Subject, Summary};
use crate::faults::Faults;
use crate::replay::Conditions;
use crate::report::Run;
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
    /// Stop when standard input ends: whoever started this process then waits for it no more
    #[arg(long, hide = true)]
    until_input_ends: bool,
    #[command(flatten)]
    report: ReportArguments,
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
    /// What the seeds mean: those of another way to choose are other runs.
    pub(super) fn how(&self, subject: &SubjectArguments) -> String {
        let faults: Vec<String> = subject.faults().iter().map(|fault| format!(", {fault}")).collect();
        format!("{}{}{}", self.strategy, if subject.swarm { ", swarm" } else { "" }, faults.concat())
    }

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

pub(super) fn run(arguments: &ExploreArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    let (recording, repairs) = arguments.subject.recording_and_repairs(tools)?;
    let interrupt = Interrupt::watch(|| ())?;
    if arguments.until_input_ends {
        interrupt.when_input_ends();
    }
    let bar = progress(arguments.seeds.end.saturating_sub(arguments.seeds.start), "runs");
    let is_stopped = || {
        bar.inc(1);
        interrupt.came()
    };
    let explore = arguments.subject.explore();
    let explore = explore.family(arguments.with.strategy).findings_max(usize::MAX).until(&is_stopped);
    let (summary, found) = arguments.explore(&recording, &explore);
    let summary = Summary { repairs, ..summary };
    bar.finish_and_clear();
    if arguments.report.leaves_output() {
        show(&summary, arguments.json)?;
        if let (Some(finding), false) = (summary.findings.first(), arguments.json) {
            let command = again::replayed(&arguments.subject.file, &finding.token);
            print(&format!("to see the first again: {command}\n"))?;
        }
    }
    arguments.report_of(&recording, &found)?;
    if interrupt.came() {
        complain("interrupted: this is what was found until then");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let is_missing = arguments.with.complain_of_missing(&summary);
    Ok(ExitCode::from(u8::from(!summary.is_ok() || is_missing)))
}

impl ExploreArguments {
    fn explore(&self, recording: &Recording, explore: &Explore<'_>) -> (Summary, Exploration) {
        let seeds = self.seeds.clone();
        if self.exhaustive {
            let runs_max = seeds.end.saturating_sub(seeds.start);
            let tree = Dpor::new(Aborts::Conflict);
            let conditions =
                Conditions { faults: Faults::of(self.subject.faults()), ..Conditions::default() };
            let found = explore.search(recording, tree, &conditions, runs_max);
            let summary = Summary::of(recording.identity(), 0..0, &found);
            return (Summary { how: "exhaustive".to_owned(), ..summary }, found);
        }
        let found = explore.seeds(recording, seeds.clone());
        let how = self.with.how(&self.subject);
        (Summary { how, ..Summary::of(recording.identity(), seeds, &found) }, found)
    }

    /// Reports the first failure, beside a run that holds.
    fn report_of(&self, recording: &Recording, found: &Exploration) -> Result<(), Fault> {
        if !self.report.is_wanted() {
            return Ok(());
        }
        let Some(Finding { violation, seed, token, events, .. }) = found.findings.first() else {
            complain("nothing is reported: every run held");
            return Ok(());
        };
        let name = seed.map_or_else(|| "an exhaustive search".to_owned(), |seed| format!("seed {seed}"));
        let run = Run::new(name, events.clone(), vec![violation.clone()]).fact("token", token.to_string());
        let title = format!("{} breaks: {}", self.subject.file.display(), violation.invariant);
        self.report.give(|| failing(recording, title, run, &token.conditions))
    }
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
