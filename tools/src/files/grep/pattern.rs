//! From a pattern in text to one that can be looked for, or to what is wrong with it, at its place.

use grep_regex::{ErrorKind as Refused, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::{ErrorKind, Span};

use crate::one_line::one_line;

/// How a pattern is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Whether letters match in either case.
    pub(crate) any_case: bool,
    /// Whether a match may go over several lines, and `.` matches a line end.
    pub(crate) multiline: bool,
}

/// How large a pattern may become when it is made ready. Nobody can stop that, so it must not take long.
const COMPILED_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Why a pattern cannot be looked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadPattern {
    /// It says nothing.
    #[error(
        "`pattern` is empty, which every line matches: give a regular expression, or find files with Glob"
    )]
    Empty,
    /// It is no regular expression.
    #[error(
        "`{}` is not a regular expression: {problem} at character {place} (`{}`); {remedy}",
        one_line(pattern),
        one_line(at)
    )]
    Syntax {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
        /// Where, counted from 1.
        place: usize,
        /// What stands there.
        at: String,
        /// What to write instead.
        remedy: &'static str,
    },
    /// It has a line end in it, and lines are looked at one by one.
    #[error("`{}` matches a line end, and each line is looked at by itself: set `multiline` to true", one_line(.0))]
    LineEnd(String),
    /// It is one, and cannot be used.
    #[error("`{}` cannot be looked for: {}; give a simpler regular expression", one_line(.0), one_line(.1))]
    Unusable(String, String),
}

/// Reads a pattern.
pub(crate) fn matcher(pattern: &str, reading: Reading) -> Result<RegexMatcher, BadPattern> {
    if pattern.is_empty() {
        return Err(BadPattern::Empty);
    }
    check_syntax(pattern)?;
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).unicode(true).case_insensitive(reading.any_case).size_limit(COMPILED_BYTES_MAX);
    if reading.multiline {
        builder.dot_matches_new_line(true);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(pattern).map_err(|error| match error.kind() {
        Refused::NotAllowed(_) => BadPattern::LineEnd(pattern.to_owned()),
        _other => BadPattern::Unusable(pattern.to_owned(), error.to_string()),
    })
}

fn check_syntax(pattern: &str) -> Result<(), BadPattern> {
    let mut parser = regex_syntax::ParserBuilder::new().multi_line(true).utf8(false).build();
    let (problem, span, remedy) = match parser.parse(pattern) {
        Ok(_understood) => return Ok(()),
        Err(regex_syntax::Error::Parse(error)) => {
            (error.kind().to_string(), *error.span(), remedy(error.kind()))
        }
        Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), *error.span(), REMEDY),
        Err(error) => return Err(BadPattern::Unusable(pattern.to_owned(), error.to_string())),
    };
    let (place, at) = place(pattern, span);
    Err(BadPattern::Syntax { pattern: pattern.to_owned(), problem, place, at, remedy })
}

/// The character that a mistake is at, counted from 1, and what stands there: one character at the least.
fn place(pattern: &str, span: Span) -> (usize, String) {
    let start = span.start.offset.min(pattern.len());
    let before = pattern[..start].chars().count();
    let marked = &pattern[start..span.end.offset.clamp(start, pattern.len())];
    let next = || pattern[start..].chars().next().map(String::from).unwrap_or_default();
    (before + 1, if marked.is_empty() { next() } else { marked.to_owned() })
}

const REMEDY: &str = "put `\\` before a character that stands for itself";

/// What to write instead.
fn remedy(problem: &ErrorKind) -> &'static str {
    match problem {
        ErrorKind::RepetitionCountUnclosed
        | ErrorKind::RepetitionCountDecimalEmpty
        | ErrorKind::RepetitionCountInvalid
        | ErrorKind::DecimalEmpty
        | ErrorKind::DecimalInvalid => "to find the brace itself write `\\{`, as in `struct \\{\\}`",
        ErrorKind::RepetitionMissing => "to find the character itself write `\\*`, `\\+`, `\\?` or `\\{`",
        ErrorKind::GroupUnclosed => "close it with `)`, or write `\\(` to find the character itself",
        ErrorKind::GroupUnopened => "open it with `(`, or write `\\)` to find the character itself",
        ErrorKind::ClassUnclosed => "close it with `]`, or write `\\[` to find the character itself",
        ErrorKind::EscapeUnrecognized => {
            "leave the backslash out, or write `\\\\` to find the backslash itself"
        }
        ErrorKind::UnsupportedLookAround => {
            "find the part that is there, and show the lines around it with `context`"
        }
        ErrorKind::UnsupportedBackreference => "write out what repeats",
        _other => REMEDY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pattern: &str) -> String {
        matcher(pattern, Reading::default()).map_or_else(|bad| bad.to_string(), |_| String::new())
    }

    #[test]
    fn what_is_wrong_is_told_at_its_place_with_what_to_write_instead() {
        for (pattern, place, remedy) in [
            ("fn main() {", "character 11 (`{`)", "`\\{`"),
            ("x{}", "character 3 (`}`)", "`\\{`"),
            ("a(b", "character 2 (`(`)", "`\\(`"),
            ("a)b", "character 2 (`)`)", "`\\)`"),
            ("ü[a", "character 2 (`[`)", "`\\[`"),
            ("*.rs", "character 1 (`*`)", "`\\*`"),
            ("(?=x)", "(`(?=`)", "`context`"),
            ("(a)\\1", "(`\\1`)", "repeats"),
            ("\\y", "(`\\y`)", "backslash"),
            ("\\p{Nothing}", "(`\\p{Nothing}`)", "stands for itself"),
        ] {
            let said = said(pattern);
            assert!(said.starts_with(&format!("`{pattern}` is not a regular expression")), "{said}");
            assert!(said.contains(place) && said.contains(remedy), "{pattern}: {said}");
        }
    }

    #[test]
    fn a_line_end_needs_multiline() {
        assert!(said("a\\nb").contains("`multiline`"));
        assert!(said("a\nb").contains("`multiline`"));
        let reading = Reading { multiline: true, ..Reading::default() };
        assert!(matcher("a\\nb", reading).is_ok());
        assert!(said("").contains("is empty"));
        assert!(said("x{1000}{1000}{1000}").contains("simpler"));
    }
}
