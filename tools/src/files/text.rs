//! Text files as text: which bytes are text, how they are encoded, how their lines end, and the way back to bytes.
//!
//! It touches no file system.

use std::borrow::Cow;
use std::fmt::Write as _;

/// How a text file is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8 without a mark.
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8WithMark,
    /// UTF-16, the low byte first, behind its mark.
    Utf16Le,
    /// UTF-16, the high byte first, behind its mark.
    Utf16Be,
}

/// The content of a text file: without its mark, with its line ends as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// The text.
    pub(crate) content: String,
    /// How it was written down.
    pub(crate) encoding: Encoding,
}

/// Why bytes are not text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotText {
    /// There are zero bytes among them.
    #[error("it is a binary file: look at it with `file`, `xxd` or a program for its format")]
    Binary,
    /// They are not UTF-8.
    #[error("it is not UTF-8 text (the byte at offset {0} does not fit): convert it with `iconv` first")]
    NotUtf8(usize),
    /// They have the mark of UTF-16 and do not keep to it.
    #[error("it begins like UTF-16 but is not: look at it with `xxd`")]
    NotUtf16,
}

/// The mark of an encoding, as a character.
const MARK: char = '\u{FEFF}';
const MARK_UTF8: &[u8] = &[0xEF, 0xBB, 0xBF];
const MARK_UTF16_LE: &[u8] = &[0xFF, 0xFE];
const MARK_UTF16_BE: &[u8] = &[0xFE, 0xFF];

impl Text {
    /// Reads bytes as text.
    pub(crate) fn decode(bytes: Vec<u8>) -> Result<Text, NotText> {
        if let Some(rest) = bytes.strip_prefix(MARK_UTF16_LE) {
            return Text::from_utf16(rest, Encoding::Utf16Le, u16::from_le_bytes);
        }
        if let Some(rest) = bytes.strip_prefix(MARK_UTF16_BE) {
            return Text::from_utf16(rest, Encoding::Utf16Be, u16::from_be_bytes);
        }
        if bytes.contains(&0) {
            return Err(NotText::Binary);
        }
        let (bytes, encoding) = match bytes.strip_prefix(MARK_UTF8) {
            Some(rest) => (rest.to_vec(), Encoding::Utf8WithMark),
            None => (bytes, Encoding::Utf8),
        };
        match String::from_utf8(bytes) {
            Ok(content) => Ok(Text { content, encoding }),
            Err(error) => Err(NotText::NotUtf8(error.utf8_error().valid_up_to())),
        }
    }

    fn from_utf16(bytes: &[u8], encoding: Encoding, unit: fn([u8; 2]) -> u16) -> Result<Text, NotText> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(NotText::NotUtf16);
        }
        let content = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<String, _>>();
        content.map(|content| Text { content, encoding }).map_err(|_lone_surrogate| NotText::NotUtf16)
    }
}

impl Encoding {
    /// The bytes that a text has in this encoding, its mark included.
    pub(crate) fn encode(self, content: &str) -> Cow<'_, [u8]> {
        match self {
            Encoding::Utf8 => Cow::Borrowed(content.as_bytes()),
            Encoding::Utf8WithMark => [MARK_UTF8, content.as_bytes()].concat().into(),
            Encoding::Utf16Le => with_units(MARK_UTF16_LE, content, u16::to_le_bytes).into(),
            Encoding::Utf16Be => with_units(MARK_UTF16_BE, content, u16::to_be_bytes).into(),
        }
    }

    /// What a text reads as once it was written down in this encoding; nothing where it is not read as text then.
    pub(crate) fn read_back(self, content: &str) -> Option<&str> {
        match self {
            Encoding::Utf16Le | Encoding::Utf16Be => Some(content),
            Encoding::Utf8 | Encoding::Utf8WithMark if content.contains('\0') => None,
            // A text that begins like a mark is read as marked.
            Encoding::Utf8 => Some(content.strip_prefix(MARK).unwrap_or(content)),
            Encoding::Utf8WithMark => Some(content),
        }
    }
}

fn with_units(mark: &[u8], content: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    mark.iter().copied().chain(content.encode_utf16().flat_map(bytes)).collect()
}

/// A text with `\n` for every `\r\n`, and the way back to places in the original.
#[derive(Debug)]
pub(crate) struct Normal<'a> {
    /// The text with `\n` for every `\r\n`.
    pub(crate) text: Cow<'a, str>,
    /// Where, in `text`, the line ends stand that were `\r\n`; ascending.
    shortened: Vec<usize>,
    /// How many line ends were `\n` alone.
    bare: usize,
}

