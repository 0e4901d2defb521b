//! Reads the recordings that people have.
//!
//! What a file is is judged by its content, never by its name. Nothing is dropped in silence: whatever had
//! to be mended or left out is in [`Imported::repairs`]. Importing runs no tool and knows nothing of the
//! runtime.

mod claude_code;
mod detect;
mod error;
mod format;
mod open;
#[cfg(test)]
mod tests;

pub use crate::transcript::{Repair, RepairKind};
pub use error::ImportError;
pub use format::Format;
pub use open::{FILE_BYTES_MAX, Imported, read_bytes, read_path};
