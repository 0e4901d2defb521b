//! The table by which a font says which characters its codes mean (`ToUnicode`): a small program in PostScript, of which
//! only the lists of codes matter.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::object::hexadecimal;

/// How many codes a table may list one by one.
const CODES_MAX: usize = 100_000;
/// How many ranges may tell how many bytes a code has: each is looked at for each code.
const SPACES_MAX: usize = 100;
/// How many bytes a code may have.
const CODE_BYTES_MAX: usize = 4;

/// Which characters the codes of a font mean.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    /// How many bytes the codes have that lie in a range.
    spaces: Vec<(usize, RangeInclusive<u32>)>,
    /// What single codes mean.
    single: BTreeMap<u32, String>,
    /// Codes that mean characters which follow each other, from the first code, with the text of the first.
    runs: BTreeMap<u32, (u32, Vec<u16>)>,
}

/// A piece of the program.
#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    /// `<0041>`.
    Bytes(Vec<u8>),
    /// `[` or `]`.
    Bracket(u8),
    /// Anything else.
    Word(&'a [u8]),
}

impl Meanings {
    /// Reads a table, as far as it can be read.
    pub(super) fn parse(text: &[u8]) -> Meanings {
        let mut tokens = Tokens { text };
        let mut meanings = Meanings::default();
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(b"begincodespacerange") => meanings.read_spaces(&mut tokens),
                Token::Word(b"beginbfchar") => meanings.read_single(&mut tokens),
                Token::Word(b"beginbfrange") => meanings.read_runs(&mut tokens),
                _other => {}
            }
        }
        meanings
    }

    /// The codes that a string is made of, each with its number of bytes. Where the table does not say how many a code
    /// has, it is so many.
    pub(super) fn codes(&self, text: &[u8], bytes: usize) -> Vec<u32> {
        let mut codes = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let of_a_space = |length: usize| {
                let code = number(rest.get(..length)?);
                self.spaces
                    .iter()
                    .any(|(bytes, range)| *bytes == length && range.contains(&code))
                    .then_some(length)
            };
            let length = (1..=CODE_BYTES_MAX).find_map(of_a_space).unwrap_or(bytes).min(rest.len());
            codes.push(number(&rest[..length]));
            rest = &rest[length..];
        }
        codes
    }

    /// What a code means.
    pub(super) fn of(&self, code: u32) -> Option<String> {
        if let Some(text) = self.single.get(&code) {
            return Some(text.clone());
        }
        let (first, (last, text)) = self.runs.range(..=code).next_back()?;
        if code > *last {
            return None;
        }
        let mut text = text.clone();
        let end = text.last_mut()?;
        *end = end.wrapping_add(u16::try_from(code - first).ok()?);
        Some(String::from_utf16_lossy(&text))
    }

    fn is_full(&self) -> bool {
        self.single.len() + self.runs.len() >= CODES_MAX
    }

    fn read_spaces(&mut self, tokens: &mut Tokens<'_>) {
        while let (Some(Token::Bytes(first)), Some(Token::Bytes(last))) = (tokens.next(), tokens.next()) {
            let is_wanted = self.spaces.len() < SPACES_MAX && first.len() == last.len();
            if is_wanted && (1..=CODE_BYTES_MAX).contains(&first.len()) {
                self.spaces.push((first.len(), number(&first)..=number(&last)));
            }
        }
    }

    fn read_single(&mut self, tokens: &mut Tokens<'_>) {
        while let (Some(Token::Bytes(code)), Some(text)) = (tokens.next(), tokens.next()) {
            if let Token::Bytes(text) = text
                && !self.is_full()
            {
                self.single.insert(number(&code), String::from_utf16_lossy(&units(&text)));
            }
        }
    }

    fn read_runs(&mut self, tokens: &mut Tokens<'_>) {
        while let (Some(Token::Bytes(first)), Some(Token::Bytes(last))) = (tokens.next(), tokens.next()) {
            let (first, last) = (number(&first), number(&last));
            match tokens.next() {
                Some(Token::Bytes(text)) if !self.is_full() => {
                    self.runs.insert(first, (last, units(&text)));
                }
                Some(Token::Bracket(b'[')) => self.read_list(first, tokens),
                Some(_other) => {}
                None => return,
            }
        }
    }

    /// The meanings of codes that follow each other, one by one.
    fn read_list(&mut self, first: u32, tokens: &mut Tokens<'_>) {
        let mut code = first;
        while let Some(Token::Bytes(text)) = tokens.next() {
            if self.is_full() {
                return;
            }
            self.single.insert(code, String::from_utf16_lossy(&units(&text)));
            code = code.wrapping_add(1);
        }
    }
}

