//! A font, as far as it tells which characters its codes mean and how wide they are.

use std::collections::BTreeMap;

use super::PdfError;
use super::cmap::Meanings;
use super::document::Document;
use super::glyphs::{self, Known};
use super::object::{Dictionary, Object};

/// What stands where it is not known which character is meant.
pub(super) const UNKNOWN: char = '\u{FFFD}';
/// How wide a letter is taken to be that nothing is said of, in heights.
const WIDTH: f64 = 0.5;
/// How many bytes a table of characters may have.
const WIDTHS_MAX: usize = 100_000;

/// A font.
#[derive(Debug)]
pub(super) struct Font {
    codes: Codes,
    meanings: Meanings,
    widths: Widths,
}

/// What the codes are that a text is made of.
#[derive(Debug)]
enum Codes {
    /// A byte each, with what they mean.
    Bytes(Vec<Option<char>>),
    /// Two bytes each, which may be characters as they are.
    Pairs { are_characters: bool },
    /// As the font's table says.
    Listed,
}

/// How wide letters are, in heights.
#[derive(Debug, Default)]
struct Widths {
    /// From a first code to a last one.
    runs: BTreeMap<u32, (u32, f64)>,
    other: Option<f64>,
}

/// A letter that a font shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Letter {
    pub(super) text: String,
    /// How wide it is, in heights.
    pub(super) width: f64,
    /// Whether it is the byte that words are parted by.
    pub(super) is_space: bool,
}

impl Font {
    /// What texts are shown in for which no font is set.
    pub(super) fn unknown() -> Font {
        let characters = (0..=u8::MAX).map(|byte| Known::Windows.character(byte)).collect();
        Font { codes: Codes::Bytes(characters), meanings: Meanings::default(), widths: Widths::default() }
    }

    /// Reads a font.
    pub(super) fn read(document: &Document<'_>, font: &Dictionary) -> Result<Font, PdfError> {
        let meanings = match document.of(font, "ToUnicode") {
            Some(stream @ Object::Stream(..)) => Meanings::parse(&document.unpacked(&stream)?),
            _none => Meanings::default(),
        };
        let kind = document.of(font, "Subtype");
        let kind = kind.as_ref().and_then(Object::name).unwrap_or_default();
        if kind == b"Type0" {
            let below = match document.of(font, "DescendantFonts") {
                Some(Object::List(fonts)) => fonts.first().map(|font| document.object(font)),
                _none => None,
            };
            let widths =
                below.as_ref().and_then(Object::dictionary).map(|below| composite_widths(document, below));
            return Ok(Font {
                codes: composite_codes(document, font),
                meanings,
                widths: widths.unwrap_or_default(),
            });
        }
        let codes = Codes::Bytes(characters(document, font, kind));
        Ok(Font { codes, meanings, widths: simple_widths(document, font, kind) })
    }

    /// The letters of a text.
    pub(super) fn letters(&self, text: &[u8]) -> Vec<Letter> {
        let codes = match &self.codes {
            Codes::Bytes(_) => text.iter().map(|byte| u32::from(*byte)).collect(),
            Codes::Pairs { .. } => text
                .chunks(2)
                .map(|pair| pair.iter().fold(0, |code, byte| code << 8 | u32::from(*byte)))
                .collect(),
            Codes::Listed => self.meanings.codes(text, 2),
        };
        codes.into_iter().map(|code| self.letter(code)).collect()
    }

    fn letter(&self, code: u32) -> Letter {
        let meant = self.meanings.of(code).or_else(|| self.character(code).map(String::from));
        let text: String = meant.unwrap_or_default().chars().map(written).collect();
        let width = self.widths.of(code).unwrap_or_else(|| guessed_width(&text));
        Letter { text, width, is_space: code == 32 && matches!(self.codes, Codes::Bytes(_)) }
    }

    /// What a code means of which the font's table says nothing.
    fn character(&self, code: u32) -> Option<char> {
        match &self.codes {
            // A control character shows nothing.
            Codes::Bytes(characters) => {
                let byte = usize::try_from(code).ok()?;
                characters.get(byte).copied().flatten().or((byte >= 0x20).then_some(UNKNOWN))
            }
            Codes::Pairs { are_characters: true } => Some(char::from_u32(code).unwrap_or(UNKNOWN)),
            Codes::Pairs { are_characters: false } | Codes::Listed => Some(UNKNOWN),
        }
    }
}

/// A character as text; letters that are written as one are told apart.
fn written(character: char) -> String {
    match character {
        'ﬀ' => "ff".to_owned(),
        // Older fonts have the two in places of their own.
        'ﬁ' | '\u{F001}' => "fi".to_owned(),
        'ﬂ' | '\u{F002}' => "fl".to_owned(),
        'ﬃ' => "ffi".to_owned(),
        'ﬄ' => "ffl".to_owned(),
        other => other.to_string(),
    }
}

