//! The sandbox that commands run in: who confines them, to what, and what is said of what was refused.
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
mod steering;
mod violation;

pub use self::backend::{Backend, Unavailable};
pub(crate) use self::confinement::Confinement;
pub(crate) use self::excluded::is_excluded;
