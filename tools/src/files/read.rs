//! `Read`: shows a text file with line numbers or a notebook cell by cell, and remembers it; shows a picture.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright::contract::{FileSeen, FilesSeen, Limits};
use toolwright::prelude::*;

use crate::one_line::path_line;

use super::excerpt::{Excerpt, Wanted};
use super::load::{LoadError, Loaded, take};
use super::notebook::{Notebook, NotebookFile, is_notebook};
use super::picture::{ImageFile, is_picture};
use super::text::numbered;

/// Reads a file and shows it with line numbers, as `cat -n` does.
///
/// Up to 2,000 lines are shown from the beginning unless `offset` or `limit` say otherwise; a very long line is cut.
/// Of a notebook (`.ipynb`), its cells and what they wrote are shown; a picture is shown as it is. Other files than
/// text are refused. Several files can be read at once by several
/// calls. A file must be read before Edit or Write may change it.
#[tool(
    read_only,
    concurrency_safe,
    always_load,
    max_result_chars = unlimited,
    search_hint = "read, view or show a file"
)]
pub struct Read {
    /// Path of the file, absolute or relative to the working directory.
    file_path: PathBuf,
    /// First line to show, counted from 1, or first cell of a notebook; for files that are too large to show whole.
    offset: Option<u64>,
    /// How many lines to show, or cells of a notebook; for files that are too large to show whole.
    limit: Option<u64>,
    /// Pages of a PDF file to show, such as `1-5`. PDF files cannot be read yet.
    pages: Option<String>,
}

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

impl Tool for Read {
    type Output = ReadOutput;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Read(cx.absolute(&self.file_path)))
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        if self.pages.as_ref().is_some_and(|pages| !pages.trim().is_empty()) {
            return Err(InvalidInput::new(
                "`pages` is for PDF files, which cannot be read yet: leave it out",
            ));
        }
        if self.limit == Some(0) {
            return Err(InvalidInput::new(
                "`limit` is 0, which would show nothing: give at least 1 or leave it out",
            ));
        }
        Ok(())
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<ReadOutput, ToolError> {
        let path = cx.absolute(&self.file_path);
        if let Some(refusal) = not_yet(&path) {
            return Err(ToolError::new(refusal));
        }
        let place = cx.decided_place(&path).map_err(LoadError::io(&path))?;
        let range = Range::new(self.offset, self.limit);
        let request = Request { path, range, limits: cx.limits().clone(), files: cx.files().clone() };
        cx.env().blocking(move || request.read(&place)).await?
    }

    fn result_content(data: &ReadOutput) -> Content {
        match data {
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
        }
    }

    fn description(&self) -> String {
        format!("Read {}", path_line(&self.file_path))
    }

    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed("Read")
    }

    fn render_result(data: &ReadOutput) -> Vec<String> {
        vec![match data {
            ReadOutput::FileUnchanged { .. } => "nothing has changed".to_owned(),
            ReadOutput::Text { file } => plural(file.num_lines, "line"),
            ReadOutput::Image { file } => {
                format!("read a picture of {} by {} pixels", file.dimensions.width, file.dimensions.height)
            }
            ReadOutput::Notebook { file } => plural(file.cells.len(), "cell"),
        }]
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

/// The lines that were asked for, or the cells.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: usize,
    /// How many, where it was said.
    count: Option<usize>,
    /// Whether any of it was said.
    is_said: bool,
}

impl Range {
    fn new(offset: Option<u64>, limit: Option<u64>) -> Range {
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Range {
            first: offset.map_or(1, size).max(1),
            count: limit.map(size),
            is_said: offset.is_some() || limit.is_some(),
        }
    }
}

/// What is asked of a file, and what may be shown of it.
struct Request {
    path: PathBuf,
    range: Range,
    limits: Limits,
    files: FilesSeen,
}

