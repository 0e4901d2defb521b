//! `toolwright import`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::output::{Fault, complain};
use crate::import::read_path;
use crate::transcript;

#[derive(Args)]
pub(super) struct ImportArguments {
    /// The recording
    file: PathBuf,
    /// Where to write it; standard output when left out. A file that exists is not overwritten
    #[arg(short, long)]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &ImportArguments) -> Result<ExitCode, Fault> {
    let imported = read_path(&arguments.file).map_err(|error| Fault::new(error.to_string()))?;
    for repair in &imported.repairs {
        complain(&repair.to_string());
    }
    match &arguments.output {
        None => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            transcript::write(&imported.transcript, &mut out)?;
            out.flush()?;
        }
        Some(path) => {
            let failed =
                |error: io::Error| Fault::new(format!("`{}` cannot be written: {error}", path.display()));
            let file = std::fs::File::create_new(path).map_err(failed)?;
            let mut out = io::BufWriter::new(file);
            transcript::write(&imported.transcript, &mut out).and_then(|()| out.flush()).map_err(failed)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
