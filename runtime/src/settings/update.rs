//! Changing the text of a settings file, with its comments and its layout kept. A text that is not understood is never
//! changed.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde::Deserialize;
use serde_json::Value;

use super::diagnostic::Place;
use super::document::{LENIENT, Remark, read, remark};
use crate::hooks::wire::{self, RuleValue};
use crate::permission::{Behavior, Destination, Mode, UnknownMode};

/// A change to the permissions in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionUpdate {
    /// Adds rules; those that are there already stay once.
    AddRules(Behavior, Vec<String>),
    /// Puts these rules in place of all of this behaviour.
    ReplaceRules(Behavior, Vec<String>),
    /// Takes rules out.
    RemoveRules(Behavior, Vec<String>),
    /// Chooses the mode that sessions begin in.
    SetMode(Mode),
    /// Adds directories the agent works in.
    AddDirectories(Vec<String>),
    /// Takes directories out.
    RemoveDirectories(Vec<String>),
}

/// Why a text was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// It could not be understood, so anything written into it might destroy something.
    #[error("line {line}, column {column}: {message}; mend the file by hand first")]
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// The character in it, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The change is none that settings files take.
    #[error("{0}")]
    Refused(String),
}

impl PermissionUpdate {
    /// Reads a change in its public JSON form, with the destination in it.
    ///
    /// # Errors
    /// In words: what is wrong with it.
    pub fn from_json(value: &Value) -> Result<(PermissionUpdate, Destination), String> {
        let update = wire::PermissionUpdate::deserialize(value).map_err(|error| error.to_string())?;
        PermissionUpdate::from_wire(update).map_err(|unknown| unknown.to_string())
    }

    /// A change as hooks and programs send it, with the destination in it.
    ///
    /// # Errors
    /// When there is no such mode.
    pub fn from_wire(update: wire::PermissionUpdate) -> Result<(PermissionUpdate, Destination), UnknownMode> {
        let texts = |rules: Vec<RuleValue>| rules.iter().map(RuleValue::text).collect();
        Ok(match update {
            wire::PermissionUpdate::AddRules { rules, behavior, destination } => {
                (PermissionUpdate::AddRules(behavior.into(), texts(rules)), destination)
            }
            wire::PermissionUpdate::ReplaceRules { rules, behavior, destination } => {
                (PermissionUpdate::ReplaceRules(behavior.into(), texts(rules)), destination)
            }
            wire::PermissionUpdate::RemoveRules { rules, behavior, destination } => {
                (PermissionUpdate::RemoveRules(behavior.into(), texts(rules)), destination)
            }
            wire::PermissionUpdate::SetMode { mode, destination } => {
                (PermissionUpdate::SetMode(mode.parse()?), destination)
            }
            wire::PermissionUpdate::AddDirectories { directories, destination } => {
                (PermissionUpdate::AddDirectories(directories), destination)
            }
            wire::PermissionUpdate::RemoveDirectories { directories, destination } => {
                (PermissionUpdate::RemoveDirectories(directories), destination)
            }
        })
    }
}

/// The text with these changes made; nothing where they change nothing. No text is that of a file that is not there.
///
/// # Errors
/// When the text is not understood, or stands for something else than settings: then nothing must be written.
pub fn update(
    text: Option<&str>,
    updates: &[PermissionUpdate],
    destination: Destination,
) -> Result<Option<String>, UpdateError> {
    updates.iter().try_for_each(|update| update.check(destination))?;
    let (mark, body) = match text {
        None => ("", "{}\n"),
        Some(text) if text.trim().is_empty() => ("", "{}\n"),
        Some(text) => text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body)),
    };
    if let Err(Remark { range, message }) = read(body) {
        return Err(unreadable(body, range.start, message));
    }
    let root = CstRootNode::parse(body, &LENIENT).map_err(|error| {
        let Remark { range, message } = remark(&error);
        unreadable(body, range.start, message)
    })?;
    let is_object = root.value().is_some_and(|value| value.as_object().is_some());
    let top = root.object_value().filter(|_| is_object);
    let top = top.ok_or_else(|| unreadable(body, 0, "the file must hold an object".to_owned()))?;
    for update in updates {
        apply(&top, update).map_err(|message| unreadable(body, 0, message))?;
    }
    let changed = root.to_string();
    if changed == body && (text.is_some() || updates.is_empty()) {
        return Ok(None);
    }
    // Whatever the editor did, what is written can be read again.
    match read(&changed) {
        Ok(_) => Ok(Some(format!("{mark}{changed}"))),
        Err(Remark { range, message }) => Err(unreadable(&changed, range.start, message)),
    }
}

fn unreadable(text: &str, at: usize, message: String) -> UpdateError {
    let Place { line, column, .. } = Place::new(text, at..at);
    UpdateError::Unreadable { line, column, message }
}