/// How wide a letter is about, in most fonts.
fn guessed_width(text: &str) -> f64 {
    match text.chars().next() {
        Some('i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | 'f' | 't') => 0.28,
        Some('m' | 'w' | 'M' | 'W' | '@' | '%') => 0.83,
        Some('A'..='Z') => 0.68,
        _other => WIDTH,
    }
}

fn composite_codes(document: &Document<'_>, font: &Dictionary) -> Codes {
    match document.of(font, "Encoding") {
        Some(Object::Name(name)) => {
            let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
            let are_characters = has(b"UCS2") || has(b"UTF16");
            if are_characters || has(b"Identity") { Codes::Pairs { are_characters } } else { Codes::Listed }
        }
        _listed => Codes::Listed,
    }
}

/// What the bytes of a font of single bytes mean.
fn characters(document: &Document<'_>, font: &Dictionary, kind: &[u8]) -> Vec<Option<char>> {
    let encoding = document.of(font, "Encoding");
    let base = match &encoding {
        Some(Object::Name(name)) => Known::named(name),
        Some(other) => other.dictionary().and_then(|encoding| {
            document.of(encoding, "BaseEncoding").and_then(|base| Known::named(base.name()?))
        }),
        None => None,
    };
    let unsaid = if kind == b"TrueType" { Known::Windows } else { Known::Standard };
    let known = base.unwrap_or(unsaid);
    let mut characters: Vec<Option<char>> = (0..=u8::MAX).map(|byte| known.character(byte)).collect();
    let differences = encoding.as_ref().and_then(Object::dictionary);
    if let Some(Object::List(differences)) =
        differences.and_then(|encoding| document.of(encoding, "Differences"))
    {
        let mut byte = 0;
        for difference in differences.iter().take(WIDTHS_MAX).map(|difference| document.object(difference)) {
            match difference {
                Object::Name(name) => {
                    if let Some(character) = characters.get_mut(byte) {
                        *character = glyphs::character(&name);
                    }
                    byte += 1;
                }
                number => byte = number.size().unwrap_or(usize::from(u8::MAX) + 1),
            }
        }
    }
    characters
}

fn simple_widths(document: &Document<'_>, font: &Dictionary, kind: &[u8]) -> Widths {
    let mut widths = Widths::default();
    // The letters of these fonts are drawn to a measure of their own.
    let scale = match document.of(font, "FontMatrix") {
        Some(Object::List(matrix)) if kind == b"Type3" => {
            matrix.first().and_then(Object::number).unwrap_or(0.001)
        }
        _of_a_thousand => 0.001,
    };
    let first = document.of(font, "FirstChar").and_then(|first| first.size()).unwrap_or(0);
    if let Some(Object::List(listed)) = document.of(font, "Widths") {
        widths.list(first, listed.iter().map(|width| document.object(width)), scale);
    }
    widths
}

fn composite_widths(document: &Document<'_>, font: &Dictionary) -> Widths {
    let other = document.of(font, "DW").and_then(|width| width.number()).unwrap_or(1_000.0) / 1_000.0;
    let mut widths = Widths { other: Some(other), ..Widths::default() };
    let Some(Object::List(listed)) = document.of(font, "W") else { return widths };
    let mut listed = listed.iter().map(|thing| document.object(thing));
    while let (Some(first), Some(second)) = (listed.next().and_then(|first| first.size()), listed.next()) {
        match second {
            Object::List(each) => widths.list(first, each.into_iter(), 0.001),
            last => {
                let (last, width) = (last.size(), listed.next().and_then(|width| width.number()));
                if let (Some(last), Some(width)) = (last, width) {
                    widths.put(first, last, width / 1_000.0);
                }
            }
        }
    }
    widths
}

impl Widths {
    fn put(&mut self, first: usize, last: usize, width: f64) {
        if let (Ok(first), Ok(last)) = (u32::try_from(first), u32::try_from(last))
            && self.runs.len() < WIDTHS_MAX
        {
            self.runs.insert(first, (last, width));
        }
    }

    fn list(&mut self, first: usize, widths: impl Iterator<Item = Object>, scale: f64) {
        for (code, width) in (first..).zip(widths.take(WIDTHS_MAX)) {
            if let Some(width) = width.number() {
                self.put(code, code, width * scale);
            }
        }
    }

    fn of(&self, code: u32) -> Option<f64> {
        let run = self.runs.range(..=code).next_back().filter(|(_first, (last, _width))| code <= *last);
        run.map(|(_first, (_last, width))| *width).or(self.other)
    }
}
