//! `toolwright merge`.

use std::path::PathBuf;
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

pub(super) fn run(arguments: &MergeArguments) -> Result<ExitCode, Fault> {
    let mut merged: Option<Summary> = None;
    for file in &arguments.files {
        let name = file.display();
        let text = std::fs::read_to_string(file).map_err(|error| Fault::new(format!("`{name}`: {error}")))?;
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
