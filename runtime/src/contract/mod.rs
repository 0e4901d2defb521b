//! The contract between a tool and the framework: what a tool says of itself, what it is given, what it gives back.
//!
//! A tool is typed outside ([`Tool`]) and erased inside ([`ErasedTool`], [`ErasedCall`], [`ErasedOutput`]): the pool
//! holds tools of any type, and a call exists only once its input has been parsed.

mod chain;
mod context;
mod effects;
mod erased;
mod error;
mod files_seen;
mod form;
mod hidden;
mod registered;
mod reply;
mod sandbox;
mod tool;

pub use self::chain::{ChainLink, QueryChain};
pub(crate) use self::context::TurnFacts;
pub use self::context::{CallContext, Context, Cx, Limits, Mirror, SessionFacts};
pub use self::effects::{Effect, Effects, EffectsContext};
pub(crate) use self::effects::{absolute, normal};
pub(crate) use self::erased::first_lines;
pub use self::erased::{Converted, ErasedCall, ErasedOutput, ErasedTool, Origin, Parsed};
pub use self::error::{InvalidInput, ToolError};
pub use self::files_seen::{FileSeen, FilesSeen};
pub use self::form::{Coerce, DefaultPermission, Field, Flags, Form, InterruptBehavior, ResultLimit};
#[doc(hidden)]
pub use self::hidden::{Blank, FromState, Internal, ReadInternal, RefuseInternal, no_internal};
pub use self::registered::{Registered, Stateless};
pub use self::reply::{ContextChange, IntoReply, Reply};
pub use self::sandbox::SandboxPolicy;
pub use self::tool::{Opinion, Tool, ToolForm};
