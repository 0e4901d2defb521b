//! The beginning of a text that may be long.

use serde::Serialize;

/// How many characters of a result a report keeps.
const RESULT_CHARS_MAX: usize = 2_000;
/// How many characters of an input a report keeps.
const INPUT_CHARS_MAX: usize = 8_000;

/// The beginning of a text, and how long it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// The beginning, or all of it.
    pub head: String,
    /// How many characters the whole has.
    pub chars: usize,
}

impl Cut {
    /// Of what a call gave.
    #[must_use]
    pub fn result(text: &str) -> Cut {
        Cut::at(text, RESULT_CHARS_MAX)
    }

    /// Of what a call was given.
    #[must_use]
    pub fn input(text: &str) -> Cut {
        Cut::at(text, INPUT_CHARS_MAX)
    }

    fn at(text: &str, chars_max: usize) -> Cut {
        let head = text.char_indices().nth(chars_max).map_or(text, |(end, _)| &text[..end]);
        Cut { head: head.to_owned(), chars: text.chars().count() }
    }
}
