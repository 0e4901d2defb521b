//! Everything that one process has started: its process group, and whatever has left it with a mark in its environment.
//! Dropping it ends them all.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process};

use crate::process_group::ProcessGroup;

/// How often what is left is looked for: what is ended may have started something meanwhile.
const SWEEPS_MAX: usize = 10;

/// A variable whose value no other tree of this machine has now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The variable's name.
    pub(crate) name: &'static str,
    /// Its value.
    pub(crate) value: String,
}

impl Mark {
    /// A mark in this variable.
    pub(crate) fn new(name: &'static str) -> Mark {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Mark { name, value: format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)) }
    }
}

/// The processes that descend from one, as far as they can be told.
#[derive(Debug)]
pub(crate) struct Tree {
    group: ProcessGroup,
    mark: Mark,
}

impl Tree {
    /// The processes of a leader that was started with this mark.
    pub(crate) fn new(leader: Option<u32>, mark: Mark) -> Tree {
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
            let left = marked(&self.mark);
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

/// The processes whose environment began with this mark in it. Where there is no `/proc`, none can be told.
fn marked(mark: &Mark) -> Vec<Pid> {
    let wanted = format!("{}={}", mark.name, mark.value);
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let found = processes.flatten().filter_map(|process| {
        let id = process.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
        // A process of somebody else's cannot be read, and is none of ours.
        let environment = std::fs::read(process.path().join("environ")).ok()?;
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()).then_some(id)
    });
    found.collect()
}
