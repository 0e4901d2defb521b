//! The git program, run for ourselves: without hooks, questions or a terminal, in the folder that is named and no other.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::process_group::ProcessGroup;

/// How long one command may take: a large repository is checked out in less.
const LIMIT: Duration = Duration::from_secs(120);
/// How often it is looked whether a command has ended.
const LOOK: Duration = Duration::from_millis(2);
/// How many characters of what git says an error has.
const SAID_CHARS_MAX: usize = 500;
/// Variables that would make git work elsewhere than where it is started, or run other programs.
const STEERING: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CEILING_DIRECTORIES",
    "GIT_EXTERNAL_DIFF",
];

/// Why git did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GitError {
    #[error("there is no program `git`: install it")]
    Missing,
    #[error("git could not be run: {0}")]
    NotRun(String),
    #[error("git took longer than {LIMIT:?} and was stopped")]
    TooLong,
    /// In git's own words.
    #[error("git says: {0}")]
    Refused(String),
}

/// Runs a command of git in a folder; gives what it prints, without the last line's end. This blocks.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Result<String, GitError> {
    let not_run = |error: std::io::Error| GitError::NotRun(error.to_string());
    // Files, since a pipe that nobody empties would stop it.
    let mut output = tempfile::tempfile().map_err(not_run)?;
    let mut errors = tempfile::tempfile().map_err(not_run)?;
    let mut command = Command::new("git");
    // What the repository says is to be run at such moments was not asked for.
    command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]).args(arguments);
    command.current_dir(folder).stdin(Stdio::null()).process_group(0);
    command.stdout(output.try_clone().map_err(not_run)?).stderr(errors.try_clone().map_err(not_run)?);
    STEERING.iter().for_each(|name| {
        command.env_remove(name);
    });
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    let child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound if folder.is_dir() => GitError::Missing,
        _other => not_run(error),
    })?;
    let status = ended(child)?;
    if status.success() {
        return Ok(text(&mut output).map_err(not_run)?.trim_end_matches('\n').to_owned());
    }
    let said = text(&mut errors).map_err(not_run)?;
    let said = said.trim().trim_start_matches("fatal: ").trim_start_matches("error: ");
    Err(GitError::Refused(said.chars().take(SAID_CHARS_MAX).collect()))
}

/// Waits for the end of a process, for as long as it may take; what it started ends with it.
fn ended(mut child: Child) -> Result<ExitStatus, GitError> {
    let group = ProcessGroup::of(Some(child.id()));
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if begun.elapsed() < LIMIT => thread::sleep(LOOK),
            Ok(None) => {
                drop(group);
                // It was killed, so this does not wait; nothing more is to be known of it.
                drop(child.wait());
                return Err(GitError::TooLong);
            }
            Err(error) => return Err(GitError::NotRun(error.to_string())),
        }
    }
}

fn text(file: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
