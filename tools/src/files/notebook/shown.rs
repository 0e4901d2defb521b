//! What a model sees of a notebook: the text of its cells, and what they wrote.

use std::fmt::Write as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::files::picture::{self, ImageFile};

use super::cells::{Cell, CellKind, Notebook, joined, joined_value};

/// How many characters of one output are shown.
const OUTPUT_CHARS_MAX: usize = 10_000;
/// How many characters the encoding of one image may have.
const IMAGE_CHARS_MAX: usize = 5 * 1024 * 1024;
/// How many images are shown of one notebook.
const IMAGES_MAX: usize = 20;

/// Some of a notebook's cells, or all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotebookFile {
    /// The absolute path.
    pub file_path: PathBuf,
    /// The cells shown.
    pub cells: Vec<ShownCell>,
    /// Which cell is shown first, counted from 1.
    pub start_cell: usize,
    /// How many cells the notebook has.
    pub total_cells: usize,
}

/// A cell as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownCell {
    /// What to call it in a change: its identifier, or `cell-` and its number from 0.
    pub cell_id: String,
    /// What it is, such as `code` or `markdown`.
    pub cell_type: String,
    /// Its text.
    pub source: String,
    /// What a program is written in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// As which it was run last, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_count: Option<u64>,
    /// What it wrote when it was run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<ShownOutput>,
}

/// Something that a cell wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownOutput {
    /// What it is: `stream`, `execute_result`, `display_data`, `error`, or the older names of these.
    pub output_type: String,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<ShownImage>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownImage {
    /// Its bytes in base64.
    pub image_data: String,
    /// Its kind, such as `image/png`.
    pub media_type: String,
}

impl Notebook<'_> {
    /// Shows so many cells from one on, counted from 1.
    pub(in crate::files) fn show(&self, file_path: PathBuf, first: usize, cells_max: usize) -> NotebookFile {
        let shown = self.cells.iter().enumerate().skip(first - 1).take(cells_max);
        let mut cells: Vec<ShownCell> = shown.map(|(at, cell)| self.show_cell(at, cell)).collect();
        let outputs = cells.iter_mut().flat_map(|cell| &mut cell.outputs);
        for output in outputs.filter(|output| output.image.is_some()).skip(IMAGES_MAX) {
            output.image = None;
            output.add(&format!("[a picture that is left out: {IMAGES_MAX} are shown]"));
        }
        NotebookFile { file_path, cells, start_cell: first, total_cells: self.cells.len() }
    }

    fn show_cell(&self, at: usize, cell: &Cell<'_>) -> ShownCell {
        let is_code = cell.kind == CellKind::Code;
        let number = ["execution_count", "prompt_number"].iter().find_map(|name| cell.members.get(name));
        let outputs = cell.members.get("outputs").filter(|_raw| is_code);
        let outputs: Vec<Map<String, Value>> =
            outputs.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let language = cell.members.get("language").map(joined).unwrap_or_else(|| self.language.clone());
        ShownCell {
            cell_id: self.name(at),
            cell_type: cell.kind.name().to_owned(),
            source: self.source(cell),
            language: is_code.then_some(language),
            execution_count: number.and_then(|raw| serde_json::from_str(raw.get()).ok()),
            outputs: outputs.iter().map(ShownOutput::of).collect(),
        }
    }
}

impl NotebookFile {
    /// How many bytes of text it shows.
    pub(in crate::files) fn text_bytes(&self) -> usize {
        let texts = |cell: &ShownCell| {
            cell.outputs.iter().filter_map(|output| output.text.as_ref().map(String::len)).sum::<usize>()
        };
        self.cells.iter().map(|cell| cell.source.len() + texts(cell)).sum()
    }