impl Request {
    fn read(self, place: &Path) -> Result<ReadOutput, ToolError> {
        if is_picture(&self.path) {
            let image = ImageFile::of(&take(place)?.0);
            return image.map(|file| ReadOutput::Image { file }).map_err(|error| self.refused(error));
        }
        let loaded = Loaded::from_place(place)?;
        if is_notebook(&self.path) {
            self.notebook(&loaded).map(|file| ReadOutput::Notebook { file })
        } else {
            self.text(&loaded)
        }
    }

    fn text(self, loaded: &Loaded) -> Result<ReadOutput, ToolError> {
        self.check_size(loaded.content.len())?;
        let lines_max = self.range.count.unwrap_or(self.limits.read_lines_max);
        let shown = Some((self.range.first, lines_max));
        if let Some(seen) = self.files.get(&loaded.path)
            && seen.shown == shown
            && seen.content == loaded.content
        {
            // Only once: the agent may have lost what it was shown, or may never have got it.
            self.files.put(&loaded.path, FileSeen { shown: None, ..seen });
            return Ok(ReadOutput::FileUnchanged { file: UnchangedFile { file_path: self.path } });
        }
        let wanted = Wanted {
            first: self.range.first,
            lines_max,
            bytes_max: usize::try_from(self.limits.read_bytes_max).unwrap_or(usize::MAX),
        };
        let part = Excerpt::of(&loaded.content, wanted);
        self.check_end(part.shown, part.total, "lines")?;
        self.files.put(&loaded.path, FileSeen { shown, ..loaded.seen(part.is_whole()) });
        let file = TextFile {
            file_path: self.path,
            content: part.content,
            num_lines: part.shown,
            start_line: self.range.first,
            total_lines: part.total,
        };
        Ok(ReadOutput::Text { file })
    }

    fn notebook(self, loaded: &Loaded) -> Result<NotebookFile, ToolError> {
        let notebook = Notebook::parse(&loaded.content).map_err(|error| self.refused(error))?;
        let count = self.range.count.unwrap_or(usize::MAX);
        let file = notebook.show(self.path.clone(), self.range.first, count);
        self.check_end(file.cells.len(), file.total_cells, "cells")?;
        let text_bytes = file.text_bytes();
        if text_bytes as u64 > self.limits.read_bytes_max && file.cells.len() > 1 {
            return Err(ToolError::new(format!(
                "the cells of `{}` have {text_bytes} bytes of text, more than the {} that can be shown at once: give \
                 `offset` and `limit`, counted in cells, to read a part",
                self.path.display(),
                self.limits.read_bytes_max
            )));
        }
        self.files.put(&loaded.path, loaded.seen(file.cells.len() == file.total_cells));
        Ok(file)
    }

    fn refused(&self, error: impl std::fmt::Display) -> ToolError {
        ToolError::new(format!("`{}` {error}", self.path.display()))
    }

    /// Refuses a text that is too large to show whole, unless a part is asked for.
    fn check_size(&self, bytes: usize) -> Result<(), ToolError> {
        if self.range.is_said || bytes as u64 <= self.limits.read_bytes_max {
            return Ok(());
        }
        Err(ToolError::new(format!(
            "`{}` has {bytes} bytes, more than the {} that can be shown at once: give `offset` and `limit` to read a part, \
             or search it",
            self.path.display(),
            self.limits.read_bytes_max
        )))
    }

    /// Refuses a part that begins behind the end.
    fn check_end(&self, shown: usize, total: usize, what: &str) -> Result<(), ToolError> {
        if shown > 0 || total == 0 {
            return Ok(());
        }
        Err(ToolError::new(format!(
            "`offset` {} is past the end of `{}`, which has {total} {what}: give a smaller one",
            self.range.first,
            self.path.display()
        )))
    }
}

/// Why a file of this kind cannot be read yet, told by its name.
fn not_yet(path: &Path) -> Option<String> {
    let is_pdf = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf"));
    let advice = "PDF files cannot be read yet; `pdftotext` may take the text out of it";
    (is_pdf && path.exists()).then(|| format!("`{}`: {advice}", path.display()))
}
