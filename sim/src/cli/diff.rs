//! `toolwright diff`.

use std::process::ExitCode;
use std::sync::PoisonError;

use clap::Args;
use toolwright::event::Stamped;

use super::how::SubjectArguments;
use super::output::{Fault, print};
use super::program::Tools;
use super::report::ReportArguments;
use crate::explore::{Explore, Judged, Recording, Subject};
use crate::report::{Case, Run};
use crate::strategy::{Family, Note, Told};
use toolwright::visible::visible;

#[derive(Args)]
pub(super) struct DiffArguments {
    #[command(flatten)]
    subject: SubjectArguments,
    /// The two seeds
    #[arg(long, required = true, num_args = 1)]
    seed: Vec<u64>,
    /// How choices are made: portfolio (each by turns), random, pos, pct2, pct3, pct4
    #[arg(long, default_value = "portfolio", value_parser = |text: &str| text.parse::<Family>())]
    strategy: Family,
    #[command(flatten)]
    report: ReportArguments,
}

pub(super) fn run(arguments: &DiffArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    let &[left, right] = arguments.seed.as_slice() else {
        return Err(Fault::new("`diff` takes two seeds: give `--seed` twice"));
    };
    let recording = arguments.subject.recording(tools)?;
    let (a, a_notes) = told(&recording, arguments.strategy, left);
    let (b, b_notes) = told(&recording, arguments.strategy, right);
    let mut lines = Vec::new();
    let (a_conditions, b_conditions) = (recording.conditions(left), recording.conditions(right));
    if a_conditions != b_conditions {
        lines.push(format!("conditions:\n  seed {left}: {a_conditions}\n  seed {right}: {b_conditions}"));
    }
    lines.push(match a_notes.iter().zip(&b_notes).position(|(a, b)| a != b) {
        Some(step) => {
            let (a, b) = (&a_notes[step], &b_notes[step]);
            format!("choice {}:\n  seed {left}: {a}\n  seed {right}: {b}", step + 1)
        }
        None if a_notes.len() == b_notes.len() => format!("all {} choices are the same", a_notes.len()),
        None => format!("one ends where the other goes on: {} and {} choices", a_notes.len(), b_notes.len()),
    });
    let (a_events, b_events) = (&a.ran.events, &b.ran.events);
    let line = |events: &[Stamped], at: usize| match events.get(at) {
        Some(event) => serde_json::to_string(event).expect("events serialise"),
        None => "nothing more happens".to_owned(),
    };
    let parted = (0..a_events.len().max(b_events.len())).find(|&at| a_events.get(at) != b_events.get(at));
    lines.push(match parted {
        Some(at) => {
            let (a, b) = (line(a_events, at), line(b_events, at));
            let (a, b) = (visible(&a), visible(&b));
            format!("event {}:\n  seed {left}: {a}\n  seed {right}: {b}", at + 1)
        }
        None => format!("all {} events are the same", a_events.len()),
    });
    if arguments.report.leaves_output() {
        print(&(lines.join("\n") + "\n"))?;
    }
    arguments.report.give(|| {
        let run = |seed: u64, judged: &Judged| {
            Run::new(format!("seed {seed}"), judged.ran.events.clone(), judged.violations.clone())
        };
        let title = format!("{}: seeds {left} and {right}", arguments.subject.file.display());
        let case = Case::new(title).inputs_of(recording.transcript());
        case.run(run(left, &a)).run(run(right, &b))
    })?;
    Ok(ExitCode::from(u8::from(parted.is_some())))
}

fn told(recording: &Recording, family: Family, seed: u64) -> (Judged, Vec<Note>) {
    let (told, notes) = Told::new(family.way(seed).strategy());
    let judged = Explore::new().judged(recording, Box::new(told), &recording.conditions(seed));
    let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
    (judged, notes)
}
