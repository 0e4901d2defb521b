//! Everything that one hook has started: its process group, and whatever has left it with the hook's mark in its
//! environment. Dropping it ends them all.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process};

use crate::process_group::ProcessGroup;

/// The variable that marks what a hook has started.
pub(super) const MARK: &str = "TOOLWRIGHT_HOOK";

/// How often what is left is looked for: what is ended may have started something meanwhile.
const SWEEPS_MAX: usize = 10;

/// The processes of one hook.
#[derive(Debug)]
pub(super) struct Tree {
    group: ProcessGroup,
    mark: String,
}

impl Tree {
    /// A mark that no other hook of this machine has now.
    pub(super) fn mark() -> String {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The processes of a leader that was started with this mark.
    pub(super) fn new(leader: Option<u32>, mark: String) -> Tree {
        Tree { group: ProcessGroup::of(leader), mark }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
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

/// The processes whose environment began with this mark in it. Where there is no `/proc`, none can be told.
fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let found = processes.flatten().filter_map(|process| {
        let id = process.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
        // A process of somebody else's cannot be read, and is none of ours.
        let environment = std::fs::read(process.path().join("environ")).ok()?;
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()).then_some(id)
    });
    found.collect()
}
