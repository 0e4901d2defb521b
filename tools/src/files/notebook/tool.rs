//! `NotebookEdit`: changes one cell of a notebook.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright::contract::FilesSeen;
use toolwright::prelude::*;

use crate::files::atomic::{self, Target};
use crate::files::fresh::Fresh;
use crate::files::kept::Lost;
use crate::files::load::{LoadError, Loaded};
use crate::files::patch::{hunks, render, with_notes};
use crate::files::place::check_length;
use crate::one_line::path_line;

use super::cells::{CellKind, Notebook};
use super::change::{Change, Changed};
use super::is_notebook;

/// Replaces, inserts or deletes one cell of a Jupyter notebook (`.ipynb`).
///
/// The notebook must have been read with Read first, which names its cells. What a replaced program wrote when it
/// was run is taken away with it; everything else in the file stays as it is.
#[tool(
    should_defer,
    search_hint = "change cells of a Jupyter notebook",
    examples = [
        r#"{"notebook_path": "analysis.ipynb", "cell_id": "a1b2c3d4", "new_source": "df.describe()"}"#,
        r#"{"notebook_path": "a.ipynb", "new_source": "Results", "cell_type": "markdown", "edit_mode": "insert"}"#,
        r#"{"notebook_path": "analysis.ipynb", "cell_id": "cell-3", "new_source": "", "edit_mode": "delete"}"#
    ]
)]
pub struct NotebookEdit {
    /// Path of the notebook, absolute or relative to the working directory.
    notebook_path: PathBuf,
    /// The cell to replace or delete, or behind which to insert, as Read names it: its identifier, or `cell-` and its
    /// number from 0. An insertion without it comes first.
    cell_id: Option<String>,
    /// The cell's new text; not used by a deletion.
    new_source: String,
    /// What the cell is; needed by an insertion, and the same as before when left out of a replacement.
    cell_type: Option<NewCell>,
    /// What to do: `replace` when left out.
    edit_mode: Option<EditMode>,
}

/// What a cell becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Params)]
#[serde(rename_all = "lowercase")]
pub enum NewCell {
    /// A program.
    Code,
    /// Text in Markdown.
    Markdown,
}

/// What is done to a notebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Params)]
#[serde(rename_all = "lowercase")]
pub enum EditMode {
    /// A cell gets another text.
    Replace,
    /// A new cell comes behind another.
    Insert,
    /// A cell goes.
    Delete,
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotebookEditOutput {
    /// The absolute path.
    pub notebook_path: PathBuf,
    /// The cell that was changed, as Read names it from now on; as it was named for one that is gone.
    pub cell_id: String,
    /// What the cell is, such as `code` or `markdown`.
    pub cell_type: String,
    /// The text that was given.
    pub new_source: String,
    /// What the notebook's programs are written in.
    pub language: String,
    /// What was done.
    pub edit_mode: EditMode,
    /// The file's content before.
    pub original_file: String,
    /// The file's content now.
    pub updated_file: String,
    /// What the model should know besides.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Tool for NotebookEdit {
    type Output = NotebookEditOutput;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Write(cx.absolute(&self.notebook_path)))
    }

    async fn validate_input(&self, cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        check_length(&self.notebook_path)?;
        let (request, files) = (self.request(cx)?, cx.files().clone());
        let place = cx.decided_place(&request.path);
        let planned = cx.env().blocking(move || request.plan(place, &files).map(drop)).await;
        let planned = planned.map_err(|end| InvalidInput::new(end.to_string()))?;
        planned.map_err(|error| InvalidInput::new(error.to_string()))
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<NotebookEditOutput, ToolError> {
        let request = self.request(cx).map_err(|invalid| ToolError::new(invalid.message))?;
        let (place, files) = (cx.decided_place(&request.path), cx.files().clone());
        cx.env().blocking(move || edit(request, place, &files)).await?
    }

    fn result_content(data: &NotebookEditOutput) -> Content {
        let (cell, path) = (&data.cell_id, data.notebook_path.display());
        let done = match data.edit_mode {
            EditMode::Replace => format!("replaced cell `{cell}` of `{path}`"),
            EditMode::Insert => format!("inserted cell `{cell}` into `{path}`"),
            EditMode::Delete => format!("deleted cell `{cell}` of `{path}`"),
        };
        with_notes(done, &data.notes).into()
    }

    fn description(&self) -> String {
        format!("Edit a cell of {}", path_line(&self.notebook_path))
    }

    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed("Edit notebook")
    }

    fn render_result(data: &NotebookEditOutput) -> Vec<String> {
        render(&hunks(&data.original_file, &data.updated_file), &data.notes)
    }
}