    /// The blocks that a model reads: text, and between it the pictures.
    pub(in crate::files) fn blocks(&self) -> Vec<Value> {
        let (mut blocks, mut text) = (Vec::new(), String::new());
        for cell in &self.cells {
            cell.open(&mut text);
            for output in &cell.outputs {
                if let Some(written) = &output.text {
                    write!(text, "\n<output>\n{}\n</output>", written.trim_end()).expect("memory takes text");
                }
                if let Some(image) = &output.image {
                    blocks.push(json!({"type": "text", "text": std::mem::take(&mut text)}));
                    blocks.push(picture::block(&image.media_type, &image.image_data));
                }
            }
            text.push('\n');
        }
        let last = self.start_cell + self.cells.len() - 1;
        if last < self.total_cells {
            let (first, total, next) = (self.start_cell, self.total_cells, last + 1);
            write!(text, "\n(cells {first} to {last} of {total}; go on with offset {next})")
                .expect("memory takes text");
        }
        if !text.trim().is_empty() {
            blocks.push(json!({"type": "text", "text": text.trim_end()}));
        }
        blocks
    }
}

impl ShownCell {
    fn open(&self, text: &mut String) {
        let mut about = format!("<cell id={:?} type={:?}", self.cell_id, self.cell_type);
        if let Some(language) = &self.language {
            about.push_str(&format!(" language={language:?}"));
        }
        if let Some(number) = self.execution_count {
            about.push_str(&format!(" run={number}"));
        }
        write!(text, "{about}>\n{}\n</cell>", self.source).expect("memory takes text");
    }
}

impl ShownOutput {
    fn of(output: &Map<String, Value>) -> ShownOutput {
        let kind = output.get("output_type").and_then(Value::as_str).unwrap_or("output");
        // Format 4 keeps what is shown by its media type; format 3 by a short name beside the rest.
        let data = output.get("data").and_then(Value::as_object).unwrap_or(output);
        let text = match kind {
            "error" | "pyerr" => Some(failure(output)),
            _other => ["text/plain", "text"].iter().find_map(|name| Some(joined_value(data.get(*name)?))),
        };
        let mut shown = ShownOutput { output_type: kind.to_owned(), text: text.map(limited), image: None };
        let images = data.iter().filter_map(|(name, value)| Some((media_type(name)?, joined_value(value))));
        for (media_type, encoded) in images {
            shown.take_image(&media_type, &encoded);
        }
        shown
    }

    /// What a picture is its bytes tell, whatever the notebook says.
    fn take_image(&mut self, media_type: &str, encoded: &str) {
        let encoded: String = encoded.split_ascii_whitespace().collect();
        if encoded.len() > IMAGE_CHARS_MAX {
            let bytes = encoded.len() / 4 * 3;
            return self.add(&format!("[a picture of {bytes} bytes, which is too large to be shown]"));
        }
        match STANDARD.decode(&encoded).ok().and_then(|bytes| ImageFile::of(&bytes).ok()) {
            Some(ImageFile { base64, media_type, .. }) => {
                self.image.get_or_insert(ShownImage { image_data: base64, media_type });
            }
            None if encoded.is_empty() => {}
            None => self.add(&format!("[a picture of the kind {media_type}, which cannot be shown]")),
        }
    }

    fn add(&mut self, line: &str) {
        let text = self.text.get_or_insert_default();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(line);
    }
}

/// The media type of a picture that is kept by this name.
fn media_type(name: &str) -> Option<String> {
    match name {
        "png" | "jpeg" => Some(format!("image/{name}")),
        "svg" => Some("image/svg+xml".to_owned()),
        _other => name.starts_with("image/").then(|| name.to_owned()),
    }
}

fn failure(output: &Map<String, Value>) -> String {
    let lines = output.get("traceback").and_then(Value::as_array).into_iter().flatten();
    let traceback = lines.filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
    let said = |name: &str| output.get(name).and_then(Value::as_str).unwrap_or_default();
    let traceback = without_colours(&traceback);
    if traceback.trim().is_empty() { format!("{}: {}", said("ename"), said("evalue")) } else { traceback }
}

/// The text without the sequences that make a terminal colour it.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1B}[") {
        plain.push_str(&rest[..at]);
        let sequence = &rest[at + 2..];
        let end = sequence.find(|c: char| ('@'..='~').contains(&c)).map_or(sequence.len(), |end| end + 1);
        rest = &sequence[end..];
    }
    plain.push_str(rest);
    plain
}

fn limited(text: String) -> String {
    match text.char_indices().nth(OUTPUT_CHARS_MAX) {
        None => text,
        Some((at, _first_left_out)) => {
            let more = text[at..].chars().count();
            format!("{}\n… [{more} more characters; take them with `jq` from the file]", &text[..at])
        }
    }
}
