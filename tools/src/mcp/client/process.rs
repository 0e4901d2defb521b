//! A server's program in a process group of its own, and the end of all it started.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use toolwright::env::{Env, TaskName};

use super::bounded::Fault;
use crate::process_group::{ProcessGroup, begin_session};

/// How long a server has to end when its input is closed, and again when it is asked to.
const END_GRACE: Duration = Duration::from_secs(2);
/// How much of what a server complains of is kept: the newest.
const COMPLAINTS_BYTES_MAX: usize = 4 * 1024;

/// A server's program. Dropping it kills it and all it started.
#[derive(Debug)]
pub(super) struct Process {
    group: ProcessGroup,
    child: Child,
    complaints: Arc<Mutex<VecDeque<u8>>>,
    fault: Fault,
}

impl Process {
    /// Starts a program, and gives its standard streams.
    pub(super) fn start(
        env: &Env,
        command: &str,
        args: &[String],
        variables: &BTreeMap<String, String>,
        cwd: &Path,
    ) -> io::Result<(Process, ChildStdout, ChildStdin)> {
        let mut program = Command::new(command);
        program.args(args).envs(variables).current_dir(cwd).kill_on_drop(true);
        begin_session(program.as_std_mut());
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = program.spawn()?;
        let group = ProcessGroup::of(child.id());
        let missing = || io::Error::other("a stream of the program is missing");
        let output = child.stdout.take().ok_or_else(missing)?;
        let input = child.stdin.take().ok_or_else(missing)?;
        let complaints = Arc::<Mutex<VecDeque<u8>>>::default();
        if let Some(errors) = child.stderr.take() {
            let name = TaskName { kind: "complaints of a server", index: 0 };
            drop(env.spawn(name, keep_newest(errors, Arc::clone(&complaints))));
        }
        Ok((Process { group, child, complaints, fault: Fault::default() }, output, input))
    }

    /// Where it is kept why its output is no longer read.
    pub(super) fn fault(&self) -> &Fault {
        &self.fault
    }

    /// The newest of what it wrote to standard error.
    pub(super) fn complaints(&self) -> String {
        let bytes: Vec<u8> = lock(&self.complaints).iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    /// Waits for its end, whose input was closed: asks it to, and kills what is left.
    pub(super) async fn end(mut self, env: &Env) {
        if env.timeout(END_GRACE, self.child.wait()).await.is_err() {
            self.group.signal(Signal::TERM);
            drop(env.timeout(END_GRACE, self.child.wait()).await);
        }
    }
}

async fn keep_newest(mut errors: impl AsyncRead + Unpin, complaints: Arc<Mutex<VecDeque<u8>>>) {
    let mut chunk = vec![0; COMPLAINTS_BYTES_MAX];
    while let Ok(length @ 1..) = errors.read(&mut chunk).await {
        let mut kept = lock(&complaints);
        kept.extend(&chunk[..length]);
        let surplus = kept.len().saturating_sub(COMPLAINTS_BYTES_MAX);
        kept.drain(..surplus);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
