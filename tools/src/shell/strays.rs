//! Finds and ends what a shell started, also where it has left the shell's group, its session and its parent, cleared
//! its environment and closed its files.
//!
//! Every shell sets two limits to numbers of its own: how many bytes of message queues and how many waiting signals it
//! may have. Both are inherited by whatever it starts, both are far above what programs use, and hardly any program sets
//! them. Who has both is the shell's. Where the system does not show the limits of processes, only the group is ended.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal};
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, Resource, getrlimit, pidfd_open, pidfd_send_signal};

use crate::process_group::ProcessGroup;

/// How many numbers of message queues are taken in turn.
const QUEUES: u64 = 500_000;
/// How many numbers of signals there are to choose from.
const SIGNALS: u64 = 16_000;
/// What systems allow unless told otherwise: the numbers of a mark are below.
const QUEUES_USUAL: u64 = 819_200;
/// The same of signals.
const SIGNALS_USUAL: u64 = 60_000;
/// How often processes are looked for that start others while they are ended.
const ROUNDS_MAX: usize = 50;
/// How long the kernel has between two looks.
const ROUND: Duration = Duration::from_millis(2);

/// Two limits that only one shell and what it started have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    queues: u64,
    signals: u64,
}

/// Gives marks, no two the same for long.
#[derive(Debug)]
pub(crate) struct Marks {
    next: AtomicU64,
    signals: u64,
}

impl Default for Marks {
    fn default() -> Marks {
        // Two sessions, or two programs, must not take each other's processes for their own.
        let chance = RandomState::new().hash_one(std::process::id());
        Marks { next: AtomicU64::new(chance % QUEUES), signals: (chance >> 32) % SIGNALS }
    }
}

impl Marks {
    /// Other systems do not show the limits of processes.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn next(&self) -> Option<Mark> {
        None
    }

    /// A mark for one shell; none where the limits are too low to choose from.
    #[cfg(target_os = "linux")]
    pub(crate) fn next(&self) -> Option<Mark> {
        let below = |resource: Resource, usual: u64, needed: u64| {
            let limit = getrlimit(resource).maximum.unwrap_or(usual).min(usual);
            (limit > needed).then_some(limit - 1)
        };
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % QUEUES;
        Some(Mark {
            queues: below(Resource::Msgqueue, QUEUES_USUAL, QUEUES)? - turn,
            signals: below(Resource::Sigpending, SIGNALS_USUAL, SIGNALS)? - self.signals,
        })
    }
}

impl Mark {
    /// The beginning of a script that marks the shell that runs it.
    pub(crate) fn script(self) -> String {
        format!("ulimit -Sq {} 2>/dev/null; ulimit -Si {} 2>/dev/null; ", self.queues, self.signals)
    }
}

/// What a shell started, as far as it can be found. Dropping it ends all of it.
#[derive(Debug)]
pub(crate) struct Descent {
    group: ProcessGroup,
    mark: Option<Mark>,
}

impl Descent {
    pub(crate) fn new(group: ProcessGroup, mark: Option<Mark>) -> Descent {
        Descent { group, mark }
    }

    /// Asks all of it to end.
    pub(crate) fn ask(&self) {
        self.group.signal(Signal::TERM);
        for pid in self.mark.into_iter().flat_map(|mark| living(&BTreeSet::from([mark]))) {
            signal(pid, mark_set(self.mark), Signal::TERM);
        }
    }

    /// Ends all of it. Blocks shortly.
    pub(crate) fn end(&self) {
        self.group.signal(Signal::KILL);
        end(&mark_set(self.mark));
    }

    /// Lets all of it live on; gives what it is known by.
    pub(crate) fn forget(&mut self) -> Option<Mark> {
        self.group.forget();
        self.mark.take()
    }
}

impl Drop for Descent {
    fn drop(&mut self) {
        self.end();
    }
}

fn mark_set(mark: Option<Mark>) -> BTreeSet<Mark> {
    mark.into_iter().collect()
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
        found.into_iter().for_each(|pid| signal(pid, marks.clone(), Signal::KILL));
    }
}

/// The marks among these of which something lives.
pub(crate) fn still_living(marks: &BTreeSet<Mark>) -> BTreeSet<Mark> {
    living(marks).into_iter().filter_map(mark_of).collect()
}

#[cfg(not(target_os = "linux"))]
fn signal(_pid: Pid, _marks: BTreeSet<Mark>, _signal: Signal) {}

/// Sends a signal to a process that has one of these marks, and to none that has its number since.
#[cfg(target_os = "linux")]
fn signal(pid: Pid, marks: BTreeSet<Mark>, signal: Signal) {
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    if mark_of(pid).is_some_and(|mark| marks.contains(&mark)) {
        // One that has ended meanwhile cannot be signalled, and that is well.
        let _gone = pidfd_send_signal(&process, signal);
    }
}

/// The processes that have one of these marks and have not ended.
fn living(marks: &BTreeSet<Mark>) -> Vec<Pid> {
    if marks.is_empty() {
        return Vec::new();
    }
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let pids = numbers.filter_map(Pid::from_raw);
    pids.filter(|pid| mark_of(*pid).is_some_and(|mark| marks.contains(&mark)) && !has_ended(*pid)).collect()
}

fn mark_of(pid: Pid) -> Option<Mark> {
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", pid.as_raw_pid())).ok()?;
    let soft = |name: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    Some(Mark { queues: soft("Max msgqueue size")?, signals: soft("Max pending signals")? })
}

/// Whether a process only waits to be heard of by its parent.
fn has_ended(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    matches!(state, None | Some('Z' | 'X'))
}
