//! The processes that a sweep has started. Each watches its input, whose other end is held here: it ends when it is to
//! stop, and also when this process was killed, so that none is left behind.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::process::{ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::output::Fault;

/// The processes that run.
#[derive(Default)]
pub(super) struct Children {
    /// The other end of each one's input, by its number.
    held: Mutex<BTreeMap<u32, ChildStdin>>,
    is_stopped: AtomicBool,
}

impl Children {
    /// Runs the same command line as `explore` under these seeds, to its end.
    pub(super) fn explore(&self, seeds: &Range<u64>) -> Result<Output, Fault> {
        let failed = |error: io::Error| Fault::new(format!("no process for the sweep: {error}"));
        let program = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(program);
        command.arg("explore").args(passed_on(std::env::args_os().skip(2))).arg("--until-input-ends");
        command.arg("--json").arg("--seeds").arg(format!("{}..{}", seeds.start, seeds.end));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let number = child.id();
        if let Some(input) = child.stdin.take() {
            self.lock().insert(number, input);
        }
        // Told to stop while it was being started: it was not held yet.
        if self.are_stopped() {
            self.lock().clear();
        }
        let output = child.wait_with_output();
        self.lock().remove(&number);
        output.map_err(failed)
    }

    /// Has all of them stop after the run that each is at, and tell what they have.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        self.lock().clear();
    }

    /// Whether they are to stop.
    pub(super) fn are_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, ChildStdin>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What `sweep` was called with, without what is its own.
fn passed_on(arguments: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    const OWN: [&str; 4] = ["--seeds", "--jobs", "--shard", "--sometimes"];
    let mut arguments = arguments;
    let mut passed = Vec::new();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        if OWN.contains(&text.as_ref()) {
            drop(arguments.next());
        } else if text != "--json" && !OWN.iter().any(|own| text.starts_with(&format!("{own}="))) {
            passed.push(argument);
        }
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_sweeps_own_is_not_passed_on() {
        let given =
            ["f", "--seeds", "5", "--swarm", "--jobs=2", "--json", "--mode", "plan", "--shard", "1/2"];
        let passed = passed_on(given.into_iter().map(Into::into));
        assert_eq!(passed, ["f", "--swarm", "--mode", "plan"]);
    }
}
