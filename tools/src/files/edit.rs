//! `Edit`: replaces an exact text in a file.

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
use super::load::{LoadError, Loaded};
use super::notebook::is_notebook;
use super::patch::{Hunk, hunks, with_notes};
use super::place::check_writable_name;
use super::replacement::{Replaced, Replacement, Which};

/// Replaces an exact text in a file by another.
///
/// The file must have been read with Read first. `old_string` must be in the file exactly once, white space included
/// and line numbers left out, unless `replace_all` is set. An empty `old_string` creates a new file.
#[tool(
    always_load,
    search_hint = "change or replace text in a file",
    examples = [
        r#"{"file_path": "src/main.rs", "old_string": "let limit = 10;", "new_string": "let limit = 20;"}"#,
        r#"{"file_path": "notes.md", "old_string": "colour", "new_string": "color", "replace_all": true}"#,
        r#"{"file_path": "docs/new.md", "old_string": "", "new_string": "A new file\n"}"#
    ]
)]
pub struct Edit {
    /// Path of the file, absolute or relative to the working directory.
    file_path: PathBuf,
    /// The text to replace, exactly as it is in the file.
    old_string: String,
    /// The text to put there; not the same as `old_string`.
    new_string: String,
    /// Whether to replace every match; otherwise there must be exactly one.
    replace_all: Option<bool>,
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EditOutput {
    /// The absolute path.
    pub file_path: PathBuf,
    /// The text that was replaced.
    pub old_string: String,
    /// The text that is there now.
    pub new_string: String,
    /// The content before; nothing for a new file.
    pub original_file: Option<String>,
    /// What changed.
    pub structured_patch: Vec<Hunk>,
    /// Whether a person changed the edit before it was made.
    pub user_modified: bool,
    /// Whether every match was meant.
    pub replace_all: bool,
    /// How many matches were replaced.
    #[serde(skip)]
    pub count: usize,
    /// The lines around the first change, numbered.
    #[serde(skip)]
    pub snippet: String,
    /// What the model should know besides.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Tool for Edit {
    type Output = EditOutput;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        let path = cx.absolute(&self.file_path);
        Effects::Known(vec![Effect::Read(path.clone()), Effect::Write(path)])
    }

    async fn validate_input(&self, cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        check_writable_name(&self.file_path)?;
        if self.old_string == self.new_string {
            return Err(InvalidInput::new(
                "`old_string` and `new_string` are the same: give the text as it should become in `new_string`",
            ));
        }
        let (request, files) = (self.request(cx), cx.files().clone());
        let place = cx.decided_place(&request.path);
        let planned = cx.env().blocking(move || Plan::make(&request, place, &files).map(drop)).await;
        let planned = planned.map_err(|end| InvalidInput::new(end.to_string()))?;
        planned.map_err(|error| InvalidInput::new(error.to_string()))
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<EditOutput, ToolError> {
        let (request, files) = (self.request(cx), cx.files().clone());
        let place = cx.decided_place(&request.path);
        cx.env().blocking(move || edit(request, place, &files)).await?
    }

    fn result_content(data: &EditOutput) -> Content {
        let path = data.file_path.display();
        let done = match (data.original_file.is_some(), data.count) {
            (false, _) => format!("created `{path}`"),
            (true, 0 | 1) => {
                format!("edited `{path}`; the lines around the change are now:\n{}", data.snippet)
            }
            (true, count) => format!(
                "edited `{path}` in {count} places; the lines around the first are now:\n{}",
                data.snippet
            ),
        };
        with_notes(done, &data.notes).into()
    }

    fn description(&self) -> String {
        format!("Edit {}", path_line(&self.file_path))
    }

    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed(if self.old_string.is_empty() { "Create" } else { "Edit" })
    }

    fn render_result(data: &EditOutput) -> Vec<String> {
        super::patch::render(&data.structured_patch, &data.notes)
    }
}

impl Edit {
    fn request(&self, cx: &Cx<'_, Self>) -> Request {
        Request {
            path: cx.absolute(&self.file_path),
            old: self.old_string.clone(),
            new: self.new_string.clone(),
            which: if self.replace_all == Some(true) { Which::All } else { Which::Only },
        }
    }
}

/// What was asked for, with its path made absolute.
struct Request {
    path: PathBuf,
    old: String,
    new: String,
    which: Which,
}

/// What will be done.
enum Plan {
    Create(PathBuf),
    Fill(Box<Fresh>),
    Replace(Box<Fresh>, Replaced),
}

impl Plan {
    fn make(request: &Request, place: io::Result<PathBuf>, files: &FilesSeen) -> Result<Plan, ToolError> {
        match (Target::at(&request.path, place)?, request.old.as_str()) {
            (Target::New(path), "") => Ok(Plan::Create(path)),
            (Target::New(_), _old) => Err(LoadError::missing(&request.path).into()),
            (Target::Existing(path), _old) if is_notebook(&path) => Err(ToolError::new(format!(
                "`{}` is a notebook: change its cells with NotebookEdit",
                request.path.display()
            ))),
            (Target::Existing(path), "") => match Fresh::empty(Loaded::from_place(&path)?) {
                Some(fresh) => Ok(Plan::Fill(Box::new(fresh))),
                None => Err(has_content(&request.path)),
            },
            (Target::Existing(path), old) => {
                let fresh = Fresh::check(Loaded::from_place(&path)?, files)?;
                let replacement = Replacement { old, new: &request.new, which: request.which };
                let replaced =
                    replacement.apply(&fresh.file().content).map_err(|error| in_file(error, &path))?;
                Ok(Plan::Replace(Box::new(fresh), replaced))
            }
        }
    }
}

fn has_content(path: &Path) -> ToolError {
    ToolError::new(format!(
        "`{}` exists and is not empty, so an empty `old_string` cannot create it: give the text to replace",
        path.display()
    ))
}

fn in_file(error: impl std::fmt::Display, path: &Path) -> ToolError {
    ToolError::new(format!("`{}` cannot be edited: {error}", path.display()))
}

fn edit(request: Request, place: io::Result<PathBuf>, files: &FilesSeen) -> Result<EditOutput, ToolError> {
    let (original, replaced, lost) = match Plan::make(&request, place, files)? {
        Plan::Create(path) => {
            atomic::create(&path, &request.new, files)?;
            (None, filled(&request.new), Vec::new())
        }
        Plan::Fill(fresh) => {
            let lost = atomic::put(&fresh, &request.new, files)?;
            (Some(String::new()), filled(&request.new), lost)
        }
        Plan::Replace(fresh, replaced) => {
            let lost = atomic::put(&fresh, &replaced.content, files)?;
            (Some(fresh.file().content.to_string()), replaced, lost)
        }
    };
    Ok(EditOutput {
        structured_patch: hunks(original.as_deref().unwrap_or_default(), &replaced.content),
        snippet: replaced.snippet(),
        count: replaced.count,
        file_path: request.path,
        old_string: request.old,
        new_string: request.new,
        original_file: original,
        user_modified: false,
        replace_all: request.which == Which::All,
        notes: lost.iter().map(Lost::to_string).collect(),
    })
}

/// A text that is new as a whole.
fn filled(content: &str) -> Replaced {
    Replaced { content: content.to_owned(), count: 1, start: 0, end: content.len() }
}
