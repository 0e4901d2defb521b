//! Tools for coding agents, built on Toolwright: files, search, shell, tasks in the background; models over HTTP; and what
//! runs configured hooks.
//!
//! [`catalogue`](catalogue()) lists them; nothing registers itself.
//!
//! Features:
//!
//! - `http`, on by default: models over HTTP, and hooks that are requests. Without it nothing here reaches a network.
//! - `assistant` or `proactive`, `monitor`, `repl`, on by default: the tools Sleep, Monitor and REPL, where a session has the
//!   feature switch of the same name too.
//! - `mcp`: servers of the Model Context Protocol, their tools as ours and our tools for others.

pub mod agents;
mod catalogue;
pub mod described;
pub mod files;
pub mod front_matter;
mod git;
pub mod hooks;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod models;
mod one_line;
mod preview;
mod process_group;
mod process_tree;
mod program;
#[cfg(feature = "repl")]
pub mod repl;
pub mod settings;
pub mod shell;
pub mod skills;
pub mod tasks;
mod tool_search;
pub mod yaml;

pub use self::catalogue::{
    ASSISTANT, EMBEDDED_SEARCH, MONITOR, PROACTIVE, REPL, add_agents, add_tool_search, catalogue,
    catalogue_with,
};
pub use self::preview::{Preview, preview};
pub use self::tool_search::{ToolSearch, ToolSearchOutput};
