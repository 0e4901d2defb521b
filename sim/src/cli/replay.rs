//! `toolwright replay`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use toolwright::registry::Catalogue;

use super::apart::Apart;
use super::how::{HowArguments, parse_state, token};
use super::mended;
use super::output::{Fault, complain, is_watched, look, print};
use super::program::Tools;
use super::report::ReportArguments;
use crate::check::Violation;
use crate::engine::Simulation;
use crate::explore::{Recording, State, entered, held};
use crate::import::{Imported, read_bytes, read_path};
use crate::replay::{Counts, Options, Prepared, Report};
use crate::report::{Case, Run};
use crate::timeline::{clock, counted, timeline};
use crate::token::Token;
use toolwright::visible::visible;

/// A small session, written for this project, that shows what a timeline shows.
const EXAMPLE: &str = include_str!("../../examples/session.twt.jsonl");
const EXAMPLE_NAME: &str = "the bundled example";

#[derive(Args)]
pub(super) struct ReplayArguments {
    /// Recordings to replay; without one, a bundled example
    files: Vec<PathBuf>,
    /// Choose another schedule: the same seed gives the same run
    #[arg(long)]
    seed: Option<u64>,
    /// Replay the run that this token names, of one file
    #[arg(long, conflicts_with = "seed")]
    token: Option<String>,
    /// A state that the run may not be in, by its name; may be given again
    #[arg(long, value_name = "STATE", value_parser = parse_state)]
    never: Vec<State>,
    #[command(flatten)]
    how: HowArguments,
    /// Print one JSON object a file
    #[arg(long, conflicts_with = "events")]
    json: bool,
    /// Print every event as a line of JSON, for one file
    #[arg(long)]
    events: bool,
    #[command(flatten)]
    report: ReportArguments,
}

