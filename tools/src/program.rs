//! Programs of others that are run for ourselves: without input, a terminal or questions, until their end or a limit.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::process_group::{ProcessGroup, begin_session};

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(2);

/// What a program may take, besides time. Nothing is limited unless it is said.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Allowance {
    /// How many bytes of memory.
    pub(crate) memory_bytes: Option<u64>,
    /// How many bytes it may write.
    pub(crate) output_bytes: Option<u64>,
}

/// What came of a program.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    output: File,
    errors: File,
}

/// Why a program did not come to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotEnded {
    #[error("there is no such program")]
    Missing,
    #[error(transparent)]
    NotRun(#[from] io::Error),
    /// It was stopped, with everything it started.
    #[error("it was stopped")]
    Stopped,
}

/// Runs a program until its end, or until it is to stop. This blocks.
pub(crate) fn run(
    command: &mut Command,
    allowance: Allowance,
    is_over: impl Fn() -> bool,
) -> Result<Ended, NotEnded> {
    // Files, since a pipe that nobody empties would stop it.
    let (output, errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(errors.try_clone()?);
    begin_session(command);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound if command.get_current_dir().is_none_or(|folder| folder.is_dir()) => {
            NotEnded::Missing
        }
        _other => NotEnded::NotRun(error),
    })?;
    let group = ProcessGroup::of(Some(child.id()));
    allowance.grant(child.id())?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended { status, output, errors });
        }
        if is_over() {
            drop(group);
            // It was killed, so this does not wait; nothing more is to be known of it.
            drop(child.wait());
            return Err(NotEnded::Stopped);
        }
        thread::sleep(LOOK);
    }
}

impl Allowance {
    /// A program that has ended already has no limits any more.
    fn grant(self, id: u32) -> io::Result<()> {
        let process = i32::try_from(id).ok().and_then(Pid::from_raw);
        let limits = [(Resource::As, self.memory_bytes), (Resource::Fsize, self.output_bytes)];
        for (resource, bytes) in limits {
            if let Some(bytes) = bytes {
                let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
                match prlimit(process, resource, limit) {
                    Ok(_) | Err(rustix::io::Errno::SRCH) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }
}

impl Ended {
    /// What it wrote to its output.
    pub(crate) fn output(&mut self) -> io::Result<String> {
        text(&mut self.output)
    }

    /// What it wrote to its errors.
    pub(crate) fn errors(&mut self) -> io::Result<String> {
        text(&mut self.errors)
    }
}

fn text(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
