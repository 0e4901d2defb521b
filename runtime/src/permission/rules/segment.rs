//! The segments of a path pattern behind its first wildcard, matched name by name.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

use globset::{Glob, GlobBuilder, GlobMatcher};

use super::literal::Literals;

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
        readings: Vec<Reading>,
    },
}

/// One way to read a segment: parsed at once, compiled when it is first needed.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    glob: Glob,
    matcher: OnceLock<GlobMatcher>,
}

impl Reading {
    fn is_match(&self, name: &OsStr) -> bool {
        self.matcher.get_or_init(|| self.glob.compile_matcher()).is_match(Path::new(name))
    }
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
            let built = built.map(|glob| Reading { glob, matcher: OnceLock::new() });
            built.map_err(|error| format!("`{text}` is no pattern for a name: {}", error.kind()))
        };
        let globs = std::iter::once(with_plain_braces(text)).chain(wide);
        Ok(Segment::Name { text: text.to_owned(), readings: globs.map(compile).collect::<Result<_, _>>()? })
    }

    /// Whether it has a wildcard for one character.
    pub(super) fn is_narrow(&self) -> bool {
        let Segment::Name { text, .. } = self else { return false };
        let mut is_escaped = false;
        text.chars().any(|c| match c {
            '\\' => {
                is_escaped = !is_escaped;
                false
            }
            c => !std::mem::take(&mut is_escaped) && matches!(c, '?' | '['),
        })
    }

    /// The name it stands for, where there is only one.
    pub(super) fn literal(&self) -> Option<&str> {
        match self {
            Segment::Name { text, .. } if is_literal(text) => Some(text),
            Segment::Name { .. } | Segment::Any => None,
        }
    }
}

/// What stands at one place of a pattern, for comparing it with names that have wildcards of their own. In small letters.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// Any number of names.
    Any,
    /// One, with its wildcards.
    Name(String),
}

impl Wanted {
    pub(super) fn of(segment: &Segment) -> Wanted {
        match segment {
            Segment::Any => Wanted::Any,
            Segment::Name { text, .. } => Wanted::Name(text.to_lowercase()),
        }
    }
}

/// Whether names with wildcards may stand for something that matches, or lies below what does.
pub(super) fn may_meet(wanted: &[Wanted], names: &[String]) -> bool {
    match (wanted.split_first(), names.split_first()) {
        (None, _) => true,
        (Some(_), None) => wanted.iter().all(|wanted| matches!(wanted, Wanted::Any)),
        (Some((Wanted::Any, rest)), Some((_, behind))) => may_meet(rest, names) || may_meet(wanted, behind),
        (Some((Wanted::Name(text), rest)), Some((name, behind))) => {
            may_be_alike(text, name) && may_meet(rest, behind)
        }
    }
}

/// What stands at one place of a name with wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// Any number of letters.
    Many,
    /// One letter, whichever.
    One,
    /// This letter.
    Letter(char),
}

/// Whether a name with wildcards may stand for a plain one. Brackets stand for any one letter; those that are not
/// read here may stand for anything.
fn fits(wild: &str, plain: &str) -> bool {
    let Some(pieces) = pieces(wild) else { return true };
    let letters: Vec<char> = plain.chars().collect();
    let (mut piece, mut letter) = (0, 0);
    // Where the last `*` was, and how far it reaches.
    let mut last: Option<(usize, usize)> = None;
    while letter < letters.len() {
        match pieces.get(piece) {
            Some(Piece::Many) => {
                last = Some((piece, letter));
                piece += 1;
            }
            Some(Piece::One) => (piece, letter) = (piece + 1, letter + 1),
            Some(Piece::Letter(wanted)) if *wanted == letters[letter] => {
                (piece, letter) = (piece + 1, letter + 1);
            }
            _other => {
                let Some((many, reach)) = last else { return false };
                last = Some((many, reach + 1));
                (piece, letter) = (many + 1, reach + 1);
            }
        }
    }
    pieces[piece..].iter().all(|piece| *piece == Piece::Many)
}

/// The pieces of a name with wildcards; nothing where a bracket is not closed, or has others in it.
fn pieces(wild: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut letters = wild.chars();
    while let Some(letter) = letters.next() {
        pieces.push(match letter {
            '*' => Piece::Many,
            '?' => Piece::One,
            '[' => {
                // The first letter within is never the end, whether others are meant or not.
                let first = letters.next()?;
                let first = if matches!(first, '!' | '^') { letters.next()? } else { first };
                if first == '[' {
                    return None;
                }
                // Classes of letters have brackets of their own.
                let end = letters.by_ref().find(|letter| matches!(letter, ']' | '['))?;
                (end == ']').then_some(Piece::One)?
            }
            letter => Piece::Letter(letter),
        });
    }
    Some(pieces)
}

