//! One line of a file as it is shown.

use std::ops::Range;

/// How many bytes of a line are shown.
pub(crate) const LINE_BYTES_MAX: usize = 500;
/// How many bytes before a match are shown of a line that is cut.
const BEFORE_BYTES: usize = 100;

/// A line as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// It matches.
    Match(u64, String),
    /// It stands around one that does.
    Around(u64, String),
    /// Lines that are not shown lie between.
    Gap,
}

impl Line {
    /// How many bytes it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Line::Match(_, text) | Line::Around(_, text) => text.len() + size_of::<Line>(),
            Line::Gap => size_of::<Line>(),
        }
    }

    /// Adds it to a text, behind the name of its file where that is told, and its number where that is told.
    pub(crate) fn write(&self, name: Option<&str>, has_number: bool, out: &mut String) {
        let (number, text, sign) = match self {
            Line::Match(number, text) => (number, text, ':'),
            Line::Around(number, text) => (number, text, '-'),
            Line::Gap => return out.push_str("--"),
        };
        if let Some(name) = name {
            out.push_str(name);
            out.push(sign);
        }
        if has_number {
            out.push_str(&number.to_string());
            out.push(sign);
        }
        out.push_str(text);
    }
}

/// A line without its end.
pub(crate) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The part of a line that is shown: of a long one, what is around its first match, which `first` finds. Bytes that are
/// not text become `�`.
pub(crate) fn shown(line: &[u8], first: impl FnOnce(&[u8]) -> Option<Range<usize>>) -> String {
    if line.len() <= LINE_BYTES_MAX {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = match first(line) {
        Some(found) if found.end > LINE_BYTES_MAX => boundary(line, found.start.saturating_sub(BEFORE_BYTES)),
        _at_the_beginning => 0,
    };
    let end = boundary(line, line.len().min(start + LINE_BYTES_MAX));
    let text = String::from_utf8_lossy(&line[start..end]);
    let before = if start > 0 { format!("[{start} bytes before] …") } else { String::new() };
    let after = match line.len() - end {
        0 => String::new(),
        bytes => format!("… [{bytes} more bytes in this line]"),
    };
    format!("{before}{text}{after}")
}

/// The place of the character that a place is in.
fn boundary(line: &[u8], place: usize) -> usize {
    /// How many bytes of a character follow its first one at the most.
    const FOLLOW_MAX: usize = 3;
    let is_start = |place: &usize| line.get(*place).is_none_or(|byte| byte & 0xC0 != 0x80);
    (place.saturating_sub(FOLLOW_MAX)..=place).rev().find(is_start).unwrap_or(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_its_first_match() {
        let line = format!("{}X{}", "ü".repeat(1_000), "y".repeat(3_000));
        let text = shown(line.as_bytes(), |_line| Some(2_000..2_001));
        assert_eq!(
            text,
            format!(
                "[1900 bytes before] …{}X{}… [2601 more bytes in this line]",
                "ü".repeat(50),
                "y".repeat(399)
            )
        );
        let text = shown(line.as_bytes(), |_line| Some(0..2));
        assert_eq!(text, format!("{}… [4501 more bytes in this line]", "ü".repeat(250)));
        assert_eq!(shown(b"a\xFFb", |_line| None), "a\u{FFFD}b");
    }

    #[test]
    fn ends_of_both_kinds_are_taken_off() {
        for line in ["a\r\n", "a\n", "a\r", "a"] {
            assert_eq!(without_end(line.as_bytes()), b"a");
        }
    }
}
