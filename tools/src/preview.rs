//! What a call would change in a file, worked out before it is decided on, for the person who is asked.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use toolwright::contract::Context;
use toolwright::message::RawInput;

use crate::files::load::Loaded;
use crate::files::patch::{hunks, render};
use crate::files::replacement::{Replacement, Which};
use crate::shell::SedEdit;

/// What a call would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The difference, a line each; of a large one the beginning, and how much is left out.
    pub lines: Vec<String>,
    /// The input to allow so that just this is written; nothing where the input that was asked about comes to the same.
    pub input: Option<RawInput>,
}

/// The fields of an Edit that matter to what it changes.
#[derive(Deserialize)]
struct Edited {
    file_path: PathBuf,
    old_string: String,
    new_string: String,
    replace_all: Option<bool>,
}

/// The fields of a Write.
#[derive(Deserialize)]
struct Written {
    file_path: PathBuf,
    content: String,
}

/// What a call of Edit, Write or Bash would change in one file; nothing where that cannot be told, or where a tool of this
/// name is another. Of Bash, only a plain replacement by `sed` is worked out. Blocks: it reads the file.
#[must_use]
pub fn preview(tool: &str, input: &RawInput, context: &Context) -> Option<Preview> {
    match tool {
        "Bash" => of_bash(input, context),
        "Edit" => of_edit(&serde_json::from_str(input.as_str()).ok()?, context),
        "Write" => of_write(&serde_json::from_str(input.as_str()).ok()?, context),
        _other => None,
    }
}

fn of_bash(input: &RawInput, context: &Context) -> Option<Preview> {
    let mut fields: Value = serde_json::from_str(input.as_str()).ok()?;
    let edit = SedEdit::preview(fields.get("command")?.as_str()?, &context.for_effects())?;
    let lines = difference(&edit.old_content, &edit.new_content);
    fields.as_object_mut()?.insert(SedEdit::FIELD.to_owned(), serde_json::to_value(edit).ok()?);
    Some(Preview { lines, input: Some(RawInput::from_value(&fields)) })
}

fn of_edit(edited: &Edited, context: &Context) -> Option<Preview> {
    let old = text(&edited.file_path, context)?;
    let new = match (edited.old_string.as_str(), old.as_str()) {
        ("", "") => edited.new_string.clone(),
        ("", _content) => return None,
        (old_string, _content) => {
            let which = if edited.replace_all == Some(true) { Which::All } else { Which::Only };
            Replacement { old: old_string, new: &edited.new_string, which }.apply(&old).ok()?.content
        }
    };
    Some(Preview { lines: difference(&old, &new), input: None })
}

fn of_write(written: &Written, context: &Context) -> Option<Preview> {
    let old = text(&written.file_path, context)?;
    Some(Preview { lines: difference(&old, &written.content), input: None })
}

fn difference(old: &str, new: &str) -> Vec<String> {
    if old == new { vec!["nothing would change".to_owned()] } else { render(&hunks(old, new), &[]) }
}

/// The text of a file, empty where there is none; nothing where it cannot be taken as text.
fn text(path: &Path, context: &Context) -> Option<String> {
    match context.for_effects().absolute(path).canonicalize() {
        Ok(place) => Loaded::from_place(&place).ok().map(|loaded| loaded.content.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(String::new()),
        Err(_closed) => None,
    }
}
