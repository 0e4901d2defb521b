//! Running one shell in a session of its own: its output as it comes, its end, and the end of all it started.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tempfile::NamedTempFile;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::process::Child;
use toolwright::env::{Either, Env};

use crate::process_group::begin_session;
use crate::process_tree::{Mark, Tree};
use crate::tasks::Spool;

use super::effects;
use super::output::{Output, Spill};
use super::programs::DISARMED;
use super::sandbox::{self, Confinement};

/// How long output is still read after the shell has ended, when something it started holds the pipe.
pub(crate) const DRAIN_GRACE: Duration = Duration::from_millis(200);
/// How long a group has to end itself when it is asked to.
pub(crate) const TERM_GRACE: Duration = Duration::from_secs(2);
/// How long the end of a killed group is waited for.
const KILL_GRACE: Duration = Duration::from_secs(2);
/// How much output is taken at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// How many times output is taken before other tasks have a go: a command that never stops writing must not keep
/// the clock from being looked at.
const CHUNKS_IN_A_ROW: usize = 8;
/// How long a script may be: systems refuse longer arguments.
pub(crate) const SCRIPT_BYTES_MAX: usize = 128 * 1024 - 1;

/// Variables that would change how a command reads, or wait for a person.
const REMOVED: &[&str] =
    &["BASH_ENV", "BASHOPTS", "CDPATH", "ENV", "GLOBIGNORE", "POSIXLY_CORRECT", "SHELLOPTS"];
/// Variables that keep programs from waiting for a person.
const SET: &[(&str, &str)] =
    &[("GIT_EDITOR", "true"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0"), ("PAGER", "cat")];

/// A shell that runs. Dropping it kills it and all it started, unless it has ended.
#[derive(Debug)]
pub(crate) struct Shell {
    /// Dropped first, so that the group is killed while its leader still holds its number.
    tree: Tree,
    child: Child,
    pipe: pipe::Receiver,
    output: Output,
    /// Whether the pipe was read to its end.
    is_drained: bool,
    /// Where the shell writes the directory it ends in; removed when this is dropped.
    directory: NamedTempFile,
}

/// What is needed to start a shell.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    /// The command.
    pub(crate) command: &'a str,
    /// The directory it starts in.
    pub(crate) cwd: &'a Path,
    /// Variables on top of those of this process.
    pub(crate) env: &'a BTreeMap<String, String>,
    /// A file for the directory it ends in.
    pub(crate) directory: NamedTempFile,
    /// What it and all it starts are known by.
    pub(crate) mark: Mark,
    /// What it may do, where it is confined.
    pub(crate) confinement: Option<&'a Confinement>,
}

impl Shell {
    /// Starts a shell.
    pub(crate) fn start_in(start: Start<'_>) -> io::Result<Shell> {
        let Start { command, cwd, env, directory, mark, confinement } = start;
        let script = script(command, directory.path(), mark);
        let (reader, writer) = io::pipe()?;
        let pipe = pipe::Receiver::from_owned_fd(OwnedFd::from(reader))?;
        let spawn = |program: &str| {
            let mut shell = sandbox::command(program, cwd, confinement);
            shell.arg("-c").arg(&script).kill_on_drop(true);
            begin_session(shell.as_std_mut());
            shell.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer.try_clone()?);
            shell.envs(env);
            for name in REMOVED {
                shell.env_remove(name);
            }
            if effects::looks_with_git(command) {
                let count = env.get("GIT_CONFIG_COUNT").cloned();
                shell.envs(disarming(count.or_else(|| std::env::var("GIT_CONFIG_COUNT").ok()).as_deref()));
            }
            shell.envs(SET.iter().copied());
            sandbox::spawn(shell, confinement)
        };
        let child = match spawn("bash") {
            Err(error) if error.kind() == io::ErrorKind::NotFound => spawn("/bin/sh")?,
            other => other?,
        };
        let tree = Tree::new(child.id(), mark);
        Ok(Shell { child, tree, pipe, output: Output::default(), is_drained: false, directory })
    }

    /// What it and all it started are known by.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.tree.mark()
    }

    /// The number of its process; nothing once its end was seen.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Has its output go somewhere else too once memory cannot hold it.
    pub(crate) fn spill_output(&mut self, spill: Spill) {
        self.output.spill_to(spill);
    }

    /// Has its output go somewhere else too.
    pub(crate) fn copy_output(&mut self, spool: &Arc<Spool>) {
        self.output.copy_to(spool);
    }

    /// What it has written so far.
    pub(crate) fn output(&self) -> &Output {
        &self.output
    }

    /// Waits for its end, and takes its output meanwhile. Can be dropped and called again.
    pub(crate) async fn finish(
        &mut self,
        env: &Env,
        mut progress: impl FnMut(&Output),
    ) -> io::Result<ExitStatus> {
        let status = {
            let mut ending = pin!(self.child.wait());
            let mut reading = pin!(drain(&mut self.pipe, &mut self.output, env, &mut progress));
            match env.race("shell ends or closes its output", &mut ending, &mut reading).await {
                Either::Left(status) => {
                    self.is_drained = env.timeout(DRAIN_GRACE, reading).await.is_ok();
                    status
                }
                Either::Right(()) => {
                    self.is_drained = true;
                    ending.await
                }
            }
        }?;
        Ok(status)
    }

    /// Takes what is still written after its end, until nothing holds its output any more.
    pub(crate) async fn rest(&mut self, env: &Env, mut progress: impl FnMut(&Output)) {
        if !self.is_drained {
            drain(&mut self.pipe, &mut self.output, env, &mut progress).await;
            self.is_drained = true;
        }
    }

    /// Ends it and all it started: asks first, and kills what is left.
    pub(crate) async fn stop(&mut self, env: &Env) {
        self.tree.ask();
        drop(env.timeout(TERM_GRACE, self.finish(env, |_output| {})).await);
        self.tree.end();
        drop(env.timeout(KILL_GRACE, self.finish(env, |_output| {})).await);
    }

    /// Lets go of it after its end. What it left running in the background goes on running.
    pub(crate) fn release(mut self) -> Ended {
        let mark = self.tree.forget();
        Ended { output: self.output, left_running: !self.is_drained, mark, directory: self.directory }
    }
}