impl NotebookEdit {
    fn mode(&self) -> EditMode {
        self.edit_mode.unwrap_or(EditMode::Replace)
    }

    /// The input as one of the three things that can be done.
    fn request(&self, cx: &Cx<'_, Self>) -> Result<Request, InvalidInput> {
        let kind = self.cell_type.map(|kind| match kind {
            NewCell::Code => CellKind::Code,
            NewCell::Markdown => CellKind::Markdown,
        });
        if !is_notebook(&self.notebook_path) {
            return Err(InvalidInput::new(format!(
                "`{}` is not a notebook by its name, which ends in `.ipynb`: change it with Edit",
                self.notebook_path.display()
            )));
        }
        if self.mode() == EditMode::Insert && kind.is_none() {
            return Err(InvalidInput::new("an insertion needs `cell_type`: give `code` or `markdown`"));
        }
        if self.mode() != EditMode::Insert && self.cell_id.is_none() {
            return Err(InvalidInput::new("`cell_id` is missing: give the cell's name as Read shows it"));
        }
        Ok(Request {
            path: cx.absolute(&self.notebook_path),
            cell: self.cell_id.clone(),
            source: self.new_source.clone(),
            kind,
            mode: self.mode(),
            new_id: cx.env().new_id("cell"),
        })
    }
}

/// What was asked for.
struct Request {
    path: PathBuf,
    cell: Option<String>,
    source: String,
    kind: Option<CellKind>,
    mode: EditMode,
    /// The identifier of a cell that is inserted.
    new_id: String,
}

/// What will be written.
struct Plan {
    fresh: Fresh,
    changed: Changed,
    language: String,
}

impl Request {
    fn plan(&self, place: io::Result<PathBuf>, files: &FilesSeen) -> Result<Plan, ToolError> {
        let Target::Existing(place) = Target::at(&self.path, place)? else {
            return Err(LoadError::missing(&self.path).into());
        };
        let fresh = Fresh::check(Loaded::from_place(&place)?, files)?;
        let notebook = Notebook::parse(&fresh.file().content).map_err(|error| in_file(error, &self.path))?;
        let changed = notebook.change(self.change()).map_err(|error| in_file(error, &self.path))?;
        let language = notebook.language.clone();
        Ok(Plan { changed, language, fresh })
    }

    fn change(&self) -> Change<'_> {
        let (cell, source) = (self.cell.as_deref().unwrap_or_default(), self.source.as_str());
        match self.mode {
            EditMode::Replace => Change::Replace { cell, source, kind: self.kind.clone() },
            EditMode::Delete => Change::Delete { cell },
            EditMode::Insert => Change::Insert {
                after: self.cell.as_deref(),
                source,
                kind: self.kind.clone().unwrap_or(CellKind::Code),
                id: &self.new_id,
            },
        }
    }
}

fn in_file(error: impl std::fmt::Display, path: &Path) -> ToolError {
    ToolError::new(format!("`{}` {error}", path.display()))
}

fn edit(
    request: Request,
    place: io::Result<PathBuf>,
    files: &FilesSeen,
) -> Result<NotebookEditOutput, ToolError> {
    let Plan { fresh, changed, language } = request.plan(place, files)?;
    let lost = atomic::put(&fresh, &changed.text, files)?;
    Ok(NotebookEditOutput {
        notebook_path: request.path,
        cell_id: changed.cell,
        cell_type: changed.kind.name().to_owned(),
        new_source: request.source,
        language,
        edit_mode: request.mode,
        original_file: fresh.file().content.to_string(),
        updated_file: changed.text,
        notes: lost.iter().map(Lost::to_string).collect(),
    })
}
