//! Everything that one hook has started: its process group, and whatever has left it with one of the hook's marks.
//! Dropping it ends them all.
//!
//! There are two marks, which every process hands on to those it starts: a variable in the environment, and, on Linux, the
//! limit for file locks, which no system heeds any more and which survives what clears the environment. The second is set
//! right after the hook has begun to run. What is not found: a process that sheds both on purpose, or one that cleared
//! its environment and left the group within the first instant; and, where there is no `/proc`, all that left the group.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process};

use crate::process_group::ProcessGroup;

/// The variable that marks what a hook has started.
pub(super) const MARK: &str = "TOOLWRIGHT_HOOK";

/// How often what is left is looked for: what is ended may have started something meanwhile.
const SWEEPS_MAX: usize = 10;

/// A mark that no other hook of this machine has now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    process: u32,
    hook: u32,
}

impl Mark {
    pub(super) fn new() -> Mark {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let hook = NEXT.fetch_add(1, Ordering::Relaxed) & u64::from(u32::MAX);
        Mark { process: std::process::id(), hook: u32::try_from(hook).unwrap_or_default() }
    }

    /// As the variable has it.
    pub(super) fn text(self) -> String {
        format!("{}-{}", self.process, self.hook)
    }

    /// As a limit: more than anybody sets, and less than none.
    #[cfg(target_os = "linux")]
    fn number(self) -> u64 {
        1 << 62 | u64::from(self.process) << 32 | u64::from(self.hook)
    }
}

/// The processes of one hook.
#[derive(Debug)]
pub(super) struct Tree {
    group: ProcessGroup,
    mark: Mark,
}

impl Tree {
    /// The processes of a leader that was just started with this mark.
    pub(super) fn new(leader: Option<u32>, mark: Mark) -> Tree {
        limit(leader, mark);
        Tree { group: ProcessGroup::of(leader), mark }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
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

/// Gives a process the mark as a limit. Within a hook of another's, a lower one may not be raised: then it keeps that one,
/// by which the other finds it.
#[cfg(target_os = "linux")]
fn limit(leader: Option<u32>, mark: Mark) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let leader = leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let limit = Rlimit { current: Some(mark.number()), maximum: Some(mark.number()) };
    if leader.is_some() {
        let _refused = prlimit(leader, Resource::Locks, limit);
    }
}

#[cfg(not(target_os = "linux"))]
fn limit(_leader: Option<u32>, _mark: Mark) {}

/// The processes that have this mark. Where there is no `/proc`, none can be told.
fn marked(mark: Mark) -> Vec<Pid> {
    let wanted = format!("{MARK}={}", mark.text());
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
    hard.is_some_and(|hard| hard.parse() == Ok(mark.number()))
}

#[cfg(not(target_os = "linux"))]
fn is_limited(_process: &std::path::Path, _mark: Mark) -> bool {
    false
}
