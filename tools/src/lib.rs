//! Tools for coding agents, built on Toolwright: files, search, shell.
//!
//! [`catalogue`](catalogue()) lists them; nothing registers itself.

mod catalogue;
pub mod described;
pub mod files;
mod one_line;
pub mod settings;
pub mod shell;

pub use self::catalogue::catalogue;