impl Normal<'_> {
    /// Normalises a text's line ends.
    pub(crate) fn of(original: &str) -> Normal<'_> {
        if !original.contains('\r') {
            // That it has bare line ends or none comes to the same.
            return Normal { text: Cow::Borrowed(original), shortened: Vec::new(), bare: 0 };
        }
        let mut text = String::with_capacity(original.len());
        let mut shortened = Vec::new();
        let mut bare = 0;
        for line in original.split_inclusive('\n') {
            if let Some(start) = line.strip_suffix("\r\n") {
                text.push_str(start);
                shortened.push(text.len());
                text.push('\n');
            } else {
                bare += usize::from(line.ends_with('\n'));
                text.push_str(line);
            }
        }
        Normal { text: Cow::Owned(text), shortened, bare }
    }

    /// The place in the original that a place in the normalised text came from.
    pub(crate) fn original_place(&self, place: usize) -> usize {
        place + self.shortened.partition_point(|end| *end < place)
    }

    /// `text` with the line ends that most lines of the original have; unchanged where that is `\n`.
    pub(crate) fn in_its_line_ends(&self, text: &str) -> String {
        if self.shortened.len() > self.bare {
            text.replace("\r\n", "\n").replace('\n', "\r\n")
        } else {
            text.to_owned()
        }
    }
}

/// The lines of a text without their ends; a last line end begins no further line.
pub(crate) fn lines(content: &str) -> impl Iterator<Item = &str> {
    content.split_inclusive('\n').map(|line| {
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    })
}

/// Lines behind their numbers, as `cat -n` writes them, without a last line end.
pub(crate) fn numbered<'a>(lines: impl IntoIterator<Item = &'a str>, first: usize) -> String {
    let mut out = String::new();
    for (index, line) in lines.into_iter().enumerate() {
        let end = if index == 0 { "" } else { "\n" };
        write!(out, "{end}{:>6}\t{line}", first + index).expect("writing to a string never fails");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_comes_back_as_it_was() {
        for encoding in [Encoding::Utf8, Encoding::Utf8WithMark, Encoding::Utf16Le, Encoding::Utf16Be] {
            for content in ["", "a\r\nb\n", "grüße 🦀", "\u{FEFF}x"] {
                let back =
                    Text::decode(encoding.encode(content).into_owned()).expect("it was encoded from text");
                assert_eq!(Some(back.content.as_str()), encoding.read_back(content));
                // A text that begins with a mark of its own is read as marked; there is no telling them apart.
                let is_marked = encoding == Encoding::Utf8 && content.starts_with(MARK);
                assert!(is_marked || back == Text { content: content.to_owned(), encoding });
            }
        }
    }

    #[test]
    fn a_zero_byte_makes_a_text_binary_where_it_is_one() {
        for encoding in [Encoding::Utf8, Encoding::Utf8WithMark, Encoding::Utf16Le, Encoding::Utf16Be] {
            let read = Text::decode(encoding.encode("a\0b").into_owned()).ok().map(|text| text.content);
            assert_eq!(read.as_deref(), encoding.read_back("a\0b"), "{encoding:?}");
        }
    }

    #[test]
    fn what_is_not_text_is_told_apart() {
        assert_eq!(Text::decode(vec![0x7F, b'E', 0, 1]), Err(NotText::Binary));
        assert_eq!(Text::decode(vec![b'a', b'b', 0xE9]), Err(NotText::NotUtf8(2)));
        assert_eq!(Text::decode(vec![0xFF, 0xFE, 0x41]), Err(NotText::NotUtf16));
        assert_eq!(Text::decode(vec![0xFF, 0xFE, 0x00, 0xD8]), Err(NotText::NotUtf16));
    }

    #[test]
    fn places_lead_back_to_the_original() {
        let original = "a\r\nbc\nd\r\n\r\ne";
        let normal = Normal::of(original);
        assert_eq!(normal.text, "a\nbc\nd\n\ne");
        let start = normal.text.find("c\nd\n").expect("it is there");
        let place = normal.original_place(start)..normal.original_place(start + 4);
        assert_eq!(&original[place], "c\nd\r\n");
        let end = normal.text.len();
        assert_eq!(normal.original_place(end), original.len());
        assert_eq!(&original[normal.original_place(1)..normal.original_place(2)], "\r\n");
    }

    #[test]
    fn new_text_takes_the_line_ends_that_most_lines_have() {
        assert_eq!(Normal::of("a\r\nb\r\nc\n").in_its_line_ends("x\ny\r\n"), "x\r\ny\r\n");
        assert_eq!(Normal::of("a\nb\r\nc\n").in_its_line_ends("x\ny\r\n"), "x\ny\r\n");
        assert_eq!(Normal::of("").in_its_line_ends("x\n"), "x\n");
    }

    #[test]
    fn a_last_line_end_begins_no_line() {
        assert_eq!(lines("").count(), 0);
        assert_eq!(lines("a\r\n\nb").collect::<Vec<_>>(), ["a", "", "b"]);
        assert_eq!(lines("a\n").collect::<Vec<_>>(), ["a"]);
        assert_eq!(numbered(["a", "b"], 9), "     9\ta\n    10\tb");
    }
}
