//! The tools for files: Read, Write, Edit, NotebookEdit, Glob and Grep, and what they share.

pub(crate) mod atomic;
mod edit;
mod excerpt;
mod far;
pub(crate) mod fresh;
mod glob;
mod grep;
pub(crate) mod kept;
pub(crate) mod load;
mod names;
mod nearest;
mod notebook;
pub(crate) mod patch;
mod pdf;
mod picture;
mod place;
mod read;
pub(crate) mod replacement;
mod search;
mod shown;
mod stop;
pub(crate) mod text;
mod write;

pub use self::edit::{Edit, EditOutput};
pub use self::far::SearchProgress;
pub use self::glob::{Glob, GlobOutput};
pub use self::grep::{Grep, GrepOutput, OutputMode};
pub use self::notebook::{
    EditMode, NewCell, NotebookEdit, NotebookEditOutput, NotebookFile, ShownCell, ShownImage, ShownOutput,
};
pub use self::patch::Hunk;
pub use self::pdf::{PdfPage, PdfParts};
pub use self::picture::{Dimensions, ImageFile};
#[cfg(feature = "monitor")]
pub(crate) use self::place::open as open_place;
pub use self::read::Read;
pub use self::shown::{ReadOutput, TextFile, UnchangedFile};
pub use self::write::{Write, WriteKind, WriteOutput};
