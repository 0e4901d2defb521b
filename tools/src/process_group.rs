//! A process group that ends when nobody holds it any more, and belongs to no terminal.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process_group};

/// Has a program begin a session of its own, and with it a group that it leads. The terminal that a person sits at does
/// not belong to it: there it would wait for an answer to a question that nobody meant for it, or write what looks like
/// one of ours.
#[expect(unsafe_code, reason = "std has no safe way yet to have a program begin a session")]
pub(crate) fn begin_session(command: &mut Command) {
    let begin = || rustix::process::setsid().map(drop).map_err(std::io::Error::from);
    // SAFETY: what runs between fork and exec may only do what a signal handler may. This makes one system call, and
    // takes no memory and no lock, also where it fails.
    unsafe { command.pre_exec(begin) };
}

/// A process group, by its leader. Dropping it kills all that is in it.
#[derive(Debug)]
pub(crate) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// The group that a process leads, by the process's number. Nothing is in that of a process that has ended.
    pub(crate) fn of(leader: Option<u32>) -> ProcessGroup {
        ProcessGroup(leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    /// Its leader; nothing once it was let go.
    #[cfg(feature = "repl")]
    pub(crate) fn leader(&self) -> Option<Pid> {
        self.0
    }

    /// Lets all that is in it live on; the number may come to be another group's.
    pub(crate) fn forget(&mut self) {
        self.0 = None;
    }

    /// Sends all that is in it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(leader) = self.0 {
            // A group that is gone cannot be signalled, and that is well.
            let _gone = kill_process_group(leader, signal);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}