pub(super) fn run(arguments: &ReplayArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    if arguments.events && arguments.files.len() > 1 {
        return Err(Fault::new("`--events` takes one file: the events of two sessions cannot be told apart"));
    }
    if arguments.token.is_some() && arguments.files.len() > 1 {
        return Err(Fault::new("`--token` takes one file: a token names a run of one recording"));
    }
    if arguments.report.is_wanted() && arguments.files.len() > 1 {
        return Err(Fault::new("`--report` takes one file: a report is of one session"));
    }
    let catalogue = tools.catalogue();
    let options = arguments.how.options(arguments.seed)?;
    arguments.how.complain_of_settings()?;
    let progress = progress(arguments);
    let (mut read, mut failed, mut violated) = (0_usize, 0_usize, 0_usize);
    let mut not_strict = None;
    for file in arguments.inputs() {
        match file.read() {
            Err(message) => {
                failed += 1;
                complain(&message);
            }
            Ok(imported) => {
                read += 1;
                let began = Instant::now();
                let (report, apart) = arguments.replay(&imported, &catalogue, &options)?;
                let took_ms = began.elapsed().as_millis();
                violated += usize::from(!report.violations.is_empty());
                if arguments.how.strict {
                    not_strict = not_strict.or_else(|| mended::refused(&file.name(), &imported, &apart));
                }
                if arguments.report.leaves_output() {
                    print(&arguments.show(&file.name(), &imported, &report, &apart, took_ms))?;
                }
                arguments.report.give(|| arguments.case(&file.name(), &imported, &report))?;
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if let Some(fault) = not_strict {
        return Err(fault);
    }
    // Some of several files could be read: what is there was replayed, but not everything is fine.
    Ok(ExitCode::from(match (read, failed, violated) {
        (0, _, _) => 2,
        (_, 0, 0) => 0,
        _other => 1,
    }))
}

/// A bar for several files, where someone watches and the output goes elsewhere.
fn progress(arguments: &ReplayArguments) -> indicatif::ProgressBar {
    let is_shown =
        arguments.files.len() > 1 && is_watched() && !std::io::IsTerminal::is_terminal(&std::io::stdout());
    let target = if is_shown {
        indicatif::ProgressDrawTarget::stderr()
    } else {
        indicatif::ProgressDrawTarget::hidden()
    };
    indicatif::ProgressBar::with_draw_target(u64::try_from(arguments.files.len()).ok(), target)
}

enum InputFile {
    Example,
    Path(PathBuf),
}

impl InputFile {
    fn name(&self) -> String {
        match self {
            InputFile::Example => EXAMPLE_NAME.to_owned(),
            InputFile::Path(path) => path.display().to_string(),
        }
    }

    fn read(&self) -> Result<Imported, String> {
        let imported = match self {
            InputFile::Example => read_bytes(EXAMPLE_NAME, EXAMPLE.as_bytes()),
            InputFile::Path(path) => read_path(path),
        };
        imported.map_err(|error| error.to_string())
    }
}

/// What is promised of `replay --json`, in this order.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    format: String,
    turns: usize,
    calls: usize,
    max_calls_in_a_turn: usize,
    sidechain_turns: usize,
    sidechain_calls: usize,
    error_results: usize,
    calls_without_result: usize,
    results_without_call: usize,
    batches: usize,
    max_side_by_side: usize,
    started: usize,
    asked: usize,
    allowed_as_recorded: usize,
    denied: usize,
    refused: usize,
    stand_ins: usize,
    repairs: usize,
    violations: &'a [Violation],
    virtual_ms: u64,
    seed: Option<u64>,
    digest: &'a str,
    results_digest: &'a str,
}

impl ReplayArguments {
    fn inputs(&self) -> Vec<InputFile> {
        if self.files.is_empty() {
            return vec![InputFile::Example];
        }
        self.files.iter().cloned().map(InputFile::Path).collect()
    }

    /// The run that the token names, or that of the seed; and how far the recording and the tools are apart.
    fn replay(
        &self,
        imported: &Imported,
        catalogue: &Catalogue,
        options: &Options,
    ) -> Result<(Report, Apart), Fault> {
        let prepared = Prepared::new(&imported.transcript, catalogue, options);
        let (report, cap) = match &self.token {
            None => (prepared.report(&Simulation::new(options.seed)), options.cap),
            Some(text) => {
                let recording = Recording::new(&imported.transcript, catalogue, options);
                let Token { way, conditions, .. } = token(text, &recording)?;
                let report = prepared.under(&conditions).report(&Simulation::with_boxed(way.strategy()));
                (report, conditions.cap.unwrap_or(options.cap))
            }
        };
        let apart = Apart::new(&imported.transcript, prepared.stand_ins(), catalogue, &report.events);
        Ok((self.judged(report, cap), apart))
    }

    /// The report, with the states that the run was in and may not be in.
    fn judged(&self, mut report: Report, cap: NonZeroUsize) -> Report {
        report.violations.extend(entered(&self.never, &report.events, cap));
        report
    }

    /// The replay as a report shows it.
    fn case(&self, name: &str, imported: &Imported, report: &Report) -> Case {
        let how = match (self.seed, &self.token) {
            (Some(seed), _) => format!("seed {seed}"),
            (None, Some(_)) => "the run of the token".to_owned(),
            (None, None) => "the least surprising run".to_owned(),
        };
        let run = Run::new(how, report.events.clone(), report.violations.clone())
            .fact("recording", imported.format.to_string())
            .fact("digest", &report.digest);
        let run = match &self.token {
            Some(token) => run.fact("token", token),
            None => run,
        };
        Case::new(name).inputs_of(&imported.transcript).run(run)
    }

    fn show(&self, name: &str, imported: &Imported, report: &Report, apart: &Apart, took_ms: u128) -> String {
        if self.json {
            let line = self.line(name, imported, report);
            return format!("{}\n", serde_json::to_string(&line).expect("counts serialise"));
        }
        if self.events {
            let lines = report
                .events
                .iter()
                .map(|event| serde_json::to_string(event).expect("events serialise") + "\n");
            return lines.collect();
        }
        let picture = timeline(&report.events, look());
        format!("{picture}\n{}", summary(name, imported, report, apart, self.seed, took_ms))
    }

    fn line<'a>(&self, name: &'a str, imported: &Imported, report: &'a Report) -> Line<'a> {
        let Counts { turns, calls, max_calls_in_a_turn, error_results, .. } = report.counts;
        let Counts { batches, max_side_by_side, started, asked, denied, refused, .. } = report.counts;
        let Counts { allowed_as_recorded, .. } = report.counts;
        Line {
            file: name,
            format: imported.format.to_string(),
            turns,
            calls,
            max_calls_in_a_turn,
            sidechain_turns: report.file.sidechain_turns,
            sidechain_calls: report.file.sidechain_calls,
            error_results,
            calls_without_result: report.file.calls_without_result,
            results_without_call: report.file.results_without_call,
            batches,
            max_side_by_side,
            started,
            asked,
            allowed_as_recorded,
            denied,
            refused,
            stand_ins: report.stand_ins,
            repairs: mended::count(imported),
            violations: &report.violations,
            virtual_ms: report.virtual_ms,
            seed: self.seed,
            digest: &report.digest,
            results_digest: &report.results_digest,
        }
    }
}

/// How many violations a summary shows one by one.
const SHOWN_MAX: usize = 10;

fn summary(
    name: &str,
    imported: &Imported,
    report: &Report,
    apart: &Apart,
    seed: Option<u64>,
    took_ms: u128,
) -> String {
    let counts = &report.counts;
    let mut lines = vec![
        format!("{} ({})", visible(name), imported.format),
        format!(
            "  {}, {} in {}, at most {} side by side",
            counted(counts.turns, "turn"),
            counted(counts.calls, "call"),
            counted(counts.batches, "batch"),
            counts.max_side_by_side,
        ),
        format!(
            "  {} ran, {} asked about, {} denied, {} refused before the body; {}",
            counts.started,
            counts.asked,
            counts.denied,
            counts.refused,
            counted(counts.error_results, "error result"),
        ),
    ];
    if counts.allowed_as_recorded > 0 {
        lines.push(format!(
            "  {} let run as recorded: the rules that did so are not here (`--settings` gives some)",
            counted(counts.allowed_as_recorded, "call")
        ));
    }
    lines.extend(apart.lines().iter().map(|line| format!("  {line}")));
    if report.file.sidechain_calls > 0 {
        lines.push(format!("  left out: {} of sub-agents", counted(report.file.sidechain_calls, "call")));
    }
    lines.extend(mended::lines(imported).iter().map(|line| format!("  {line}")));
    let seed = seed.map_or_else(|| "no seed".to_owned(), |seed| format!("seed {seed}"));
    let virtual_time = clock(std::time::Duration::from_millis(report.virtual_ms));
    lines.push(format!("  {virtual_time} of virtual time in {took_ms} ms; {seed}; digest {}", report.digest));
    if report.violations.is_empty() {
        lines.push(format!("  {}", held(mended::count(imported))));
    } else {
        lines.push(format!("  {}:", counted(report.violations.len(), "broken invariant")));
        lines.extend(
            report
                .violations
                .iter()
                .take(SHOWN_MAX)
                .map(|violation| format!("    {}", visible(&violation.to_string()))),
        );
    }
    lines.join("\n") + "\n"
}
