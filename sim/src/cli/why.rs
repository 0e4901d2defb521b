//! `toolwright why`.

use std::process::ExitCode;

use clap::Args;

use super::how::{SubjectArguments, token};
use super::output::{Fault, print};
use super::program::Tools;
use super::report::{ReportArguments, failing, named};
use crate::explore::Subject;
use crate::token::Token;
use crate::why::{CONTINUATIONS, Odds, why};

#[derive(Args)]
pub(super) struct WhyArguments {
    /// What names the failing run
    token: String,
    #[command(flatten)]
    subject: SubjectArguments,
    /// How many runs are made from each choice on
    #[arg(long, default_value_t = CONTINUATIONS)]
    runs: u64,
    #[command(flatten)]
    report: ReportArguments,
}

/// How wide the bar of odds is.
const BAR: u64 = 40;

pub(super) fn run(arguments: &WhyArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    let recording = arguments.subject.recording(tools)?;
    let Token { way, conditions, .. } = token(&arguments.token, &recording)?;
    if arguments.runs == 0 {
        return Err(Fault::new("`--runs 0` measures nothing: give at least 1"));
    }
    let Some(why) = why(&arguments.subject.explore(), &recording, &way, &conditions, arguments.runs) else {
        return Err(Fault::new(
            "this run breaks nothing: give the token of one that does, and the `--never` that it was found with",
        ));
    };
    let mut lines = vec![format!("{}: a run of {} choices", why.invariant, why.choices)];
    if !conditions.is_empty() {
        lines.push(format!("changed from the recording: {}", conditions.in_words().join("; ")));
    }
    lines.push(
        "choices of it that are kept, and how often a run fails then that goes on by chance:".to_owned(),
    );
    for Odds { kept, failed, of } in &why.odds {
        let bar = "█".repeat(usize::try_from(failed * BAR / of).unwrap_or(0));
        lines.push(format!("{kept:>7} kept  {:>3} % fail  {bar}", failed * 100 / of));
    }
    lines.push(match (&why.choice, why.inevitable) {
        (_, 0) => "it fails whatever is chosen".to_owned(),
        (Some(choice), step) => format!("from choice {step} on it could not be avoided: {choice}"),
        (None, step) => format!("from choice {step} on it could not be avoided"),
    });
    if arguments.report.leaves_output() {
        print(&(lines.join("\n") + "\n"))?;
    }
    arguments.report.give(|| {
        let judged = arguments.subject.explore().one(&recording, &way, &conditions);
        let token = Token { identity: recording.identity(), way, conditions: conditions.clone() };
        let last = lines.pop().unwrap_or_default();
        let run = named(&judged, &token, judged.violations.first(), None).fact("why", last);
        let title = format!("{}: {}", arguments.subject.file.display(), why.invariant);
        failing(&recording, title, run, &conditions)
    })?;
    Ok(ExitCode::SUCCESS)
}
