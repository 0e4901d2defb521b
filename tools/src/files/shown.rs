//! What Read gives back, and how a model and a person see it.

use std::path::PathBuf;

use serde::Serialize;
use toolwright::message::Content;

use super::notebook::NotebookFile;
use super::pdf::PdfParts;
use super::picture::ImageFile;
use super::text::numbered;

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReadOutput {
    /// A part of a text file, or all of it.
    Text {
        /// The part.
        file: TextFile,
    },
    /// The same part of a text file as before, in which nothing changed.
    FileUnchanged {
        /// The file.
        file: UnchangedFile,
    },
    /// A picture.
    Image {
        /// The picture.
        file: ImageFile,
    },
    /// Cells of a notebook.
    Notebook {
        /// The cells.
        file: NotebookFile,
    },
    /// Pages of a PDF file.
    Parts {
        /// The pages.
        file: PdfParts,
    },
}

/// A part of a text file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextFile {
    /// The absolute path.
    pub file_path: PathBuf,
    /// The lines shown, without numbers.
    pub content: String,
    /// How many lines are shown.
    pub num_lines: usize,
    /// The 1-based line that is shown first.
    pub start_line: usize,
    /// How many lines the file has.
    pub total_lines: usize,
}

/// A text file in which nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnchangedFile {
    /// The absolute path.
    pub file_path: PathBuf,
}

impl ReadOutput {
    /// What the model reads of it.
    pub(super) fn content(&self) -> Content {
        match self {
            ReadOutput::Text { file } => file.to_text().into(),
            ReadOutput::FileUnchanged { file } => format!(
                "`{}` has not changed since it was shown to you; if you do not have that any more, read it once more",
                file.file_path.display()
            )
            .into(),
            ReadOutput::Image { file } => Content::Blocks(file.blocks()),
            ReadOutput::Notebook { file } if file.total_cells == 0 => {
                format!("(`{}` is a notebook without cells)", file.file_path.display()).into()
            }
            ReadOutput::Notebook { file } => Content::Blocks(file.blocks()),
            ReadOutput::Parts { file } => file.to_text().into(),
        }
    }

    /// What a person sees of it.
    pub(super) fn line(&self) -> String {
        match self {
            ReadOutput::FileUnchanged { .. } => "nothing has changed".to_owned(),
            ReadOutput::Text { file } => plural(file.num_lines, "line"),
            ReadOutput::Image { file } => {
                format!("read a picture of {} by {} pixels", file.dimensions.width, file.dimensions.height)
            }
            ReadOutput::Notebook { file } => plural(file.cells.len(), "cell"),
            ReadOutput::Parts { file } => plural(file.count, "page"),
        }
    }
}

fn plural(number: usize, what: &str) -> String {
    format!("read {number} {what}{}", if number == 1 { "" } else { "s" })
}

impl TextFile {
    /// Its lines, numbered, and where to go on.
    fn to_text(&self) -> String {
        if self.total_lines == 0 {
            return format!("(`{}` exists and is empty)", self.file_path.display());
        }
        let mut text = numbered(self.content.split('\n'), self.start_line);
        let next = self.start_line + self.num_lines;
        if next <= self.total_lines {
            text.push_str(&format!(
                "\n\n(lines {} to {} of {}; go on with offset {next})",
                self.start_line,
                next - 1,
                self.total_lines
            ));
        }
        text
    }
}
