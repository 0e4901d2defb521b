//! Replays recorded model turns through Toolwright in virtual time, and checks what must hold whatever the schedule.
//!
//! The simulator has no scheduler, permission or pipeline of its own: it drives the runtime's. Recordings come in
//! through [`import`], are replayed by [`replay`] on the executor in [`engine`], judged by [`check`] and shown by
//! [`timeline`].
//!
//! Features, the first two of them on by default:
//!
//! - `cli`: the program `toolwright`, with the tools that speak HTTP and MCP. A dev-dependency does without.
//! - `engines`: runs in a paused tokio runtime, for tools that need one, and on real threads.
//! - `proptest`: strategies for recordings, turns and latencies.
//! - `mutants`: the runtime's implanted bugs, to prove that they are found.

pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod engine;
pub mod explore;
pub mod faults;
pub mod import;
#[cfg(feature = "proptest")]
pub mod property;
pub mod replay;
pub mod report;
pub mod shrink;
pub mod strategy;
pub mod testing;
pub mod timeline;
pub mod token;
pub mod transcript;
pub mod why;
