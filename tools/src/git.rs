//! The git program, run for ourselves: without hooks, questions or a terminal, in the folder that is named and no other.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::program::{Allowance, NotEnded, run};
use crate::shell::steers_git;

/// How long one command may take: a large repository is checked out in less.
const LIMIT: Duration = Duration::from_secs(120);
/// How many characters of what git says an error has.
const SAID_CHARS_MAX: usize = 500;

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
    let mut command = Command::new("git");
    // What the repository says is to be run at such moments was not asked for.
    command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]).args(arguments);
    command.current_dir(folder);
    // What surrounds this process may mean another repository.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(steers_git)) {
        command.env_remove(name);
    }
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    let begun = Instant::now();
    let mut ended = run(&mut command, Allowance::default(), || begun.elapsed() >= LIMIT)?;
    if ended.status.success() {
        return Ok(ended.output()?.trim_end_matches('\n').to_owned());
    }
    let said = ended.errors()?;
    let said = said.trim().trim_start_matches("fatal: ").trim_start_matches("error: ");
    Err(GitError::Refused(said.chars().take(SAID_CHARS_MAX).collect()))
}

impl From<std::io::Error> for GitError {
    fn from(error: std::io::Error) -> GitError {
        GitError::NotRun(error.to_string())
    }
}

impl From<NotEnded> for GitError {
    fn from(error: NotEnded) -> GitError {
        match error {
            NotEnded::Missing => GitError::Missing,
            NotEnded::NotRun(error) => error.into(),
            NotEnded::Stopped => GitError::TooLong,
        }
    }
}
