//! One command of a hook: in a session of its own, without a terminal, its input from a file, its output within the
//! limit. Nothing that it started outlives it.

use std::future::{Future, poll_fn};
use std::io::{self, Seek, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::task::Poll;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use toolwright::env::{Either, Env};
use toolwright::hooks::{CommandEnd, CommandHook, HookFailure, HookShell};

use super::OUTPUT_BYTES_MAX;
use crate::process_group::begin_session;
use crate::process_tree::{Mark, Tree};

/// How long output is still read after the command has ended, when something it started holds the pipe.
const DRAIN_GRACE: Duration = Duration::from_millis(200);
/// How much output is taken at once.
const CHUNK_BYTES: usize = 16 * 1024;

/// A command that runs. Dropped, it and all it started are ended.
struct Running {
    /// Dropped first, so that the group is ended while its leader still holds its number.
    tree: Tree,
    child: Child,
}

/// Runs a command to its end.
pub(super) async fn run(env: &Env, hook: &CommandHook) -> Result<CommandEnd, HookFailure> {
    let mut running = start(hook).map_err(|error| HookFailure::NotStarted(error.to_string()))?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let (out, err) = (running.child.stdout.take(), running.child.stderr.take());
    let status = {
        let mut ending = pin!(running.child.wait());
        let mut reading = pin!(both(taken(out, &mut stdout), taken(err, &mut stderr)));
        match env.race("hook ends or closes its output", &mut ending, &mut reading).await {
            Either::Left(status) => {
                // What is left running in the background is ended with the command; its output does not matter.
                if let Ok((out, err)) = env.timeout(DRAIN_GRACE, reading).await {
                    out.and(err)?;
                }
                status
            }
            Either::Right((out, err)) => {
                out.and(err)?;
                ending.await
            }
        }
    };
    let status = status.map_err(|error| HookFailure::Broken(error.to_string()))?;
    drop(running.tree);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(CommandEnd { code: code(status), stdout: text(stdout), stderr: text(stderr) })
}

fn start(hook: &CommandHook) -> io::Result<Running> {
    let mut input = tempfile::tempfile()?;
    input.write_all(hook.input.as_bytes())?;
    input.rewind()?;
    let mark = Mark::new();
    let cwd = standing(&hook.cwd);
    let spawn = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(cwd).kill_on_drop(true);
        begin_session(command.as_std_mut());
        command.stdin(input.try_clone()?).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(&hook.variables).envs([mark.variable()]);
        // It would have a shell run something else first.
        command.env_remove("BASH_ENV").env_remove("ENV");
        command.spawn()
    };
    let line = hook.command.as_str();
    let child = match (&hook.args, hook.shell) {
        (Some(args), _) => spawn(line, &args.iter().map(String::as_str).collect::<Vec<_>>()),
        (None, HookShell::PowerShell) => spawn("pwsh", &["-NoProfile", "-NonInteractive", "-Command", line]),
        (None, HookShell::Bash) => match spawn("bash", &["-c", line]) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => spawn("/bin/sh", &["-c", line]),
            other => other,
        },
    }?;
    Ok(Running { tree: Tree::new(child.id(), mark), child })
}

/// The folder, or what is left of the way to it: a call that removes the working directory must not keep the hooks of
/// later calls from starting.
fn standing(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"))
}

/// Takes an output to its end.
async fn taken(pipe: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) -> Result<(), HookFailure> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match pipe.read(&mut chunk).await {
            Ok(0) | Err(_) => return Ok(()),
            Ok(length) if into.len() + length > OUTPUT_BYTES_MAX => {
                let reason = format!("it wrote more than {OUTPUT_BYTES_MAX} bytes and was stopped");
                return Err(HookFailure::Broken(reason));
            }
            Ok(length) => into.extend_from_slice(&chunk[..length]),
        }
    }
}

/// Waits for two futures, or for the first failure of one.
async fn both<E>(
    one: impl Future<Output = Result<(), E>>,
    other: impl Future<Output = Result<(), E>>,
) -> (Result<(), E>, Result<(), E>) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    let (mut one_done, mut other_done) = (false, false);
    poll_fn(move |cx| {
        if !one_done && let Poll::Ready(ended) = one.as_mut().poll(cx) {
            one_done = true;
            if ended.is_err() {
                return Poll::Ready((ended, Ok(())));
            }
        }
        if !other_done && let Poll::Ready(ended) = other.as_mut().poll(cx) {
            other_done = true;
            if ended.is_err() {
                return Poll::Ready((Ok(()), ended));
            }
        }
        if one_done && other_done { Poll::Ready((Ok(()), Ok(()))) } else { Poll::Pending }
    })
    .await
}

/// The exit code as shells tell it: 128 and the signal's number for a process that was killed.
fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}
