//! `Read`: shows a text file with line numbers or a notebook cell by cell, and remembers it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright::contract::{FilesSeen, Limits};
use toolwright::prelude::*;

use crate::one_line::path_line;

use super::excerpt::{Excerpt, Wanted};
use super::load::{LoadError, Loaded};
use super::notebook::{Notebook, NotebookFile, is_notebook};
use super::text::numbered;

/// Reads a file and shows it with line numbers, as `cat -n` does.
///
/// Up to 2,000 lines are shown from the beginning unless `offset` or `limit` say otherwise; a very long line is cut.
/// Of a notebook (`.ipynb`), its cells and what they wrote are shown. Other files than text are refused. Several files can be read at once by several
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
            ReadOutput::Text { file } => plural(file.num_lines, "line"),
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
        let loaded = Loaded::from_place(place)?;
        if is_notebook(&self.path) {
            self.notebook(&loaded).map(|file| ReadOutput::Notebook { file })
        } else {
            self.text(&loaded).map(|file| ReadOutput::Text { file })
        }
    }

    fn text(self, loaded: &Loaded) -> Result<TextFile, ToolError> {
        self.check_size(loaded.content.len())?;
        let wanted = Wanted {
            first: self.range.first,
            lines_max: self.range.count.unwrap_or(self.limits.read_lines_max),
            bytes_max: usize::try_from(self.limits.read_bytes_max).unwrap_or(usize::MAX),
        };
        let part = Excerpt::of(&loaded.content, wanted);
        self.check_end(part.shown, part.total, "lines")?;
        self.files.put(&loaded.path, loaded.seen(part.is_whole()));
        Ok(TextFile {
            file_path: self.path,
            content: part.content,
            num_lines: part.shown,
            start_line: self.range.first,
            total_lines: part.total,
        })
    }

    fn notebook(self, loaded: &Loaded) -> Result<NotebookFile, ToolError> {
        let notebook = Notebook::parse(&loaded.content)
            .map_err(|error| ToolError::new(format!("`{}` {error}", self.path.display())))?;
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
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let (kind, advice) = match ending.as_str() {
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "bmp" | "tiff" | "ico" => {
            ("images", "`file` tells its size")
        }
        "pdf" => ("PDF files", "`pdftotext` may take the text out of it"),
        _other => return None,
    };
    path.exists().then(|| format!("`{}`: {kind} cannot be read yet; {advice}", path.display()))
}
