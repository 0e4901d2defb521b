//! `toolwright shrink`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::how::{SubjectArguments, token};
use super::output::{Fault, look, print};
use crate::shrink::shrink_recording;
use crate::timeline::{counted, timeline};
use crate::token::Token;
use crate::transcript::to_text;
use toolwright::visible::visible;

#[derive(Args)]
pub(super) struct ShrinkArguments {
    /// What names the failing run
    token: String,
    #[command(flatten)]
    subject: SubjectArguments,
    /// Where to write the smaller recording; beside the old one when left out. A file that exists is not overwritten
    #[arg(short, long)]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &ShrinkArguments) -> Result<ExitCode, Fault> {
    let recording = arguments.subject.recording()?;
    let Token { way, conditions, .. } = token(&arguments.token, &recording)?;
    let shrunk = shrink_recording(&arguments.subject.explore(), &recording, &way, &conditions)
        .map_err(|error| Fault::new(error.to_string()))?;
    let transcript = shrunk.transcript.as_ref().expect("a recording shrinks to a recording");
    let path = arguments.output.clone().unwrap_or_else(|| {
        let hash = &shrunk.token.identity.transcript;
        arguments.subject.file.with_file_name(format!("shrunk-{hash}.twt.jsonl"))
    });
    let text = to_text(transcript);
    // The same failure may have been shrunk before.
    if !fs::read_to_string(&path).is_ok_and(|there| there == text) {
        let failed = |error| Fault::new(format!("`{}` cannot be written: {error}", path.display()));
        let mut file = fs::File::create_new(&path).map_err(failed)?;
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
    }
    let what = shrunk.violation.as_ref().map(ToString::to_string).unwrap_or_default();
    let mut lines = vec![
        timeline(&shrunk.judged.ran.events, look()),
        visible(&what).to_string(),
        format!(
            "  {} and {}, found in {}; written to {}",
            counted(shrunk.calls(), "call"),
            counted(shrunk.deviations.len(), "surprise"),
            counted(usize::try_from(shrunk.runs).unwrap_or(usize::MAX), "run"),
            visible(&path.display().to_string())
        ),
    ];
    lines.extend(shrunk.deviations.iter().map(|deviation| format!("  {}", visible(deviation))));
    lines.push(format!("  token {}", shrunk.token));
    lines.push("\nas a test:\n".to_owned());
    lines.push(shrunk.test("it_does_not_come_back", &path.display().to_string()));
    print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}