/// The number that bytes are, the highest first; of too many, the last ones count.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Bytes as UTF-16; one byte alone is a character.
fn units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [byte] => vec![u16::from(*byte)],
        _pairs => bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect(),
    }
}

struct Tokens<'a> {
    text: &'a [u8],
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_what_says_nothing();
        let (first, rest) = self.text.split_first()?;
        match first {
            b'<' if rest.first() != Some(&b'<') => {
                let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
                self.text = rest.get(end + 1..).unwrap_or_default();
                Some(Token::Bytes(hexadecimal(&rest[..end])))
            }
            b'[' | b']' => {
                self.text = rest;
                Some(Token::Bracket(*first))
            }
            _word => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b"<[]%".contains(byte);
                let end = rest.iter().position(ends).map_or(self.text.len(), |end| end + 1);
                let (word, rest) = self.text.split_at(end);
                self.text = rest;
                Some(Token::Word(word))
            }
        }
    }
}

impl Tokens<'_> {
    /// Passes over white space and comments.
    fn skip_what_says_nothing(&mut self) {
        loop {
            self.text = self.text.trim_ascii_start();
            if self.text.first() != Some(&b'%') {
                return;
            }
            let end =
                self.text.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(self.text.len());
            self.text = &self.text[end..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_codes_runs_and_lists_are_read() {
        let meanings = Meanings::parse(
            b"/CIDInit /ProcSet findresource begin % a comment <00>\n1 begincodespacerange <0000> <FFFF> \
              endcodespacerange\n2 beginbfchar <0001> <0041>\n<0002><00660066>endbfchar\n\
              2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0078> <D83DDE00>] endbfrange end",
        );
        let said = |code| meanings.of(code).unwrap_or_default();
        assert_eq!(
            [1, 2, 0x10, 0x12, 0x13, 0x20, 0x21, 0x22].map(said),
            ["A", "ff", "a", "c", "", "x", "😀", ""]
        );
        assert_eq!(meanings.codes(&[0, 1, 0, 2, 9], 1), [1, 2, 9]);
    }

    #[test]
    fn codes_of_different_lengths_are_told_apart_by_their_ranges() {
        let meanings = Meanings::parse(b"begincodespacerange <00> <7F> <8000> <FFFF> endcodespacerange");
        assert_eq!(meanings.codes(&[0x41, 0x81, 0x42, 0x43], 1), [0x41, 0x8142, 0x43]);
    }

    #[test]
    fn what_is_broken_is_read_as_far_as_it_goes() {
        for text in [
            "beginbfchar",
            "beginbfchar <",
            "beginbfchar <01",
            "beginbfrange <01> <02>",
            "beginbfrange <01> <02> [",
            "beginbfrange <02> <01> <>",
            "beginbfrange <00> <FFFFFFFFFF> <41> endbfrange",
            "begincodespacerange <> <> <0102030405> <0102030405>",
            "<<<<>>>> [[ ]] % ",
        ] {
            let meanings = Meanings::parse(text.as_bytes());
            meanings.codes(&[0, 1, 2, 3, 4, 5], 2);
            let _anything = (meanings.of(1), meanings.of(u32::MAX));
        }
    }
}