impl PermissionUpdate {
    fn check(&self, destination: Destination) -> Result<(), UpdateError> {
        let refused = |message: String| Err(UpdateError::Refused(message));
        match self {
            PermissionUpdate::SetMode(mode @ (Mode::BypassPermissions | Mode::Bubble)) => {
                refused(format!("the mode {mode} is never written into a file: it is chosen for a session"))
            }
            PermissionUpdate::SetMode(Mode::Auto) if destination != Destination::UserSettings => {
                refused("the mode auto is ignored in files of a project: choose it in the user's".to_owned())
            }
            PermissionUpdate::AddRules(_, rules) | PermissionUpdate::ReplaceRules(_, rules)
                if rules.iter().any(|rule| rule.trim().is_empty()) =>
            {
                refused("an empty rule is none".to_owned())
            }
            PermissionUpdate::SetMode(_)
            | PermissionUpdate::AddRules(..)
            | PermissionUpdate::ReplaceRules(..)
            | PermissionUpdate::RemoveRules(..)
            | PermissionUpdate::AddDirectories(_)
            | PermissionUpdate::RemoveDirectories(_) => Ok(()),
        }
    }
}

fn apply(top: &CstObject, update: &PermissionUpdate) -> Result<(), String> {
    match update {
        PermissionUpdate::AddRules(behavior, rules) => add(top, key(*behavior), rules),
        PermissionUpdate::RemoveRules(behavior, rules) => remove(top, key(*behavior), rules),
        PermissionUpdate::ReplaceRules(behavior, rules) => {
            let key = key(*behavior);
            if let Some(array) = array(top, key)? {
                let gone = array
                    .elements()
                    .into_iter()
                    .filter(|node| text_of(node).is_none_or(|text| !rules.contains(&text)));
                gone.for_each(CstNode::remove);
            }
            add(top, key, rules)
        }
        PermissionUpdate::AddDirectories(directories) => add(top, DIRECTORIES, directories),
        PermissionUpdate::RemoveDirectories(directories) => remove(top, DIRECTORIES, directories),
        PermissionUpdate::SetMode(mode) => set_mode(top, *mode),
    }
}

const PERMISSIONS: &str = "permissions";
const DIRECTORIES: &str = "additionalDirectories";
const DEFAULT_MODE: &str = "defaultMode";

fn key(behavior: Behavior) -> &'static str {
    match behavior {
        Behavior::Allow => "allow",
        Behavior::Ask => "ask",
        Behavior::Deny => "deny",
    }
}

/// The one value of this name, if it is there. Which of several counts would be a guess.
fn one(object: &CstObject, name: &str) -> Result<Option<CstNode>, String> {
    let all =
        object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(name));
    let mut values = all.filter_map(|property| property.value());
    let first = values.next();
    if values.next().is_some() { Err(format!("`{name}` is there more than once")) } else { Ok(first) }
}

fn permissions(top: &CstObject) -> Result<Option<CstObject>, String> {
    let found = one(top, PERMISSIONS)?;
    let object = |node: CstNode| node.as_object().ok_or(format!("`{PERMISSIONS}` is no object"));
    found.map(object).transpose()
}

fn array(top: &CstObject, name: &str) -> Result<Option<CstArray>, String> {
    let Some(permissions) = permissions(top)? else { return Ok(None) };
    let array = |node: CstNode| node.as_array().ok_or(format!("`{PERMISSIONS}.{name}` is no array"));
    one(&permissions, name)?.map(array).transpose()
}

fn permissions_or_new(top: &CstObject) -> Result<CstObject, String> {
    if let Some(found) = permissions(top)? {
        return Ok(found);
    }
    top.append(PERMISSIONS, CstInputValue::Object(Vec::new()));
    permissions(top)?.ok_or_else(|| format!("`{PERMISSIONS}` could not be added"))
}

fn add(top: &CstObject, name: &str, texts: &[String]) -> Result<(), String> {
    let found = array(top, name)?;
    if texts.is_empty() {
        return Ok(());
    }
    let Some(array) = found else {
        let mut new: Vec<CstInputValue> = Vec::new();
        let mut seen: Vec<&String> = Vec::new();
        for text in texts {
            if !seen.contains(&text) {
                seen.push(text);
                new.push(CstInputValue::String(text.clone()));
            }
        }
        let property = permissions_or_new(top)?.append(name, CstInputValue::Array(new));
        if let Some(array) = property.array_value() {
            array.ensure_multiline();
        }
        return Ok(());
    };
    let mut there: Vec<String> = array.elements().iter().filter_map(text_of).collect();
    for text in texts {
        if !there.contains(text) {
            array.append(CstInputValue::String(text.clone()));
            there.push(text.clone());
        }
    }
    Ok(())
}

fn remove(top: &CstObject, name: &str, texts: &[String]) -> Result<(), String> {
    let Some(array) = array(top, name)? else { return Ok(()) };
    let is_meant = |node: &CstNode| text_of(node).is_some_and(|text| texts.contains(&text));
    array.elements().into_iter().filter(is_meant).for_each(CstNode::remove);
    Ok(())
}

fn set_mode(top: &CstObject, mode: Mode) -> Result<(), String> {
    let permissions = permissions_or_new(top)?;
    let value = CstInputValue::String(mode.to_string());
    if let Some(node) = one(&permissions, DEFAULT_MODE)? {
        if text_of(&node).as_deref() == Some(mode.to_string().as_str()) {
            return Ok(());
        }
        if let Some(property) = permissions.get(DEFAULT_MODE) {
            property.set_value(value);
        }
    } else {
        permissions.append(DEFAULT_MODE, value);
    }
    Ok(())
}

fn text_of(node: &CstNode) -> Option<String> {
    node.as_string_lit()?.decoded_value().ok()
}
