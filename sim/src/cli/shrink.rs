//! `toolwright shrink`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::how::{SubjectArguments, token};
use super::output::{Fault, look, print};
use super::program::Tools;
use super::report::failing;
use super::write::{Old, write};
use crate::explore::Recording;
use crate::report::{Case, Form, Run};
use crate::shrink::{Shrunk, shrink_recording};
use crate::timeline::{Look, counted, timeline};
use crate::token::Token;
use crate::transcript::to_text;
use toolwright::visible::visible;

#[derive(Args)]
pub(super) struct ShrinkArguments {
    /// What names the failing run
    token: String,
    #[command(flatten)]
    subject: SubjectArguments,
    /// Where to write the smaller recording; nowhere when left out. A file that exists is not overwritten
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Report the shrunk run in this form: html, chrome (for Perfetto), mermaid, json, text
    #[arg(long, value_name = "FORM", value_parser = |text: &str| text.parse::<Form>())]
    report: Option<Form>,
    /// Where the report goes; standard output, in place of the rest, when left out
    #[arg(long, value_name = "FILE", requires = "report")]
    report_output: Option<PathBuf>,
    /// Overwrite the files
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &ShrinkArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    let recording = arguments.subject.recording(tools)?;
    let Token { way, conditions, .. } = token(&arguments.token, &recording)?;
    let shrunk = shrink_recording(&arguments.subject.explore(), &recording, &way, &conditions)
        .map_err(|error| Fault::new(error.to_string()))?;
    let transcript = shrunk.transcript.as_ref().expect("a recording shrinks to a recording");
    if let Some(path) = &arguments.output {
        let text = to_text(transcript);
        // The same failure may have been shrunk before.
        let is_there = std::fs::read_to_string(path).is_ok_and(|there| there == text);
        if !is_there {
            write(path, text.as_bytes(), Old::forced(arguments.force))?;
        }
    }
    let report = arguments.report.map(|form| {
        let look = if arguments.report_output.is_some() { Look::Plain } else { look() };
        case(&recording.with_transcript(transcript), &arguments.subject.file, &shrunk).render(form, look)
    });
    match (report, &arguments.report_output) {
        (Some(report), None) => {
            print(&report)?;
            return Ok(ExitCode::SUCCESS);
        }
        (Some(report), Some(file)) => write(file, report.as_bytes(), Old::forced(arguments.force))?,
        (None, _) => {}
    }
    print(&arguments.told(&shrunk, &recording.with_transcript(transcript)))?;
    Ok(ExitCode::SUCCESS)
}

impl ShrinkArguments {
    fn told(&self, shrunk: &Shrunk, small: &Recording) -> String {
        let what = shrunk.violation.as_ref().map(ToString::to_string).unwrap_or_default();
        let (file, written) = match &self.output {
            Some(path) => (path.clone(), format!("written to {}", visible(&path.display().to_string()))),
            None => {
                let name = format!("shrunk-{}.twt.jsonl", shrunk.token.identity.transcript);
                (self.subject.file.with_file_name(name), "`-o FILE` writes it".to_owned())
            }
        };
        let mut lines = vec![
            timeline(&shrunk.judged.ran.events, look()),
            visible(&what).to_string(),
            format!(
                "  {} and {}, found in {}; {written}",
                counted(shrunk.calls(), "call"),
                counted(shrunk.deviations.len(), "surprise"),
                counted(usize::try_from(shrunk.runs).unwrap_or(usize::MAX), "run"),
            ),
        ];
        lines.extend(shrunk.surprises().iter().map(|line| format!("  {}", visible(line))));
        lines.push(format!("  token {}", shrunk.token));
        lines.push(match self.output {
            Some(_) => "\nas a test:\n".to_owned(),
            None => "\nas a test, once `-o` has written the recording:\n".to_owned(),
        });
        // With other tools than here the choices would be other ones.
        lines.extend(small.stand_ins().iter().map(|name| {
            format!("// `{name}` is known from the recording alone: with `tools = …` explore anew, in the test itself")
        }));
        lines.push(shrunk.test("it_does_not_come_back", &below_its_crate(&file).display().to_string()));
        lines.join("\n")
    }
}

/// The path as a test of the crate that the file is in has it; outside of any, from the working directory.
fn below_its_crate(file: &Path) -> PathBuf {
    let Ok(whole) = std::path::absolute(file) else { return file.to_owned() };
    let mut folders = whole.ancestors().skip(1);
    let home = folders.find(|folder| folder.join("Cargo.toml").is_file()).map(Path::to_owned);
    let home = home.or_else(|| std::env::current_dir().ok());
    let below = home.and_then(|home| whole.strip_prefix(home).map(Path::to_owned).ok());
    below.unwrap_or_else(|| file.to_owned())
}

/// The shrunk run beside one that holds.
fn case(recording: &Recording, file: &Path, shrunk: &Shrunk) -> Case {
    let what = shrunk.violation.as_ref().map(|violation| violation.invariant).unwrap_or_default();
    let judged = &shrunk.judged;
    let run = Run::new("shrunk", judged.ran.events.clone(), judged.violations.clone())
        .fact("token", shrunk.token.to_string());
    let run = shrunk.deviations.iter().fold(run, |run, deviation| run.fact("surprise", deviation));
    failing(recording, format!("{}, shrunk: {what}", file.display()), run, &shrunk.token.conditions)
}
