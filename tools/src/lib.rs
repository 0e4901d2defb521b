//! Tools for coding agents, built on Toolwright: files, search, shell; and what runs configured hooks.
//!
//! [`catalogue`](catalogue()) lists them; nothing registers itself.

mod catalogue;
pub mod described;
pub mod files;
pub mod hooks;
#[cfg(feature = "http")]
pub mod http;
mod one_line;
pub mod shell;

pub use self::catalogue::catalogue;
