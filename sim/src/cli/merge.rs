//! `toolwright merge`.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::explore::show;
use super::output::{Fault, complain};
use crate::explore::Summary;

#[derive(Args)]
pub(super) struct MergeArguments {
    /// What `explore --json` or `sweep --json` printed
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A state that must be seen in some run, by its name; may be given again
    #[arg(long, value_name = "STATE")]
    sometimes: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The largest summary that is read, in bytes: it has a line or two for each invariant and each crash.
const BYTES_MAX: u64 = 64 << 20;

pub(super) fn run(arguments: &MergeArguments) -> Result<ExitCode, Fault> {
    let mut merged: Option<Summary> = None;
    for file in &arguments.files {
        let name = file.display();
        let text = text_of(file)?;
        let summary: Summary = serde_json::from_str(&text)
            .map_err(|error| Fault::new(format!("`{name}` is not what `sweep --json` prints: {error}")))?;
        match &mut merged {
            None => merged = Some(summary),
            Some(merged) => {
                merged.add(summary).map_err(|error| Fault::new(format!("`{name}`: {error}")))?;
            }
        }
    }
    let merged = merged.expect("at least one file is asked for");
    show(&merged, arguments.json)?;
    let missing = merged.missing(&arguments.sometimes);
    missing.iter().for_each(|name| complain(&format!("`{name}` was never seen, so too little was tried")));
    Ok(ExitCode::from(u8::from(!merged.is_ok() || !missing.is_empty())))
}

/// The text of a file that sweeps wrote. What is no file may go on for ever.
fn text_of(path: &Path) -> Result<String, Fault> {
    let name = path.display();
    let failed = |error: io::Error| Fault::new(format!("`{name}`: {error}"));
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Fault::new(format!("`{name}` is no file: give what `sweep --json` was written to")));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    let read = file.take(BYTES_MAX + 1).read_to_string(&mut text).map_err(failed)?;
    if read as u64 > BYTES_MAX {
        return Err(Fault::new(format!("`{name}` is larger than {BYTES_MAX} bytes: no summary is")));
    }
    Ok(text)
}
