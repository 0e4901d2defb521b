//! The query loop: ask the model, run its calls, feed back the results, until there are no calls.
//!
//! The loop executes and feeds back and knows nothing of tasks: everything is a tool.

mod answer;
mod model;
mod run;
mod step;
mod streamed;

pub use self::answer::{BlockKind, Delta, ModelError, ModelErrorKind, ModelEvent, StopReason, Usage};
pub use self::model::{Model, ModelStream, PromptCache, Request, Scripted};
pub use self::run::{Budget, End, Spent};
pub use self::step::Step;
pub use self::streamed::{ModelSender, blocks, channel, events, failed};
