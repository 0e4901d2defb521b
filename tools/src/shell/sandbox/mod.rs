//! The sandbox that commands run in: who confines them, to what, and what is said of what was refused.
//!
//! Confined is what starts on a model's word: the commands of Bash and Monitor, those of skills, and the interpreters of
//! REPL, which stay in the sandbox that they began in and are replaced where another is wanted. Not confined are programs
//! that a person's settings name, hooks and MCP servers, since they are there to do what the agent may not; nor those that
//! tools run for themselves on what they have read: git for worktrees, poppler, and `sed` for a preview, with limits of
//! their own.
//!
//! Commands write in the folders of the session and in a folder for temporary files of their own; what steers git, the
//! shell or the agent stays as it is even there, and everything else on the disk too. They use the network only where
//! settings open it, and no sockets of this machine. Everything can be read that no deny rule or setting closes.
//!
//! | | bubblewrap | landlock and seccomp |
//! |---|---|---|
//! | writing outside | refused: read-only | refused |
//! | what steers, in a folder of the session | read-only, and cannot be moved away | refused; beside it nothing new can be made in the same folder, since rules of landlock only add |
//! | what steers and was not there before | can be made; the result tells of it | the same |
//! | reading what is closed | an empty file or folder | refused; beside it nothing new can be read in the same folder |
//! | network, sockets | a network of its own, and no sockets of this machine | no sockets at all |
//! | other processes | not seen | neither signalled nor looked into |
//! | modes, owners and times of files outside | refused | **not refused**: the kernel does not offer it |
//!
//! Landlock has no rule that ends at a folder's own entries: a right to make files in a folder is one to make them
//! everywhere below it, also in what is closed there, and whoever makes a file must be allowed to write to files there.
//! So beside something closed only what exists is opened, entry by entry, and the report says so.
//!
//! Hard links that lead out of a folder and were there before are followed by both.

mod backend;
mod bubblewrap;
mod confinement;
mod excluded;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod seccomp;
mod start;
mod steering;
mod violation;

pub use self::backend::{Backend, Unavailable};
pub(crate) use self::confinement::Confinement;
pub(crate) use self::excluded::is_excluded;
pub(crate) use self::start::{command, spawn};
