//! A notebook's cells, and where in its text each of them stands.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// A notebook: its cells in order, as pieces of its text.
#[derive(Debug)]
pub(in crate::files) struct Notebook<'a> {
    /// The whole text.
    pub(super) text: &'a str,
    /// The major version of its format: 2 to 4.
    pub(super) major: u64,
    /// The minor version.
    pub(super) minor: u64,
    /// What its code is written in.
    pub(super) language: String,
    /// Where its lists of cells stand: one in format 4, one a worksheet before.
    pub(super) lists: Vec<Range<usize>>,
    /// The cells of all lists.
    pub(super) cells: Vec<Cell<'a>>,
}

/// One cell.
#[derive(Debug)]
pub(super) struct Cell<'a> {
    /// Where it stands in the text.
    pub(super) place: Range<usize>,
    /// Which of the lists it is in.
    pub(super) list: usize,
    /// What it is.
    pub(super) kind: CellKind,
    /// Its identifier, where it has one.
    pub(super) id: Option<String>,
    /// What it holds, in the order written down.
    pub(super) members: Members<'a>,
}

/// What a cell is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    /// A program and its outputs.
    Code,
    /// Text in Markdown.
    Markdown,
    /// Text of another kind, by its name: `raw`, `heading` before format 4, or what a later format may have.
    Other(String),
}

impl CellKind {
    fn of(name: String) -> CellKind {
        match name.as_str() {
            "code" => CellKind::Code,
            "markdown" => CellKind::Markdown,
            _other => CellKind::Other(name),
        }
    }

    /// What notebooks call it.
    pub(super) fn name(&self) -> &str {
        match self {
            CellKind::Code => "code",
            CellKind::Markdown => "markdown",
            CellKind::Other(name) => name,
        }
    }
}

/// Why a text is not a notebook that is understood.
#[derive(Debug, thiserror::Error)]
pub(in crate::files) enum NotNotebook {
    /// It is not JSON, or lacks what a notebook has.
    #[error("is not a notebook: {0}; {MENDING}")]
    Json(#[from] serde_json::Error),
    /// It is JSON of another kind.
    #[error("is not a notebook, which is a JSON object; {MENDING}")]
    NoObject,
    /// It is of a format that is not known.
    #[error(
        "has notebook format {0}, and only 2 to 4 are known: convert it with `jupyter nbconvert --to notebook`"
    )]
    Version(u64),
    /// A cell is not one.
    #[error("has a cell that is not understood, the one at {at}: {problem}")]
    Cell {
        /// Which, counted from 0.
        at: usize,
        /// What is wrong with it.
        problem: serde_json::Error,
    },
}

/// How a file is mended that is to be a notebook and is none: what is in it cannot be told by cells.
const MENDING: &str = "look at it with `cat`, and put a whole notebook there with Write";

/// The members of an object in the order written down, each with its own piece of the text.
#[derive(Debug, Default)]
pub(super) struct Members<'a>(pub(super) Vec<(String, &'a RawValue)>);

#[derive(Deserialize)]
struct Whole<'a> {
    nbformat: u64,
    #[serde(default)]
    nbformat_minor: u64,
    #[serde(default)]
    metadata: Value,
    #[serde(borrow)]
    cells: Option<&'a RawValue>,
    #[serde(borrow, default)]
    worksheets: Vec<Worksheet<'a>>,
}

#[derive(Deserialize)]
struct Worksheet<'a> {
    #[serde(borrow)]
    cells: Option<&'a RawValue>,
}

impl<'a> Notebook<'a> {
    /// Reads a text. An object with the same member twice is refused, since programs differ in which they take.
    pub(in crate::files) fn parse(text: &'a str) -> Result<Notebook<'a>, NotNotebook> {
        // A list would be taken for the members in their order.
        if text.trim_start().starts_with('[') {
            return Err(NotNotebook::NoObject);
        }
        let whole: Whole<'a> = serde_json::from_str(text)?;
        let lists: Vec<&RawValue> = match whole.nbformat {
            4 => whole.cells.into_iter().collect(),
            2 | 3 => whole.worksheets.into_iter().filter_map(|sheet| sheet.cells).collect(),
            other => return Err(NotNotebook::Version(other)),
        };
        let mut cells = Vec::new();
        for (list, raw) in lists.iter().enumerate() {
            for cell in serde_json::from_str::<Vec<&'a RawValue>>(raw.get())? {
                let at = cells.len();
                let cell = Cell::parse(text, list, cell);
                cells.push(cell.map_err(|problem| NotNotebook::Cell { at, problem })?);
            }
        }
        Ok(Notebook {
            text,
            major: whole.nbformat,
            minor: whole.nbformat_minor,
            language: language(&whole.metadata),
            lists: lists.iter().map(|raw| place_in(text, raw.get())).collect(),
            cells,
        })
    }

    /// What a cell is called: its identifier, or `cell-` and its number from 0.
    pub(super) fn name(&self, at: usize) -> String {
        self.cells[at].id.clone().unwrap_or_else(|| format!("cell-{at}"))
    }

    /// Whether its cells have identifiers.
    pub(super) fn has_ids(&self) -> bool {
        (self.major, self.minor) >= (4, 5)
    }

    /// What the member is called that holds a cell's text.
    pub(super) fn source_name(&self, kind: &CellKind) -> &'static str {
        if self.major < 4 && *kind == CellKind::Code { "input" } else { "source" }
    }

    /// A cell's text.
    pub(super) fn source(&self, cell: &Cell<'_>) -> String {
        cell.members.get(self.source_name(&cell.kind)).map(joined).unwrap_or_default()
    }
}

impl<'a> Cell<'a> {
    fn parse(text: &'a str, list: usize, raw: &'a RawValue) -> Result<Cell<'a>, serde_json::Error> {
        let members: Members<'a> = serde_json::from_str(raw.get())?;
        let kind = members.get("cell_type").ok_or_else(|| serde_json::Error::missing_field("cell_type"))?;
        Ok(Cell {
            place: place_in(text, raw.get()),
            list,
            kind: CellKind::of(serde_json::from_str(kind.get())?),
            id: members.get("id").map(|id| serde_json::from_str(id.get())).transpose()?,
            members,
        })
    }
}

impl<'a> Members<'a> {
    /// The member of this name.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(key, _value)| key == name).map(|(_key, value)| *value)
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'de>, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Members::default();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if members.get(&name).is_some() {
                        return Err(A::Error::custom(format_args!("`{name}` is there twice")));
                    }
                    members.0.push((name, value));
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// A text that notebooks write as one string or as a list of its lines; nothing else is a text.
pub(super) fn joined(raw: &RawValue) -> String {
    joined_value(&serde_json::from_str(raw.get()).unwrap_or_default())
}

/// The same of a value.
pub(super) fn joined_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// Where a piece of a text stands in it.
fn place_in(text: &str, piece: &str) -> Range<usize> {
    let start = piece.as_ptr().addr() - text.as_ptr().addr();
    start..start + piece.len()
}

fn language(metadata: &Value) -> String {
    let named = ["/kernelspec/language", "/language_info/name"];
    let named = named.iter().find_map(|place| metadata.pointer(place)?.as_str());
    named.unwrap_or("python").to_owned()
}
