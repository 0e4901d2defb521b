//! What a model reads of a command that failed or was stopped.

use std::time::Duration;

use toolwright::prelude::*;

use super::bash::TIMEOUT_MS_MAX;
use super::output::{Output, shortened};

/// How many characters of a failed command's output the model reads.
const FAILURE_CHARS_MAX: usize = 10_000;

/// Where all of some output is that memory could not hold.
pub(super) fn whole(output: &Output) -> Option<String> {
    let spool = output.copy()?;
    let place = spool.place()?.display();
    Some(match spool.broken() {
        None => format!("(all {} bytes of output are in `{place}`)", spool.total()),
        Some(broken) => {
            format!("(of the {} bytes of output not all are in `{place}`: {broken})", spool.total())
        }
    })
}

/// Why a command was stopped that ran longer than it may.
pub(super) fn timed_out(limit: Duration) -> String {
    format!(
        "(the command was stopped because it ran longer than {} ms: give a larger `timeout`, {TIMEOUT_MS_MAX} at the \
         most, or do less at once)",
        limit.as_millis()
    )
}

/// Why a command was stopped that wrote more than it may.
pub(super) fn flooded(bytes_max: u64) -> String {
    format!("(the command was stopped because it wrote more than {bytes_max} bytes: have it write less)")
}

/// A command that ended with an exit code, with what it wrote and what there is to say of that.
pub(super) fn failure(code: i32, output: &Output, notices: &[String]) -> ToolError {
    let mut text = format!("Exit code {code}");
    let written = output.shortened(FAILURE_CHARS_MAX);
    let said = shortened(&notices.join("\n"), FAILURE_CHARS_MAX);
    for part in [written, said].iter().filter(|part| !part.is_empty()) {
        text.push('\n');
        text.push_str(part);
    }
    ToolError::new(text)
}
