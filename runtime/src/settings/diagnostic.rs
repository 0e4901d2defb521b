//! What is wrong with a settings file, and where: plain data, for whoever draws it.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::cut::start_of;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is wrong, but something does not count.
    Note,
    /// It works, though most likely not as it was meant.
    Warning,
    /// It does not count.
    Error,
}

/// One thing to say about a settings file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The file, or what stands for one, such as `--settings`.
    pub file: String,
    /// Where in its text; nothing for the file as a whole.
    pub place: Option<Place>,
    /// The entry, such as `permissions.deny[2]`; empty for the file as a whole.
    pub path: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, and what it means.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The bytes, behind a byte order mark if there is one.
    pub range: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

impl Place {
    /// The place of a range of bytes. What is outside the text is moved to its end.
    #[must_use]
    pub fn new(text: &str, range: Range<usize>) -> Place {
        let start = start_of(text, range.start).len();
        let end = start_of(text, range.end).len().max(start);
        let before = &text[..start];
        let line_begins = before.rfind('\n').map_or(0, |at| at + 1);
        Place {
            range: start..end,
            line: before.matches('\n').count() + 1,
            column: before[line_begins..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(place) = &self.place {
            write!(f, "{}:{}:", place.line, place.column)?;
        }
        write!(f, " {}: ", self.severity)?;
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one_and_never_leave_the_text() {
        let text = "{\n  \"ä\": 1\n}";
        for (range, line, column) in
            [(0..1, 1, 1), (4..8, 2, 3), (9..10, 2, 7), (99..100, 3, 2), (6..7, 2, 4)]
        {
            let place = Place::new(text, range.clone());
            assert_eq!((place.line, place.column), (line, column), "{range:?}");
            assert!(text.get(place.range).is_some());
        }
    }
}
