//! Reads the recordings that people have.
//!
//! What a file is is judged by its content, never by its name. Nothing is dropped in silence: whatever had
//! to be mended or left out is in [`Imported::repairs`]. Importing runs no tool and knows nothing of the
//! runtime.

mod claude_code;
mod codex;
mod detect;
mod error;
mod format;
mod gather;
mod gemini;
mod inspect;
mod log;
mod object;
mod open;
mod redact;
mod shape;
mod spoken;
mod swe_agent;
#[cfg(test)]
mod tests;
mod timing;
mod unread;
mod whole;

pub use crate::transcript::{Repair, RepairKind};
pub use error::ImportError;
pub use format::{Format, UnknownFormat};
pub use open::{
    FILE_BYTES_MAX, Imported, LINE_BYTES_MAX, read_bytes, read_bytes_as, read_path, read_path_as,
};
pub use redact::{Redacted, redact};
