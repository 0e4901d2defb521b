//! Everything that one process has started, also what has left its group, its session and its parent, cleared its
//! environment and closed its files. Dropping a tree ends all of it.
//!
//! Every process hands on to those it starts how many file locks it may have: a limit that no system heeds any more, and
//! that hardly any program sets. The process of each tree has a number of its own there. It is set right after the process
//! has begun to run, and by shells before anything else. A variable may say the same for that first instant. What is not
//! found: a process that sheds its marks on purpose; and, where there is no `/proc`, all that left the group.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal};
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, Resource, Rlimit, pidfd_open, pidfd_send_signal, prlimit};

use crate::process_group::ProcessGroup;

/// The variable that may say the mark.
const VARIABLE: &str = "TOOLWRIGHT_TREE";
/// How often processes are looked for that start others while they are ended.
const ROUNDS_MAX: usize = 50;
/// How long the kernel has between two looks.
const ROUND: Duration = Duration::from_millis(2);

/// A number that no other tree of this machine has now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark(u64);

impl Mark {
    /// More than anybody sets as a limit, and less than none.
    pub(crate) fn new() -> Mark {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed) & u64::from(u32::MAX);
        Mark(1 << 62 | u64::from(std::process::id()) << 32 | number)
    }

    /// A variable that says it, by name and value.
    pub(crate) fn variable(self) -> (&'static str, String) {
        (VARIABLE, self.0.to_string())
    }

    /// The beginning of a script that marks the shell that runs it.
    pub(crate) fn script(self) -> String {
        format!("ulimit -Sx {} 2>/dev/null; ", self.0)
    }
}

/// What a process started, as far as it can be found. Dropping it ends all of it.
#[derive(Debug)]
pub(crate) struct Tree {
    group: ProcessGroup,
    /// Nothing where all of it may live on.
    mark: Option<Mark>,
}

impl Tree {
    /// The tree of a leader that was just started.
    pub(crate) fn new(leader: Option<u32>, mark: Mark) -> Tree {
        limit(leader, mark);
        Tree { group: ProcessGroup::of(leader), mark: Some(mark) }
    }

    /// What all of it is known by.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.mark
    }

    /// Sends its group a signal.
    #[cfg(feature = "repl")]
    pub(crate) fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }

    /// Sends a signal to all that is still in its group but its leader.
    #[cfg(feature = "repl")]
    pub(crate) fn signal_followers(&self, sent: Signal) {
        let (marks, leader) = (self.marks(), self.group.leader());
        let follows = |process: &Pid| {
            Some(*process) != leader && rustix::process::getpgid(Some(*process)).ok() == leader
        };
        living(&marks).into_iter().filter(follows).for_each(|process| signal(process, &marks, sent));
    }

    /// Asks all of it to end.
    pub(crate) fn ask(&self) {
        self.group.signal(Signal::TERM);
        let marks = self.marks();
        living(&marks).into_iter().for_each(|process| signal(process, &marks, Signal::TERM));
    }

    /// Ends all of it. Blocks shortly.
    pub(crate) fn end(&self) {
        self.group.signal(Signal::KILL);
        end(&self.marks());
    }

    /// Its leader has ended, and nothing is known to be left of its group: the number may come to be another's. Those
    /// with the mark still belong to it.
    pub(crate) fn forget_group(&mut self) {
        self.group.forget();
    }

    /// Lets all of it live on; gives what it is known by.
    pub(crate) fn forget(&mut self) -> Option<Mark> {
        self.group.forget();
        self.mark.take()
    }

    fn marks(&self) -> BTreeSet<Mark> {
        self.mark.into_iter().collect()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.end();
    }
}

/// Ends whatever has one of these marks, and whatever it starts meanwhile. Blocks shortly.
pub(crate) fn end(marks: &BTreeSet<Mark>) {
    for round in 0..ROUNDS_MAX {
        let found = living(marks);
        if found.is_empty() {
            return;
        }
        if round > 0 {
            std::thread::sleep(ROUND);
        }
        found.into_iter().for_each(|process| signal(process, marks, Signal::KILL));
    }
}

/// The marks among these of which something lives.
pub(crate) fn still_living(marks: &BTreeSet<Mark>) -> BTreeSet<Mark> {
    living(marks).into_iter().flat_map(marks_of).filter(|mark| marks.contains(mark)).collect()
}

/// Sets the limit of a process that has no other tree's.
#[cfg(target_os = "linux")]
fn limit(leader: Option<u32>, mark: Mark) {
    let leader = leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if leader.is_some() {
        // One that has ended cannot be marked, nor one that may have fewer: a variable, or its own script, may do it.
        let _gone = prlimit(leader, Resource::Locks, Rlimit { current: Some(mark.0), maximum: None });
    }
}

#[cfg(not(target_os = "linux"))]
fn limit(_leader: Option<u32>, _mark: Mark) {}

/// Sends a signal to a process that has one of these marks, and to none that has its number since.
#[cfg(target_os = "linux")]
fn signal(process: Pid, marks: &BTreeSet<Mark>, signal: Signal) {
    let Ok(held) = pidfd_open(process, PidfdFlags::empty()) else { return };
    if marks_of(process).any(|mark| marks.contains(&mark)) {
        // One that has ended meanwhile cannot be signalled, and that is well.
        let _gone = pidfd_send_signal(&held, signal);
    }
}

#[cfg(not(target_os = "linux"))]
fn signal(_process: Pid, _marks: &BTreeSet<Mark>, _signal: Signal) {}

/// The processes that have one of these marks and have not ended.
fn living(marks: &BTreeSet<Mark>) -> Vec<Pid> {
    if marks.is_empty() {
        return Vec::new();
    }
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_marked = |process: &Pid| marks_of(*process).any(|mark| marks.contains(&mark));
    numbers.filter_map(Pid::from_raw).filter(|process| is_marked(process) && !has_ended(*process)).collect()
}

/// The marks of a process: by its limit, and by its variable. Of somebody else's process, none can be read.
fn marks_of(process: Pid) -> impl Iterator<Item = Mark> {
    let place = format!("/proc/{}", process.as_raw_pid());
    let limits = std::fs::read_to_string(format!("{place}/limits")).unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks"));
    let limit = line.and_then(|line| line.split_whitespace().next()).and_then(|soft| soft.parse().ok());
    let environment = std::fs::read(format!("{place}/environ")).unwrap_or_default();
    let said = environment.split(|byte| *byte == 0).find_map(|variable| {
        let value = variable.strip_prefix(VARIABLE.as_bytes())?.strip_prefix(b"=")?;
        std::str::from_utf8(value).ok()?.parse().ok()
    });
    limit.into_iter().chain(said).map(Mark)
}

/// Whether a process only waits to be heard of by its parent.
fn has_ended(process: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_pid())).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    matches!(state, None | Some('Z' | 'X'))
}
