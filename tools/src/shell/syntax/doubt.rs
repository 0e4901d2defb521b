//! Why a command line, or a part of it, is not understood.

/// What could not be understood, as a phrase such as "`(` at 1:3 is not understood".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{phrase}")]
pub(crate) struct Doubt {
    pub(super) phrase: String,
    /// Whether more than one program's arguments is in doubt, so that nothing of the command line can be told.
    pub(crate) is_opaque: bool,
    /// Where a line ends that the grammar took no notice of, if that is all that is wrong.
    pub(super) line_end: Option<usize>,
}

/// How many characters of a piece are shown.
const PIECE_CHARS_MAX: usize = 60;

impl Doubt {
    /// A doubt about the whole command line.
    pub(crate) fn new(phrase: impl Into<String>) -> Doubt {
        Doubt { phrase: phrase.into(), is_opaque: true, line_end: None }
    }

    /// A doubt about what one program would do with its arguments: that it runs is told all the same.
    pub(crate) fn about_arguments(phrase: impl Into<String>) -> Doubt {
        Doubt { phrase: phrase.into(), is_opaque: false, line_end: None }
    }

    /// The same doubt, about the whole command line.
    pub(crate) fn about_all(self) -> Doubt {
        Doubt { is_opaque: true, ..self }
    }

    /// A doubt about a piece of a text, with its place in it.
    pub(crate) fn at(source: &str, range: std::ops::Range<usize>, what: &str) -> Doubt {
        let piece = source.get(range.clone()).unwrap_or_default().trim();
        let mut shown: String = piece.chars().take(PIECE_CHARS_MAX).collect();
        if shown.len() < piece.len() {
            shown.push('…');
        }
        let shown = if shown.is_empty() { "the end".to_owned() } else { format!("`{shown}`") };
        let before = source.get(..range.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Doubt::new(format!("{shown} at {line}:{column} {what}"))
    }
}
