//! The six steps of one call, each a type that only the step before can build.
//!
//! ```text
//! ToolUse ─ parse ▶ ParsedCall ─ validate ▶ ValidCall ─ pre-hooks ▶ HookedCall ─ permission ▶ PermittedCall
//!                                                                    ─ call ▶ Output ─ post-hooks, map ▶ Completion
//! ```
//!
//! Each step may end the call with a result instead. There is no other way to run a tool.

mod body;
mod call;
mod completion;
mod explain;
mod granted;
mod guarded;
mod hooked;
mod judged;
mod map;
mod parsed;
mod permitted;
mod run;
mod seen;
mod store;
mod valid;

pub use self::body::{Body, BodyResult, BodySource, Stand};
pub(crate) use self::completion::CallWork;
pub use self::completion::Completion;
pub use self::explain::NotExplained;
pub(crate) use self::explain::explain;
pub(crate) use self::parsed::{Planned, plan_call};
pub(crate) use self::run::{Services, run};
pub use self::store::{FolderStore, ResultStore};
