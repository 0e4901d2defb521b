//! Everything that one process has started: its process group, and whatever has left it with one of two marks. Dropping
//! it ends them all.
//!
//! Every process hands its marks on to those it starts: a variable in the environment, and, on Linux, the limit for file
//! locks, which no system heeds any more and which survives what clears the environment. The second is set right after
//! the process has begun to run. What is not found: a process that sheds both on purpose, or one that cleared its
//! environment and left the group within the first instant; and, where there is no `/proc`, all that left the group.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process};

use crate::process_group::ProcessGroup;

/// How often what is left is looked for: what is ended may have started something meanwhile.
const SWEEPS_MAX: usize = 10;

/// A mark that no other tree of this machine has now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The variable's name.
    pub(crate) name: &'static str,
    process: u32,
    number: u32,
}

impl Mark {
    /// A mark in this variable.
    pub(crate) fn new(name: &'static str) -> Mark {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed) & u64::from(u32::MAX);
        Mark { name, process: std::process::id(), number: u32::try_from(number).unwrap_or_default() }
    }

    /// The variable's value.
    pub(crate) fn value(self) -> String {
        format!("{}-{}", self.process, self.number)
    }

    /// As a limit: more than anybody sets, and less than none.
    #[cfg(target_os = "linux")]
    fn limit(self) -> u64 {
        1 << 62 | u64::from(self.process) << 32 | u64::from(self.number)
    }
}

/// The processes that descend from one, as far as they can be told.
#[derive(Debug)]
pub(crate) struct Tree {
    group: ProcessGroup,
    mark: Mark,
}

impl Tree {
    /// The processes of a leader that was just started with this mark.
    pub(crate) fn new(leader: Option<u32>, mark: Mark) -> Tree {
        limit(leader, mark);
        Tree { group: ProcessGroup::of(leader), mark }
    }

    /// Its leader has ended, and nothing is known to be left of its group: the number may come to be another's. Those
    /// with the mark still belong to it.
    pub(crate) fn forget_group(&mut self) {
        self.group.forget();
    }

    /// Sends its group a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }

    /// Kills all that is in it.
    pub(crate) fn kill(&self) {
        self.group.signal(Signal::KILL);
        for _ in 0..SWEEPS_MAX {
            let left = marked(self.mark);
            if left.is_empty() {
                return;
            }
            for process in left {
                let _gone = kill_process(process, Signal::KILL);
            }
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Gives a process the mark as a limit. Below another tree a lower one may not be raised: then it keeps that one, by
/// which the other finds it.
#[cfg(target_os = "linux")]
fn limit(leader: Option<u32>, mark: Mark) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let leader = leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let limit = Rlimit { current: Some(mark.limit()), maximum: Some(mark.limit()) };
    if leader.is_some() {
        let _refused = prlimit(leader, Resource::Locks, limit);
    }
}

#[cfg(not(target_os = "linux"))]
fn limit(_leader: Option<u32>, _mark: Mark) {}

/// The processes that have this mark. Where there is no `/proc`, none can be told.
fn marked(mark: Mark) -> Vec<Pid> {
    let wanted = format!("{}={}", mark.name, mark.value());
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let found = processes.flatten().filter_map(|process| {
        let id = process.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
        // A process of somebody else's cannot be read, and is none of ours.
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        let is_named = environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes());
        (is_named || is_limited(&process.path(), mark)).then_some(id)
    });
    found.collect()
}

/// Whether a process, by its folder in `/proc`, has the mark as a limit.
#[cfg(target_os = "linux")]
fn is_limited(process: &std::path::Path, mark: Mark) -> bool {
    let limits = std::fs::read_to_string(process.join("limits")).unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks"));
    let hard = line.and_then(|line| line.split_whitespace().nth(1));
    hard.is_some_and(|hard| hard.parse() == Ok(mark.limit()))
}

#[cfg(not(target_os = "linux"))]
fn is_limited(_process: &std::path::Path, _mark: Mark) -> bool {
    false
}
