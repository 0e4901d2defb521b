//! The tools for files: Read, Write, Edit, NotebookEdit, Glob and Grep, and what they share.

pub(crate) mod atomic;
mod edit;
mod excerpt;
pub(crate) mod fresh;
mod glob;
mod grep;
pub(crate) mod load;
mod nearest;
mod notebook;
mod patch;
mod picture;
mod place;
mod read;
mod replacement;
mod search;
pub(crate) mod text;
mod write;

pub use self::edit::{Edit, EditOutput};
pub use self::glob::{Glob, GlobOutput};
pub use self::grep::{Grep, GrepOutput, OutputMode};
pub use self::notebook::{
    EditMode, NewCell, NotebookEdit, NotebookEditOutput, NotebookFile, ShownCell, ShownImage, ShownOutput,
};
pub use self::patch::Hunk;
pub use self::picture::{Dimensions, ImageFile};
pub use self::read::{Read, ReadOutput, TextFile, UnchangedFile};
pub use self::write::{Write, WriteKind, WriteOutput};
