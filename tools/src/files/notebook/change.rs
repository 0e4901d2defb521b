//! Changing one cell of a notebook: the text outside it stays as it is, byte for byte.

use std::ops::Range;

use serde_json::{Value, json};

use crate::one_line::one_line;

use super::cells::{Cell, CellKind, Notebook};
use super::layout::{Layout, Written};

/// What is to be done.
#[derive(Clone, Debug)]
pub(super) enum Change<'a> {
    /// A cell gets another text, and is of another kind where one is given.
    Replace { cell: &'a str, source: &'a str, kind: Option<CellKind> },
    /// A new cell comes behind another, or first; `id` is given to it in formats that have identifiers.
    Insert { after: Option<&'a str>, source: &'a str, kind: CellKind, id: &'a str },
    /// A cell goes.
    Delete { cell: &'a str },
}

/// A notebook's new text.
#[derive(Debug)]
pub(super) struct Changed {
    /// The whole text.
    pub(super) text: String,
    /// What the cell is called that was changed.
    pub(super) cell: String,
    /// What it is.
    pub(super) kind: CellKind,
}

/// Why a change cannot be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoChange {
    /// There is no such cell.
    #[error("has no cell `{wanted}`; {there}")]
    NoCell {
        /// What was asked for.
        wanted: String,
        /// What there is instead.
        there: String,
    },
    /// Several cells have this identifier.
    #[error(
        "has {0} cells with the identifier `{1}`, so it is not clear which is meant: change it with a program"
    )]
    SeveralCells(usize, String),
    /// There is no list that a cell could be put into.
    #[error("has no list of cells to put one into: write the whole file with Write")]
    NoList,
}

