//! Jupyter notebooks, formats 2 to 4: reading their cells, showing them, and changing one without touching the rest.

mod cells;
mod change;
mod layout;
mod shown;
mod tool;

use std::path::Path;

pub use self::shown::{NotebookFile, ShownCell, ShownImage, ShownOutput};
pub use self::tool::{EditMode, NewCell, NotebookEdit, NotebookEditOutput};

pub(super) use self::cells::Notebook;

/// Whether a path is named like a notebook.
pub(super) fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ipynb"))
}
