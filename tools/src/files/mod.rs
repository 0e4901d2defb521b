//! The tools for files: Read, Write, Edit, NotebookEdit, Glob and Grep, and what they share.

mod atomic;
mod edit;
mod excerpt;
mod fresh;
mod glob;
mod grep;
mod load;
mod nearest;
mod notebook;
mod patch;
mod picture;
mod place;
mod read;
mod replacement;
mod search;
mod text;
mod write;

pub use self::edit::{Edit, EditOutput};
pub use self::glob::{Glob, GlobOutput};
pub use self::grep::{Grep, GrepOutput, OutputMode};
pub use self::notebook::{
    EditMode, NewCell, NotebookEdit, NotebookEditOutput, NotebookFile, ShownCell, ShownImage, ShownOutput,
};
pub use self::patch::Hunk;
pub use self::picture::{Dimensions, ImageFile};
#[cfg(feature = "monitor")]
pub(crate) use self::place::open as open_place;
pub use self::read::{Read, ReadOutput, TextFile, UnchangedFile};
pub use self::write::{Write, WriteKind, WriteOutput};
