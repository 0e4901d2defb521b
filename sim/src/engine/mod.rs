//! The simulator's own executor: one thread, an explicit set of ready tasks, a heap of timers, and one stream of
//! choices.
//!
//! It drives the runtime through its [`Driver`](toolwright::env::Driver) seam and has no scheduler of calls, no
//! permission and no pipeline of its own.

mod choice;
mod driver;
mod task;
mod world;

pub use self::choice::{Choice, Choices};
pub use self::world::{Simulation, Stuck};