/// Whether two patterns may stand for one name, as far as the plain letters at their ends tell.
fn may_be_alike(one: &str, other: &str) -> bool {
    const WILD: [char; 6] = ['*', '?', '[', ']', '{', '\\'];
    let (Some(from_one), Some(from_other)) = (one.find(WILD), other.find(WILD)) else {
        // Where one is plain, the other must have its ends.
        let (plain, wild) = if one.contains(WILD) { (other, one) } else { (one, other) };
        let Some(from) = wild.find(WILD) else { return plain == wild };
        if !wild.contains(['{', '\\']) {
            return fits(wild, plain);
        }
        let behind = wild.rfind([']', '}', '*', '?', '\\']).map_or("", |at| &wild[at + 1..]);
        let behind = if wild.contains('\\') { "" } else { behind };
        return plain.starts_with(&wild[..from]) && plain.ends_with(behind);
    };
    let end = |text: &str| match text.rfind(['*', '?', ']', '}']) {
        Some(at) if !text.contains('\\') => text[at + 1..].to_owned(),
        _unsure => String::new(),
    };
    let (begin, begin_other) = (&one[..from_one], &other[..from_other]);
    let (end, end_other) = (end(one), end(other));
    (begin.starts_with(begin_other) || begin_other.starts_with(begin))
        && (end.ends_with(&end_other) || end_other.ends_with(&end))
}

/// Texts that each path has that lies at or below these names and segments: stretches without a wildcard, with the `/`
/// on both sides of a whole name. Letters other than ASCII may have a case, and are left out.
pub(super) fn literals<'a>(names: impl Iterator<Item = &'a OsStr>, segments: &[Segment]) -> Literals {
    let mut stretches = Stretches { done: Vec::new(), now: vec![b'/'] };
    for name in names {
        stretches.text(name.as_encoded_bytes());
        stretches.text(b"/");
    }
    for segment in segments {
        match segment {
            Segment::Any => stretches.cut(b"/"),
            Segment::Name { text, .. } => {
                if stretches.pattern(text) {
                    stretches.text(b"/");
                } else {
                    stretches.cut(b"/");
                }
            }
        }
    }
    stretches.cut(b"");
    stretches.done
}

/// Collects stretches of text.
struct Stretches {
    done: Literals,
    now: Vec<u8>,
}

impl Stretches {
    fn text(&mut self, text: &[u8]) {
        for byte in text {
            if byte.is_ascii() { self.now.push(*byte) } else { self.cut(b"") }
        }
    }

    fn cut(&mut self, next: &[u8]) {
        let done = std::mem::replace(&mut self.now, next.to_vec());
        if done.iter().any(|byte| *byte != b'/') {
            self.done.push(done);
        }
    }

    /// Takes what is certain of a pattern over a name, and tells whether its end is.
    fn pattern(&mut self, text: &str) -> bool {
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '*' | '?' => self.cut(b""),
                '\\' => match chars.next() {
                    Some(escaped) => self.text(escaped.encode_utf8(&mut [0; 4]).as_bytes()),
                    None => return false,
                },
                // What follows may be one of several.
                '[' | ']' | '{' | '}' => {
                    self.cut(b"");
                    return false;
                }
                other => self.text(other.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        true
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
                    next[at + 1] |= readings.iter().any(|reading| reading.is_match(name));
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

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_name_with_wildcards_stands_for_plain_ones_of_its_shape() {
        for (wild, plain, expected) in [
            ("[id]", "i", true),
            ("[id]", "kept", false),
            ("[jk]ept", "kept", true),
            ("[!x]ept", "kept", true),
            ("[]k]ept", "kept", true),
            ("[!]k]ept", "kept", true),
            ("[[:alpha:]]ept", "kept", true),
            ("[kept", "kept", true),
            ("k*", "kept", true),
            ("*k*p*t", "kept", true),
            ("*k*t*p", "kept", false),
            ("????", "kept", true),
            ("???", "kept", false),
            ("*", "", true),
            ("", "", true),
            ("", "k", false),
        ] {
            assert_eq!(fits(wild, plain), expected, "{wild} {plain}");
        }
        assert!(!fits(&"*a".repeat(100), &"a".repeat(99)));
    }
}
