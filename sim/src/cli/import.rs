//! `toolwright import`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::output::{Fault, complain, print};
use super::write::{Old, write};
use crate::import::{Format, Imported, read_path_as, redact};
use crate::timeline::counted;
use crate::transcript::{self, History};

#[derive(Args)]
pub(super) struct ImportArguments {
    /// The recording
    file: PathBuf,
    /// Where to write it; standard output when left out. A file that exists is not overwritten
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Overwrite the file
    #[arg(long, requires = "output")]
    force: bool,
    /// Read the recording as one of this format, whatever its content looks like
    #[arg(long)]
    format: Option<Format>,
    /// What to write: this project's own format, or a history that the Messages API takes
    #[arg(long, value_enum, default_value = "twt")]
    to: Target,
    /// Replace keys, tokens, passwords and private keys
    #[arg(long)]
    redact: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    Twt,
    Messages,
}

pub(super) fn run(arguments: &ImportArguments) -> Result<ExitCode, Fault> {
    let read = read_path_as(&arguments.file, arguments.format);
    let Imported { mut transcript, repairs, .. } = read.map_err(|error| Fault::new(error.to_string()))?;
    let redacted = arguments.redact.then(|| redact(&mut transcript));
    let (text, mended) = match arguments.to {
        Target::Twt => (transcript::to_text(&transcript), Vec::new()),
        Target::Messages => {
            let History { text, repairs } = transcript::history(&transcript);
            (text, repairs)
        }
    };
    for repair in repairs.iter().chain(&mended) {
        complain(&repair.to_string());
    }
    if let Some(redacted) = redacted {
        let kinds = redacted.places.iter().map(|(kind, places)| format!(" {kind} {places}"));
        complain(&format!("{} redacted:{}", counted(redacted.total(), "place"), kinds.collect::<String>()));
    }
    match &arguments.output {
        None => print(&text)?,
        Some(path) => write(path, text.as_bytes(), Old::forced(arguments.force))?,
    }
    Ok(ExitCode::SUCCESS)
}
