//! What happened, as typed events: the one stream that the simulator, reports and telemetry read.
//!
//! The same calls and steps are [`tracing`] spans.
//!
//! Checkers read events and never state, so an event is emitted where the thing it tells of happens, at the latest.

mod digest;
mod kind;
mod sink;
pub(crate) mod span;

pub use self::digest::{Digest, SentTools};
pub use self::kind::{Decided, Event, Outcome, Refusal, Verdict};
pub use self::sink::{EventSink, Recorder, Stamped};
pub use crate::hooks::HookStage;
