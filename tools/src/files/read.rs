//! `Read`: shows a text file with line numbers, and remembers it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright::contract::{FilesSeen, Limits};
use toolwright::prelude::*;

use crate::one_line::path_line;

use super::excerpt::{Excerpt, Wanted};
use super::load::{LoadError, Loaded};
use super::text::numbered;

/// Reads a text file and shows it with line numbers, as `cat -n` does.
///
/// Up to 2,000 lines are shown from the beginning unless `offset` or `limit` say otherwise; a very long line is cut.
/// Files with other content than text, such as images, are refused. Several files can be read at once by several
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
    /// First line to show, counted from 1; for files that are too large to show whole.
    offset: Option<u64>,
    /// How many lines to show; for files that are too large to show whole.
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
        let (range, limits) = (Range::new(self.offset, self.limit), cx.limits().clone());
        let files = cx.files().clone();
        let read = cx.env().blocking(move || read(path, &place, range, &limits, &files)).await?;
        read.map(|file| ReadOutput::Text { file })
    }

    fn result_content(data: &ReadOutput) -> Content {
        let ReadOutput::Text { file } = data;
        if file.total_lines == 0 {
            return format!("(`{}` exists and is empty)", file.file_path.display()).into();
        }
        let mut text = numbered(file.content.split('\n'), file.start_line);
        let next = file.start_line + file.num_lines;
        if next <= file.total_lines {
            text.push_str(&format!(
                "\n\n(lines {} to {} of {}; go on with offset {next})",
                file.start_line,
                next - 1,
                file.total_lines
            ));
        }
        text.into()
    }

    fn description(&self) -> String {
        format!("Read {}", path_line(&self.file_path))
    }

    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed("Read")
    }

    fn render_result(data: &ReadOutput) -> Vec<String> {
        let ReadOutput::Text { file } = data;
        vec![match file.num_lines {
            1 => "read 1 line".to_owned(),
            lines => format!("read {lines} lines"),
        }]
    }
}

/// The lines that were asked for.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: usize,
    /// How many, where it was said.
    lines: Option<usize>,
    /// Whether any of it was said.
    is_said: bool,
}

impl Range {
    fn new(offset: Option<u64>, limit: Option<u64>) -> Range {
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Range {
            first: offset.map_or(1, size).max(1),
            lines: limit.map(size),
            is_said: offset.is_some() || limit.is_some(),
        }
    }
}

fn read(
    path: PathBuf,
    place: &Path,
    range: Range,
    limits: &Limits,
    files: &FilesSeen,
) -> Result<TextFile, ToolError> {
    let loaded = Loaded::from_place(place)?;
    let bytes = loaded.content.len() as u64;
    if !range.is_said && bytes > limits.read_bytes_max {
        return Err(ToolError::new(format!(
            "`{}` has {bytes} bytes, more than the {} that can be shown at once: give `offset` and `limit` to read a part, \
             or search it",
            path.display(),
            limits.read_bytes_max
        )));
    }
    let wanted = Wanted {
        first: range.first,
        lines_max: range.lines.unwrap_or(limits.read_lines_max),
        bytes_max: usize::try_from(limits.read_bytes_max).unwrap_or(usize::MAX),
    };
    let part = Excerpt::of(&loaded.content, wanted);
    if part.shown == 0 && part.total > 0 {
        return Err(ToolError::new(format!(
            "`offset` {} is past the end of `{}`, which has {} lines: give a smaller one",
            range.first,
            path.display(),
            part.total
        )));
    }
    files.put(&loaded.path, loaded.seen(part.is_whole()));
    Ok(TextFile {
        file_path: path,
        content: part.content,
        num_lines: part.shown,
        start_line: range.first,
        total_lines: part.total,
    })
}

/// Why a file of this kind cannot be read yet, told by its name.
fn not_yet(path: &Path) -> Option<String> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let (kind, advice) = match ending.as_str() {
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "bmp" | "tiff" | "ico" => {
            ("images", "`file` tells its size")
        }
        "pdf" => ("PDF files", "`pdftotext` may take the text out of it"),
        "ipynb" => ("notebooks", "take parts of it with `jq` or `grep`"),
        _other => return None,
    };
    path.exists().then(|| format!("`{}`: {kind} cannot be read yet; {advice}", path.display()))
}
