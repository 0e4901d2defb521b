//! When calls run: batches, places in line, and results back in order.
//!
//! The scheduler stands around the pipeline and knows nothing of tools: a call is a flag (may it run beside others?)
//! and a job. The [plan](plan()) is a pure function; the [`Line`] is its rules as a state machine, one place at a time,
//! so that calls can be admitted while a message still streams; a [`TurnRun`] spawns what the line admits and hands
//! results over in the order of the calls.

mod line;
mod order;
mod place;
mod plan;
mod run;

pub use self::line::Line;
pub use self::place::{Fells, Place, Shield, Start};
pub use self::plan::{Batch, Planner, plan};
pub use self::run::{Stopper, TurnRun, Work};
