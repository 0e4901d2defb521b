//! What a model and the runtime say to each other: turns of tool uses, and the results that answer them.
//!
//! Inputs stay the raw text that the model wrote until the schema room parses them, so that what was sent can always
//! be shown, and text that is not JSON is an ordinary error of one call.

mod block;
mod content;
mod input;
mod repair;
mod turn;

pub use self::block::{Block, Message, Role};
pub use self::content::Content;
pub use self::input::RawInput;
pub use self::repair::{Repair, RepairKind};
pub use self::turn::{CallId, ToolResult, ToolUse, Turn, TurnId};
