//! The query loop: ask the model, run its calls, feed back the results, until there are no calls.
//!
//! The loop executes and feeds back and knows nothing of tasks: everything is a tool.

mod model;
mod run;
mod step;

pub use self::model::{Model, ModelError, ModelEvent, ModelStream, Request, Scripted};
pub use self::run::{Budget, End, Spent};
pub use self::step::Step;
