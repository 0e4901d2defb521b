//! `Read`: shows a text file with line numbers or a notebook cell by cell, and remembers it; shows a picture, and pages of
//! a PDF file.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use toolwright::contract::{FileSeen, FilesSeen, Limits};
use toolwright::prelude::*;

use crate::one_line::path_line;

use super::excerpt::{Excerpt, Wanted};
use super::load::{FILE_BYTES_MAX, LoadError, Loaded, take};
use super::notebook::{Notebook, NotebookFile, is_notebook};
use super::pdf::{BadPages, PDF_BYTES_MAX, Pages, PdfLimits, PdfParts, is_pdf};
use super::picture::{ImageFile, is_picture};
use super::place::check_length;
use super::stop::Stop;

pub use super::shown::{ReadOutput, TextFile, UnchangedFile};

/// How many bytes a notebook may have: pictures in it take many.
const NOTEBOOK_BYTES_MAX: u64 = 100 * 1024 * 1024;

/// Reads a file and shows it with line numbers, as `cat -n` does.
///
/// Up to 2,000 lines are shown from the beginning unless `offset` or `limit` say otherwise; a very long line is cut.
/// Of a notebook (`.ipynb`), its cells and what they wrote are shown; of a PDF file, the text of its pages; a picture is
/// shown as it is. Other files than text are refused. Several files can be read at once by several calls. A file must be
/// read before Edit or Write may change it.
#[tool(
    read_only,
    concurrency_safe,
    always_load,
    max_result_chars = unlimited,
    search_hint = "read, view or show a file",
    examples = [
        r#"{"file_path": "src/main.rs"}"#,
        r#"{"file_path": "logs/build.log", "offset": 40, "limit": 20}"#,
        r#"{"file_path": "docs/manual.pdf", "pages": "2-3"}"#
    ]
)]
pub struct Read {
    /// Path of the file, absolute or relative to the working directory.
    file_path: PathBuf,
    /// First line to show, counted from 1, or first cell of a notebook; for files that are too large to show whole.
    offset: Option<u64>,
    /// How many lines to show, or cells of a notebook; for files that are too large to show whole.
    limit: Option<u64>,
    /// Pages of a PDF file to show, such as `3` or `1-5`, at most 20 at once; needed for a file of more than 10 pages.
    pages: Option<String>,
}

impl Tool for Read {
    type Output = ReadOutput;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Read(cx.absolute(&self.file_path)))
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        check_length(&self.file_path)?;
        if self.limit == Some(0) {
            return Err(InvalidInput::new(
                "`limit` is 0, which would show nothing: give at least 1 or leave it out",
            ));
        }
        let pages = self.pages().map_err(|bad| InvalidInput::new(bad.to_string()))?;
        let has_lines = self.offset.is_some() || self.limit.is_some();
        match (is_pdf(&self.file_path), pages, has_lines) {
            (false, Some(_), _) => Err(InvalidInput::new(
                "`pages` is for PDF files: leave it out, and give `offset` and `limit` to read a part",
            )),
            (true, _, true) => Err(InvalidInput::new(
                "a PDF file is read by pages: give `pages`, such as `1-5`, in place of `offset` and `limit`",
            )),
            _sensible => Ok(()),
        }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<ReadOutput, ToolError> {
        let path = cx.absolute(&self.file_path);
        let place = cx.decided_place(&path).map_err(LoadError::io(&path))?;
        let range = Range::new(self.offset, self.limit);
        let pages = self.pages().map_err(|bad| ToolError::new(bad.to_string()))?;
        let stop = Stop::new(cx.env().clone(), cx.cancellation().clone());
        let request =
            Request { path, range, pages, limits: cx.limits().clone(), files: cx.files().clone(), stop };
        cx.env().blocking(move || request.read(&place)).await?
    }

    fn result_content(data: &ReadOutput) -> Content {
        data.content()
    }

    fn description(&self) -> String {
        format!("Read {}", path_line(&self.file_path))
    }

    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed("Read")
    }

    fn render_result(data: &ReadOutput) -> Vec<String> {
        vec![data.line()]
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

impl Read {
    /// The pages that were asked for. An empty text asks for none.
    fn pages(&self) -> Result<Option<Pages>, BadPages> {
        let said = self.pages.as_deref().map(str::trim).filter(|pages| !pages.is_empty());
        said.map(Pages::parse).transpose()
    }
}

/// What is asked of a file, and what may be shown of it.
struct Request {
    path: PathBuf,
    range: Range,
    pages: Option<Pages>,
    stop: Stop,
    limits: Limits,
    files: FilesSeen,
}

impl Request {
    fn read(self, place: &Path) -> Result<ReadOutput, ToolError> {
        if is_picture(&self.path) {
            let image = ImageFile::of(&take(place, FILE_BYTES_MAX)?.0);
            return image.map(|file| ReadOutput::Image { file }).map_err(|error| self.refused(error));
        }
        if is_pdf(&self.path) {
            return self.pdf(take(place, PDF_BYTES_MAX)?.0).map(|file| ReadOutput::Parts { file });
        }
        if is_notebook(&self.path) {
            let loaded = Loaded::within(place, NOTEBOOK_BYTES_MAX)?;
            return self.notebook(&loaded).map(|file| ReadOutput::Notebook { file });
        }
        self.text(&Loaded::from_place(place)?)
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
        // A larger one cannot be changed, and would take the place of all the others that were read.
        if loaded.content.len() as u64 <= FILE_BYTES_MAX {
            self.files.put(&loaded.path, loaded.seen(file.cells.len() == file.total_cells));
        }
        Ok(file)
    }

    fn pdf(self, bytes: Vec<u8>) -> Result<PdfParts, ToolError> {
        let limits = PdfLimits {
            text_bytes_max: usize::try_from(self.limits.read_bytes_max).unwrap_or(usize::MAX),
            stop: &self.stop,
        };
        PdfParts::read(self.path.clone(), bytes, self.pages, limits).map_err(|error| self.refused(error))
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
