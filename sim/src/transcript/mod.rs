//! The project's own form of a recorded session, and the file it is kept in (`*.twt.jsonl`).
//!
//! A [`Transcript`] is what a replay needs of a session: the turns in which the model called tools, the
//! calls as recorded, how each ended, and the times as far as they are known. It knows nothing of the
//! runtime and nothing of other people's formats; those are read by [`crate::import`], which shares the
//! reader of JSON lines and the [`Repair`] notes of this room.

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
