//! The segments of a path pattern behind its first wildcard, matched name by name.

use std::ffi::OsStr;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// One segment of a path pattern.
#[derive(Clone, Debug)]
pub(super) enum Segment {
    /// Any number of names, also none: `**`.
    Any,
    /// One name, in one of several readings.
    Name {
        /// As written.
        text: String,
        /// How it may be read.
        readings: Vec<GlobMatcher>,
    },
}

impl Segment {
    /// Compiles a segment. Braces are no wildcards in gitignore, but many who write them mean some: a rule that closes
    /// is read both ways.
    ///
    /// # Errors
    /// In words: what is wrong with it.
    pub(super) fn new(text: &str, closes: bool) -> Result<Segment, String> {
        if text == "**" {
            return Ok(Segment::Any);
        }
        let wide = (closes && text.contains('{')).then(|| text.to_owned());
        let compile = |glob: String| {
            let built = GlobBuilder::new(&glob).backslash_escape(true).case_insensitive(closes).build();
            built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
        };
        let globs = std::iter::once(with_plain_braces(text)).chain(wide);
        Ok(Segment::Name { text: text.to_owned(), readings: globs.map(compile).collect::<Result<_, _>>()? })
    }

    /// The name it stands for, where there is only one.
    pub(super) fn literal(&self) -> Option<&str> {
        match self {
            Segment::Name { text, .. } if is_literal(text) => Some(text),
            Segment::Name { .. } | Segment::Any => None,
        }
    }
}

/// Whether a segment stands for its own text.
pub(super) fn is_literal(segment: &str) -> bool {
    !segment.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

fn with_plain_braces(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if matches!(c, '{' | '}') {
            out.push('\\');
        }
        out.push(c);
        if c == '\\' {
            out.extend(chars.next());
        }
    }
    out
}

/// Whether names are what the segments mean, or in it. Takes no more than names times segments steps.
pub(super) fn follows(segments: &[Segment], names: &[&OsStr]) -> bool {
    let end = segments.len();
    // Which beginnings of the segments the names so far can be.
    let mut reached = vec![false; end + 1];
    reached[0] = true;
    pass_any(segments, &mut reached);
    for name in names {
        if reached[end] {
            return true;
        }
        let mut next = vec![false; end + 1];
        for (at, segment) in segments.iter().enumerate().filter(|(at, _)| reached[*at]) {
            match segment {
                Segment::Any => next[at] = true,
                Segment::Name { readings, .. } => {
                    next[at + 1] |= readings.iter().any(|reading| reading.is_match(Path::new(name)));
                }
            }
        }
        pass_any(segments, &mut next);
        reached = next;
    }
    reached[end]
}

/// `**` may stand for no name at all.
fn pass_any(segments: &[Segment], reached: &mut [bool]) {
    for (at, segment) in segments.iter().enumerate() {
        reached[at + 1] |= reached[at] && matches!(segment, Segment::Any);
    }
}
