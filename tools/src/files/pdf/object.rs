//! What a PDF file is written in: numbers, texts, names, lists, dictionaries, and words that command.

use std::collections::BTreeMap;

/// How deep lists and dictionaries may stand in each other.
const DEPTH_MAX: usize = 64;
/// How many things one list or dictionary may hold, what is in those within it included.
const THINGS_MAX: usize = 1_000_000;

/// A thing that a file has.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    /// A number.
    Number(f64),
    /// A text, as bytes.
    Text(Vec<u8>),
    /// A name, without its `/`.
    Name(Vec<u8>),
    /// A list.
    List(Vec<Object>),
    /// Things by name.
    Dictionary(Dictionary),
    /// Another object, by its number.
    Reference(u32),
    /// Anything else: `true`, `null`, or a command.
    Word(Vec<u8>),
    /// A dictionary, and where in the file the bytes stand that it describes.
    Stream(Dictionary, std::ops::Range<usize>),
}

/// Things by name.
pub(super) type Dictionary = BTreeMap<Vec<u8>, Object>;

impl Object {
    /// The number that it is, where it is a whole one that is not negative.
    pub(super) fn size(&self) -> Option<usize> {
        let number = self.number().filter(|number| *number >= 0.0 && *number < 1e15)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it lies between 0 and 10^15"
        )]
        Some(number as usize)
    }

    /// The number that it is.
    pub(super) fn number(&self) -> Option<f64> {
        if let Object::Number(number) = self { Some(*number) } else { None }
    }

    /// The name that it is.
    pub(super) fn name(&self) -> Option<&[u8]> {
        if let Object::Name(name) = self { Some(name) } else { None }
    }

    /// What is known of it by name.
    pub(super) fn dictionary(&self) -> Option<&Dictionary> {
        match self {
            Object::Dictionary(dictionary) | Object::Stream(dictionary, _) => Some(dictionary),
            _other => None,
        }
    }
}

/// Whether references stand in what is read: they do in files, and not in what a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum References {
    Read,
    Absent,
}

/// Reads things one after another.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    /// How far it has come.
    pub(super) at: usize,
    references: References,
    things: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, references: References) -> Reader<'a> {
        Reader { bytes, at, references, things: 0 }
    }

    /// The next thing; nothing at the end, and where what stands there is too large or too deep.
    pub(super) fn next(&mut self) -> Option<Object> {
        self.things = 0;
        self.thing(0)
    }

    /// Passes over so many bytes.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.bytes.len());
    }

    /// What is still to be read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at.min(self.bytes.len())..]
    }

    fn thing(&mut self, depth: usize) -> Option<Object> {
        self.things += 1;
        self.skip_white();
        if depth > DEPTH_MAX || self.things > THINGS_MAX {
            return None;
        }
        let rest = self.rest();
        match rest.first()? {
            b'(' => Some(Object::Text(self.text())),
            b'<' if rest.get(1) == Some(&b'<') => {
                self.at += 2;
                self.dictionary(depth)
            }
            b'<' => Some(Object::Text(self.digits())),
            b'/' => {
                self.at += 1;
                Some(Object::Name(self.name()))
            }
            b'[' => {
                self.at += 1;
                self.list(depth)
            }
            b'0'..=b'9' | b'+' | b'-' | b'.' => Some(self.number_or_reference()),
            _word => Some(Object::Word(self.word())),
        }
    }

    fn skip_white(&mut self) {
        loop {
            let is_white = |byte: &u8| matches!(byte, 0 | b'\t' | b'\n' | 0x0C | b'\r' | b' ');
            self.at += self.rest().iter().take_while(|byte| is_white(byte)).count();
            if self.rest().first() != Some(&b'%') {
                return;
            }
            self.at += self.rest().iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
        }
    }

    /// Letters and digits up to what parts things.
    fn regular(&mut self) -> &'a [u8] {
        let parts = |byte: &u8| {
            matches!(
                byte,
                0 | b'\t'
                    | b'\n'
                    | 0x0C
                    | b'\r'
                    | b' '
                    | b'('
                    | b')'
                    | b'<'
                    | b'>'
                    | b'['
                    | b']'
                    | b'{'
                    | b'}'
            ) || matches!(byte, b'/' | b'%')
        };
        let rest = self.rest();
        let end = rest.iter().position(parts).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn word(&mut self) -> Vec<u8> {
        let word = self.regular().to_vec();
        if word.is_empty() {
            // A sign that parts things and stands alone.
            let sign = self.rest()[..1].to_vec();
            self.at += 1;
            return sign;
        }
        word
    }

    fn name(&mut self) -> Vec<u8> {
        let written = self.regular();
        let mut name = Vec::with_capacity(written.len());
        let mut rest = written;
        while let Some((byte, behind)) = rest.split_first() {
            let escaped = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
            match escaped.filter(|_| *byte == b'#').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(escaped) => {
                    name.push(escaped);
                    rest = &behind[2..];
                }
                None => {
                    name.push(*byte);
                    rest = behind;
                }
            }
        }
        name
    }

    fn number_or_reference(&mut self) -> Object {
        let written = self.regular();
        let number = number(written);
        if self.references == References::Read
            && written.iter().all(u8::is_ascii_digit)
            && let Some(behind) = behind_reference(self.rest())
            && let Ok(object) = std::str::from_utf8(written).unwrap_or_default().parse()
        {
            self.at += behind;
            return Object::Reference(object);
        }
        Object::Number(number)
    }

    fn list(&mut self, depth: usize) -> Option<Object> {
        let mut things = Vec::new();
        loop {
            match self.thing(depth + 1)? {
                Object::Word(word) if word == b"]" => return Some(Object::List(things)),
                thing => things.push(thing),
            }
        }
    }

    fn dictionary(&mut self, depth: usize) -> Option<Object> {
        let mut things = Dictionary::new();
        loop {
            self.skip_white();
            if self.rest().starts_with(b">>") {
                self.at += 2;
                return Some(Object::Dictionary(things));
            }
            // What has no name is passed over.
            if let Object::Name(name) = self.thing(depth + 1)? {
                self.skip_white();
                if !self.rest().starts_with(b">>") {
                    let value = self.thing(depth + 1)?;
                    things.insert(name, value);
                }
            }
        }
    }

    /// A text between brackets, which may stand in it in pairs.
    fn text(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut open = 0_usize;
        while let Some(byte) = self.rest().first().copied() {
            self.at += 1;
            match byte {
                b'(' => {
                    open += 1;
                    if open == 1 {
                        continue;
                    }
                }
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.escaped(&mut text);
                    continue;
                }
                _other => {}
            }
            text.push(byte);
        }
        text
    }

    fn escaped(&mut self, text: &mut Vec<u8>) {
        let rest = self.rest();
        let Some(byte) = rest.first() else { return };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'\n' => {}
            b'\r' => self.at += usize::from(rest.get(1) == Some(&b'\n')),
            b'0'..=b'7' => {
                let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
                let (count, value) =
                    digits.fold((0, 0_u8), |(count, value), digit| (count + 1, value << 3 | (digit - b'0')));
                self.at += count - 1;
                text.push(value);
            }
            other => text.push(*other),
        }
    }

    /// A text that is written in hexadecimal digits.
    fn digits(&mut self) -> Vec<u8> {
        self.at += 1;
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
        self.skip(end + 1);
        hexadecimal(&rest[..end])
    }
}

