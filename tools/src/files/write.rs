//! `Write`: puts a whole text into a file.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright::contract::FilesSeen;
use toolwright::prelude::*;

use crate::one_line::path_line;

use super::atomic::{self, Target};
use super::fresh::Fresh;
use super::kept::Lost;
use super::load::Loaded;
use super::patch::{Hunk, hunks, render, with_notes};
use super::place::check_writable_name;

/// Writes a whole text file; folders that are missing are created.
///
/// A file that exists must have been read with Read first, and is replaced. Prefer Edit for changing a part of a
/// file: it sends only what changes.
#[tool(
    always_load,
    search_hint = "create or overwrite a file",
    examples = [
        r##"{"file_path": "notes/today.md", "content": "# Today\n\n- water the plants\n"}"##,
        r#"{"file_path": "config.json", "content": "{\n  \"limit\": 20\n}\n"}"#,
        r#"{"file_path": "src/empty.rs", "content": ""}"#
    ]
)]
pub struct Write {
    /// Path of the file, absolute or relative to the working directory.
    file_path: PathBuf,
    /// The whole content.
    content: String,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WriteOutput {
    /// Whether there was a file before.
    #[serde(rename = "type")]
    pub kind: WriteKind,
    /// The absolute path.
    pub file_path: PathBuf,
    /// The content now.
    pub content: String,
    /// What changed; nothing for a new file.
    pub structured_patch: Vec<Hunk>,
    /// The content before.
    pub original_file: Option<String>,
    /// What the model should know besides.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Whether there was a file before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteKind {
    /// There was none.
    Create,
    /// There was one.
    Update,
}

impl Tool for Write {
    type Output = WriteOutput;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Write(cx.absolute(&self.file_path)))
    }

    async fn validate_input(&self, cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        check_writable_name(&self.file_path)?;
        let (path, files) = (cx.absolute(&self.file_path), cx.files().clone());
        let place = cx.decided_place(&path);
        let checked = cx.env().blocking(move || Destination::check(&path, place, &files).map(drop)).await;
        let checked = checked.map_err(|end| InvalidInput::new(end.to_string()))?;
        checked.map_err(|error| InvalidInput::new(error.to_string()))
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<WriteOutput, ToolError> {
        let (path, files) = (cx.absolute(&self.file_path), cx.files().clone());
        let (place, content) = (cx.decided_place(&path), self.content.clone());
        cx.env().blocking(move || write(path, place, content, &files)).await?
    }

    fn result_content(data: &WriteOutput) -> Content {
        let done = match data.kind {
            WriteKind::Create => "created",
            WriteKind::Update => "updated",
        };
        with_notes(format!("{done} `{}`", data.file_path.display()), &data.notes).into()
    }

    fn description(&self) -> String {
        format!("Write {}", path_line(&self.file_path))
    }

    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed("Write")
    }

    fn render_result(data: &WriteOutput) -> Vec<String> {
        match data.kind {
            WriteKind::Create => vec![format!("wrote {} lines", super::text::lines(&data.content).count())],
            WriteKind::Update => render(&data.structured_patch, &data.notes),
        }
    }
}

/// A place that may be written to: nothing is there, or what the agent last saw.
enum Destination {
    New(PathBuf),
    Known(Box<Fresh>),
}

impl Destination {
    fn check(path: &Path, place: io::Result<PathBuf>, files: &FilesSeen) -> Result<Destination, ToolError> {
        match Target::at(path, place)? {
            Target::New(path) => Ok(Destination::New(path)),
            Target::Existing(path) => {
                Ok(Destination::Known(Box::new(Fresh::check(Loaded::from_place(&path)?, files)?)))
            }
        }
    }
}

fn write(
    path: PathBuf,
    place: io::Result<PathBuf>,
    content: String,
    files: &FilesSeen,
) -> Result<WriteOutput, ToolError> {
    match Destination::check(&path, place, files)? {
        Destination::New(real) => {
            atomic::create(&real, &content, files)?;
            Ok(WriteOutput {
                kind: WriteKind::Create,
                file_path: path,
                content,
                structured_patch: Vec::new(),
                original_file: None,
                notes: Vec::new(),
            })
        }
        Destination::Known(fresh) => {
            let old = fresh.file();
            // The mark of the encoding is not part of the text the model sees, so it stays the file's own.
            let lost = atomic::put(&fresh, content.strip_prefix('\u{FEFF}').unwrap_or(&content), files)?;
            Ok(WriteOutput {
                kind: WriteKind::Update,
                file_path: path,
                structured_patch: hunks(&old.content, &content),
                content,
                original_file: Some(old.content.to_string()),
                notes: lost.iter().map(Lost::to_string).collect(),
            })
        }
    }
}