impl Notebook<'_> {
    /// Makes a change.
    pub(super) fn change(&self, change: Change<'_>) -> Result<Changed, NoChange> {
        match change {
            Change::Replace { cell, source, kind } => {
                let at = self.find(cell)?;
                let kind = kind.unwrap_or_else(|| self.cells[at].kind.clone());
                Ok(self.replace(at, source, kind))
            }
            Change::Insert { after, source, kind, id } => {
                let after = after.map(|cell| self.find(cell)).transpose()?;
                self.insert(after, source, kind, id)
            }
            Change::Delete { cell } => self.find(cell).map(|at| self.delete(at)),
        }
    }

    /// The cell of a name. A cell that is called so by its identifier comes before one that is so by its number.
    fn find(&self, name: &str) -> Result<usize, NoChange> {
        let mut named = (0..self.cells.len()).filter(|at| self.cells[*at].id.as_deref() == Some(name));
        if let Some(first) = named.next() {
            return match named.count() {
                0 => Ok(first),
                others => Err(NoChange::SeveralCells(others + 1, name.to_owned())),
            };
        }
        let number = name.strip_prefix("cell-").and_then(|number| number.parse::<usize>().ok());
        number.filter(|at| *at < self.cells.len()).ok_or_else(|| self.no_cell(name))
    }

    fn no_cell(&self, wanted: &str) -> NoChange {
        let there = match self.cells.len() {
            0 => "it has none at all".to_owned(),
            1 => format!("it has only `{}`", self.name(0)),
            number => format!(
                "its {number} cells are called from `{}` to `{}`",
                self.name(0),
                self.name(number - 1)
            ),
        };
        NoChange::NoCell { wanted: one_line(wanted), there }
    }

    fn replace(&self, at: usize, source: &str, kind: CellKind) -> Changed {
        let cell = &self.cells[at];
        let members = self.replaced_members(cell, source, &kind);
        let object = self.layout().object(&members, self.depth());
        Changed { text: self.with(cell.place.clone(), &object), cell: self.name(at), kind }
    }

    /// A cell's members with another text. What a program wrote before it was changed is not its output.
    fn replaced_members<'c>(
        &self,
        cell: &Cell<'c>,
        source: &str,
        kind: &CellKind,
    ) -> Vec<(String, Written<'c>)> {
        let as_list =
            cell.members.get(self.source_name(&cell.kind)).is_none_or(|raw| raw.get().starts_with('['));
        let mut new: Vec<(&str, Value)> = vec![("cell_type", json!(kind.name()))];
        if *kind == CellKind::Code {
            new.extend(self.never_run(cell.kind != *kind));
        }
        new.push((self.source_name(kind), if as_list { json!(lines(source)) } else { json!(source) }));
        let goes = |name: &str| match (kind, &cell.kind) {
            (CellKind::Code, CellKind::Code) => false,
            (CellKind::Code, _text) => matches!(name, "source" | "level" | "attachments"),
            (_text, CellKind::Code) => matches!(
                name,
                "outputs" | "execution_count" | "input" | "prompt_number" | "collapsed" | "language"
            ),
            (_text, _other_text) => name == "level" && *kind != cell.kind,
        };
        let stay = cell.members.0.iter().filter(|(name, _raw)| !goes(name));
        let mut members: Vec<(String, Written<'c>)> = stay
            .map(|(name, raw)| {
                let written = match new.iter().position(|(key, _value)| key == name) {
                    Some(at) => Written::New(new.remove(at).1),
                    None => Written::AsItStood(raw.get()),
                };
                (name.clone(), written)
            })
            .collect();
        members.extend(new.into_iter().map(|(name, value)| (name.to_owned(), Written::New(value))));
        members
    }

    /// The members of a program that was not run; those that say nothing of running only where they are `missing`.
    fn never_run(&self, missing: bool) -> Vec<(&'static str, Value)> {
        let mut members = match self.major {
            2 | 3 => vec![("outputs", json!([])), ("prompt_number", Value::Null)],
            _newer => vec![("execution_count", Value::Null), ("outputs", json!([]))],
        };
        if missing && self.major < 4 {
            members.extend([("collapsed", json!(false)), ("language", json!(self.language))]);
        }
        members
    }

    fn insert(
        &self,
        after: Option<usize>,
        source: &str,
        kind: CellKind,
        id: &str,
    ) -> Result<Changed, NoChange> {
        let mut members = vec![("cell_type", json!(kind.name())), ("metadata", json!({}))];
        if kind == CellKind::Code {
            members.extend(self.never_run(true));
        }
        if self.has_ids() {
            members.push(("id", json!(id)));
        }
        members.push((self.source_name(&kind), json!(lines(source))));
        // In the order in which notebook programs write them.
        members.sort_unstable_by_key(|(name, _value)| *name);
        let members: Vec<_> =
            members.into_iter().map(|(name, value)| (name.to_owned(), Written::New(value))).collect();
        let (layout, depth) = (self.layout(), self.depth());
        let object = layout.object(&members, depth);
        let text = match after {
            Some(at) => {
                let end = self.cells[at].place.end;
                self.with(end..end, &format!(",{}{object}", layout.before(depth)))
            }
            None => self.with_first(&object)?,
        };
        let number = after.map_or(0, |at| at + 1);
        Ok(Changed {
            text,
            cell: if self.has_ids() { id.to_owned() } else { format!("cell-{number}") },
            kind,
        })
    }

    /// The text with an object in front of the first list's cells.
    fn with_first(&self, object: &str) -> Result<String, NoChange> {
        let (list, layout, depth) =
            (self.lists.first().ok_or(NoChange::NoList)?, self.layout(), self.depth());
        let before = layout.before(depth);
        let is_empty = !self.cells.iter().any(|cell| cell.list == 0);
        Ok(if is_empty {
            self.with(list.clone(), &format!("[{before}{object}{}]", layout.before(depth - 1)))
        } else {
            self.with(list.start + 1..list.start + 1, &format!("{before}{object},"))
        })
    }

    fn delete(&self, at: usize) -> Changed {
        let cell = &self.cells[at];
        let beside = |at: usize| self.cells.get(at).filter(|other| other.list == cell.list);
        let place = match (at.checked_sub(1).and_then(beside), beside(at + 1)) {
            (Some(before), _any) => before.place.end..cell.place.end,
            (None, Some(behind)) => cell.place.start..behind.place.start,
            (None, None) => {
                let list = &self.lists[cell.list];
                list.start + 1..list.end - 1
            }
        };
        Changed { text: self.with(place, ""), cell: self.name(at), kind: cell.kind.clone() }
    }

    fn layout(&self) -> Layout<'_> {
        Layout::of(self.text)
    }

    /// How deep a cell stands.
    fn depth(&self) -> usize {
        if self.major < 4 { 4 } else { 2 }
    }

    fn with(&self, place: Range<usize>, piece: &str) -> String {
        [&self.text[..place.start], piece, &self.text[place.end..]].concat()
    }
}

/// The lines of a text with their ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}
