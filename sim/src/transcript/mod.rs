//! The project's own form of a recorded session, and the file it is kept in (`*.twt.jsonl`).
//!
//! A [`Transcript`] is what a replay needs of a session: the turns in which the model called tools, the
//! calls as recorded, how each ended, and the times as far as they are known. It knows nothing of the
//! runtime and nothing of other people's formats; those are read by [`crate::import`], which shares the
//! reader of JSON lines and the [`Repair`] notes of this room.
//!
//! # The format
//!
//! A JSON object a line, in UTF-8. What is marked by `?` may be left out; times are whole milliseconds, and one that is
//! not known is left out. Whatever else stands in a file is left out and told as a repair.
//!
//! | `type` | fields |
//! |---|---|
//! | `header` | `version` (1), `cwd?`; of programs `source? {format?, tool_version?, session?, started_at?}` and `counts? {…}` |
//! | `turn` | `id`, `model?`, `mode?` (the permission mode), `prompt?` (what the person said before it), `text?` (what the model said beside its calls), `think_ms?` |
//! | `tool_use` | `turn` (its `id`), `id`, `name`, `input` (JSON) or `input_text` (what the model wrote that is no JSON), `arrived_ms?` (after the first call of its turn) |
//! | `tool_result` | `id` (of its call), `content` (a text, or a list of blocks), `is_error?`, `service_ms?` (how long the call took by itself), `ended_ms?` (after the first call of its turn), `allowed? {by, rule?, source?}` (who let it run, where it was no person) |
//! | `permission` | of a call that did not run, in place of a result: `id`, `decision` (`denied`, `rejected` by a person, `cancelled`), `text` (what the model was told), `by?` (of `denied` alone, which must have it: `rule`, `mode`, `hook`, `classifier`), `feedback?` (what the person said), `service_ms?`, `ended_ms?` |
//! | `end` | `turns` and `calls` (how many there are), `counts? {…}` |
//!
//! A turn stands before its calls, and a call before what came of it. A call without a `tool_result` or `permission` line
//! is unanswered (its times, if it has any, stand on its own line). Programs write `source`, and `end` as the last line, so
//! that a file that was cut off is noticed; a recording written by hand needs neither as long as each call is answered:
//!
//! ```
//! let by_hand = r#"
//! {"type":"header","version":1}
//! {"type":"turn","id":"t1","prompt":"How many bolts are there?"}
//! {"type":"tool_use","turn":"t1","id":"c1","name":"Stock","input":{"thing":"bolts"}}
//! {"type":"tool_result","id":"c1","content":"40"}
//! "#;
//! let (transcript, repairs) = toolwright_sim::transcript::read(by_hand.as_bytes())?;
//! assert_eq!((transcript.calls().count(), repairs.len()), (1, 0));
//! # Ok::<(), toolwright_sim::transcript::ReadError>(())
//! ```

mod history;
mod json;
pub(crate) mod lines;
mod model;
mod open_call;
mod outcome;
mod read;
mod record;
mod recording;
mod repair;
#[cfg(test)]
mod tests;
mod write;

pub use history::{History, history};
pub use json::{Json, JsonError};
pub(crate) use model::UNNAMED;
pub use model::{
    Allowed, Call, Content, DeniedBy, FileCounts, Header, Input, Outcome, Source, Transcript, Turn, VERSION,
};
pub(crate) use outcome::content;
pub use read::{ReadError, read};
pub use recording::Recording;
pub(crate) use repair::Repairs;
pub use repair::{Repair, RepairKind};
pub use write::{to_text, write};
