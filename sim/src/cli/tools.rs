//! `toolwright tools`.

use std::process::ExitCode;

use clap::Args;
use toolwright::contract::SessionFacts;
use toolwright::registry::Pool;

use super::output::{Fault, print};

#[derive(Args)]
pub(super) struct ToolsArguments {
    /// Print the definitions, a JSON array, exactly as the model gets them
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ToolsArguments) -> Result<ExitCode, Fault> {
    let pool = Pool::new(
        &toolwright_tools::catalogue(),
        &SessionFacts { has_person: true, ..SessionFacts::default() },
        |_| true,
    );
    let definitions = pool.definitions();
    if arguments.json {
        print(&format!("[{}]\n", definitions.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(",\n ")))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (tool, definition) in pool.tools().iter().zip(&definitions) {
        let form = tool.form();
        let summary = tool.tool().prompt().lines().next().unwrap_or_default().to_owned();
        print(&format!("{:<14} {:>5} bytes  {summary}\n", form.name, definition.len()))?;
    }
    Ok(ExitCode::SUCCESS)
}