/// A shell that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What it wrote.
    pub(crate) output: Output,
    /// Whether something it started still held its output.
    pub(crate) left_running: bool,
    /// What it may have left running is known by this.
    pub(crate) mark: Option<Mark>,
    directory: NamedTempFile,
}

impl Ended {
    /// The directory it ended in; nothing when it did not get to say. Blocks shortly.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        use std::os::unix::ffi::OsStringExt;
        let mut bytes = std::fs::read(self.directory.path()).ok()?;
        bytes.pop_if(|last| *last == b'\n')?;
        Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
    }
}

/// Variables that set what disarms git, behind the settings that are there already.
fn disarming(count: Option<&str>) -> Vec<(String, String)> {
    let before = count.and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let mut set = vec![("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned())];
    for (at, (key, value)) in (before..).zip(DISARMED) {
        set.push((format!("GIT_CONFIG_KEY_{at}"), (*key).to_owned()));
        set.push((format!("GIT_CONFIG_VALUE_{at}"), (*value).to_owned()));
    }
    set.push(("GIT_CONFIG_COUNT".to_owned(), (before + DISARMED.len()).to_string()));
    set
}

/// The exit code as shells tell it: 128 and the signal's number for a process that was killed.
pub(crate) fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

async fn drain(
    pipe: &mut pipe::Receiver,
    output: &mut Output,
    env: &Env,
    progress: &mut impl FnMut(&Output),
) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        for _ in 0..CHUNKS_IN_A_ROW {
            match pipe.read(&mut chunk).await {
                Ok(0) | Err(_) => return,
                Ok(length) => output.push(&chunk[..length]),
            }
            progress(output);
        }
        env.settle().await;
    }
}

/// How long a script for this command would be, in bytes.
pub(crate) fn script_bytes(command: &str) -> usize {
    script(command, &std::env::temp_dir().join("toolwright-XXXXXX/.tmpXXXXXX"), Mark::new()).len()
}

/// The command, and after it the directory it ended in, written to a file; the exit code is the command's.
///
/// `eval` gives the command a reading of its own, so that an error in it cannot swallow what follows.
fn script(command: &str, directory: &Path, mark: Mark) -> String {
    let file = directory.to_string_lossy();
    format!(
        "{}eval {}\n__toolwright_code=$?\ncommand pwd -P >| {} 2>/dev/null\nexit $__toolwright_code\n",
        mark.script(),
        quoted(command),
        quoted(&file)
    )
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
