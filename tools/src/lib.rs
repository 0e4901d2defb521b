//! Tools for coding agents, built on Toolwright: files, search, shell; and models over HTTP.
//!
//! [`catalogue`](catalogue()) lists them; nothing registers itself.

mod catalogue;
pub mod described;
pub mod files;
#[cfg(feature = "http")]
pub mod http;
pub mod models;
mod one_line;
pub mod shell;

pub use self::catalogue::catalogue;
