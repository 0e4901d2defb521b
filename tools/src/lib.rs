//! Tools for coding agents, built on Toolwright: files, search, shell.
//!
//! [`catalogue`](catalogue::catalogue) lists them; nothing registers itself.

pub mod catalogue;
pub mod files;
mod one_line;
pub mod shell;
