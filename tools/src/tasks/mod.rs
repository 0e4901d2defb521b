//! Tasks: what goes on when the call that began it has its result. Commands in the background, monitors, and agents in
//! the background are tasks; TaskOutput tells of them, TaskStop ends them.
//!
//! A task belongs to the session of its call and ends with it, with everything that it started. The model is told of its
//! end before it is asked next.

mod events;
mod known;
#[cfg(feature = "monitor")]
pub mod monitor;
pub mod output;
mod process;
mod registry;
#[cfg(any(feature = "assistant", feature = "proactive"))]
pub mod sleep;
mod spool;
pub mod stop;
mod task;

pub use self::known::TaskStatus;
#[cfg(feature = "monitor")]
pub(crate) use self::process::spool;
pub(crate) use self::process::{Background, begin};
#[cfg(feature = "repl")]
pub(crate) use self::registry::is_same;
pub use self::registry::{Late, TaskLimits, Tasks, TasksBuilder};
pub(crate) use self::spool::Spool;
pub(crate) use self::task::Task;
pub use self::task::TaskKind;
