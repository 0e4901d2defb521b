//! Tasks: what goes on when the call that began it has its result. Commands in the background, monitors, and agents in
//! the background are tasks; TaskOutput tells of them, TaskStop ends them.
//!
//! A task belongs to the session of its call and ends with it, with everything that it started. The model is told of its
//! end before it is asked next.

mod events;
mod known;
#[cfg(feature = "monitor")]
mod monitor;
mod output;
mod process;
mod registry;
#[cfg(any(feature = "assistant", feature = "proactive"))]
mod sleep;
mod spool;
mod stop;
mod task;

pub use self::known::TaskStatus;
#[cfg(feature = "monitor")]
pub use self::monitor::{Monitor, MonitorOutput};
pub use self::output::{Retrieval, TaskOutput, TaskOutputResult, TaskSeen};
#[cfg(feature = "monitor")]
pub(crate) use self::process::spool;
pub(crate) use self::process::{Background, begin};
#[cfg(feature = "repl")]
pub(crate) use self::registry::is_same;
pub use self::registry::{Late, TaskLimits, Tasks, TasksBuilder};
#[cfg(any(feature = "assistant", feature = "proactive"))]
pub use self::sleep::{Sleep, SleepOutput};
pub(crate) use self::spool::Spool;
pub use self::stop::{TaskStop, TaskStopResult};
pub(crate) use self::task::Task;
pub use self::task::TaskKind;
