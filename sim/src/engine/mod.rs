//! The simulator's own executor: one thread, an explicit set of ready tasks, a heap of timers, and one stream of
//! choices that a [`Strategy`] makes.
//!
//! Tools that need tokio itself run on the same set of ready tasks inside a paused tokio runtime
//! ([`Simulation::in_tokio`]).
//!
//! It drives the runtime through its [`Driver`](toolwright::env::Driver) seam and has no scheduler of calls, no
//! permission and no pipeline of its own.

mod choice;
mod driver;
#[cfg(feature = "engines")]
mod hybrid;
mod simulation;
mod strategy;
mod stuck;
mod task;
mod tasks;
mod timer;
mod world;

pub(crate) use self::choice::stream;
pub use self::choice::{Choice, TASK};
pub use self::simulation::Simulation;
pub use self::strategy::{Announced, ReadyTask, Step, Strategy, TaskId};
pub use self::stuck::{Stuck, Waiting, Waits};
