//! The tools for files, a module each, and what they share.

pub(crate) mod atomic;
pub mod edit;
mod excerpt;
mod far;
pub(crate) mod fresh;
pub mod glob;
pub mod grep;
pub(crate) mod kept;
pub(crate) mod load;
mod names;
mod nearest;
pub mod notebook;
pub(crate) mod patch;
mod pdf;
mod picture;
mod place;
pub mod read;
pub(crate) mod replacement;
mod search;
mod shown;
mod stop;
pub(crate) mod text;
pub mod write;

pub use self::far::SearchProgress;
pub use self::patch::Hunk;
pub use self::pdf::{PdfPage, PdfParts};
pub use self::picture::{Dimensions, ImageFile};
#[cfg(feature = "monitor")]
pub(crate) use self::place::{check_length, open as open_place};