/// The bytes that hexadecimal digits write; a last digit alone is followed by a zero.
pub(super) fn hexadecimal(digits: &[u8]) -> Vec<u8> {
    let values = digits.iter().filter_map(|digit| char::from(*digit).to_digit(16));
    let values: Vec<u8> = values.filter_map(|value| u8::try_from(value).ok()).collect();
    values.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

/// How many bytes ` 0 R` has, where it stands at the beginning.
fn behind_reference(rest: &[u8]) -> Option<usize> {
    let white = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let before = white(rest);
    let digits = rest[before..].iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
    let between = white(&rest[before + digits..]);
    let at = before + digits + between;
    let ends = |byte: &u8| !byte.is_ascii_alphanumeric();
    let is_one = before > 0 && digits > 0 && between > 0 && rest.get(at) == Some(&b'R');
    (is_one && rest.get(at + 1).is_none_or(ends)).then_some(at + 1)
}

/// What is written like a number, as far as it is one.
fn number(written: &[u8]) -> f64 {
    let text = std::str::from_utf8(written).unwrap_or_default();
    // `--5` and `5-3` are found in files.
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let digits = text.trim_start_matches(['+', '-']);
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    sign * digits[..end].parse::<f64>().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Object> {
        Reader::new(text.as_bytes(), 0, References::Read).next()
    }

    #[test]
    fn each_kind_of_thing_is_read() {
        let name = |name: &str| Object::Name(name.as_bytes().to_vec());
        let text = |text: &[u8]| Object::Text(text.to_vec());
        for (written, thing) in [
            ("12", Object::Number(12.0)),
            ("-.5", Object::Number(-0.5)),
            ("--7", Object::Number(-7.0)),
            ("12 0 R", Object::Reference(12)),
            ("12 0 RG", Object::Number(12.0)),
            ("/A#20B", name("A B")),
            ("/", name("")),
            ("(a(b)\\)\\101\\\nc)", text(b"a(b))Ac")),
            ("<48 656>", text(b"He`")),
            ("% comment\n[1 /A]", Object::List(vec![Object::Number(1.0), name("A")])),
            ("<</A 1/B>>", Object::Dictionary([(b"A".to_vec(), Object::Number(1.0))].into())),
            ("true", Object::Word(b"true".to_vec())),
            ("}", Object::Word(b"}".to_vec())),
        ] {
            assert_eq!(read(written), Some(thing), "{written}");
        }
    }

    #[test]
    fn what_has_no_end_or_is_too_deep_is_nothing() {
        for written in ["", "  % only", "[1 2", "<</A 1", &"[".repeat(100_000), &"<</A ".repeat(100_000)] {
            assert_eq!(read(written), None);
        }
        assert_eq!(read("(abc"), Some(Object::Text(b"abc".to_vec())));
        assert_eq!(read(&format!("[{}]", "1 ".repeat(THINGS_MAX))), None);
    }
}
