//! Agents: what they do, what they may, and how they end.

mod definitions;
mod gate;
mod hooks;
mod limits;
mod runs;
#[cfg(feature = "mcp")]
mod servers;
mod worktrees;
pub(crate) mod world;
