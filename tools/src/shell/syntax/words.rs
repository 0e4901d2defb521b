//! The hand-written reader of words: it goes over every byte of a word, and takes from the grammar's tree only what
//! stands in an expansion.

use tree_sitter::Node;

use super::ast::{Arithmetic, Part, Text};
use super::doubt::Doubt;
use super::statements::Reader;

/// Ways of ending a word that is not quoted.
const ENDS: &[char] = &[' ', '\t', '\n', ';', '&', '|', '<', '>', ')'];

/// A reader of one stretch of the source.
pub(super) struct Words<'r, 'a> {
    reader: &'r Reader<'a>,
    source: &'a str,
    pub(super) at: usize,
    end: usize,
    parts: Vec<Part>,
}

impl<'r, 'a> Words<'r, 'a> {
    pub(super) fn new(reader: &'r Reader<'a>, range: std::ops::Range<usize>) -> Words<'r, 'a> {
        Words { reader, source: reader.source, at: range.start, end: range.end, parts: Vec::new() }
    }

    /// The one word that the stretch is.
    pub(super) fn only(mut self) -> Result<Text, Doubt> {
        let start = self.at;
        let word = self.word()?;
        let next = self.source[self.at..].chars().next();
        let ends = next.is_none_or(|next| ENDS.contains(&next) || matches!(next, '(' | '`' | '}'));
        if self.at != self.end || !ends {
            return Err(self.doubt(start, "is read as one word and is not"));
        }
        Ok(word)
    }

    /// Skips what separates words.
    pub(super) fn skip_blanks(&mut self) {
        while let Some(length) =
            ["\\\n", " ", "\t", "\n"].iter().find(|blank| self.rest().starts_with(**blank)).map(|it| it.len())
        {
            self.at += length;
        }
    }

    /// Takes a text that comes next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.source[self.at..self.end]
    }

    pub(super) fn doubt(&self, start: usize, what: &str) -> Doubt {
        Doubt::at(self.source, start..self.end.max(self.at), what)
    }

    /// The next word.
    pub(super) fn word(&mut self) -> Result<Text, Doubt> {
        let start = self.at;
        let mut before = ' ';
        while let Some(next) = self.rest().chars().next() {
            match next {
                '<' | '>' if self.rest()[1..].starts_with('(') => self.stream()?,
                end if ENDS.contains(&end) => break,
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '\\' => self.escaped()?,
                '$' if self.rest().starts_with("$'") => self.ansi_quoted()?,
                '$' | '`' => self.expansion(false)?,
                '{' => self.brace(),
                '(' => return Err(self.doubt(start, "is not understood")),
                '#' if self.at == start => return Err(self.doubt(start, "begins a comment")),
                '~' if self.at == start => {
                    self.parts.push(Part::Tilde);
                    self.at += 1;
                }
                '~' if matches!(before, '=' | ':') => {
                    self.parts.push(Part::Odd);
                    self.bare('~');
                }
                plain => self.bare(plain),
            }
            before = next;
        }
        let typed = self.source[start..self.at].replace("\\\n", "");
        Ok(Text { typed, parts: std::mem::take(&mut self.parts) })
    }

    /// The rest of the stretch as the body of a here-document whose delimiter is not quoted.
    pub(super) fn document(mut self) -> Result<Text, Doubt> {
        let start = self.at;
        while let Some(next) = self.rest().chars().next() {
            match next {
                '$' | '`' => self.expansion(true)?,
                '\\' => self.escaped_in_quotes(false),
                plain => self.quoted(plain),
            }
        }
        Ok(Text { typed: self.source[start..self.at].to_owned(), parts: self.parts })
    }

    /// The parts of what stands behind an operator in `${…}`: only its expansions matter.
    pub(super) fn operand(mut self) -> Result<Vec<Part>, Doubt> {
        while let Some(next) = self.rest().chars().next() {
            match next {
                '$' if self.rest().starts_with("$'") => return Err(self.doubt(self.at, "is not understood")),
                '$' | '`' => self.expansion(true)?,
                '<' | '>' if self.rest()[1..].starts_with('(') => {
                    return Err(self.doubt(self.at, "is not understood"));
                }
                '\\' => self.escaped_in_quotes(true),
                plain => self.quoted(plain),
            }
        }
        Ok(self.parts)
    }

    fn bare(&mut self, c: char) {
        match self.parts.last_mut() {
            Some(Part::Bare(text)) => text.push(c),
            _other => self.parts.push(Part::Bare(c.to_string())),
        }
        self.at += c.len_utf8();
    }

    fn quoted(&mut self, c: char) {
        self.push_quoted(c);
        self.at += c.len_utf8();
    }

    fn push_quoted(&mut self, c: char) {
        match self.parts.last_mut() {
            Some(Part::Quoted(text)) => text.push(c),
            _other => self.parts.push(Part::Quoted(c.to_string())),
        }
    }

    fn single_quoted(&mut self) -> Result<(), Doubt> {
        let Some(length) = self.rest()[1..].find('\'') else {
            return Err(self.doubt(self.at, "is not closed"));
        };
        self.parts.push(Part::Quoted(self.rest()[1..=length].to_owned()));
        self.at += length + 2;
        Ok(())
    }

    fn double_quoted(&mut self) -> Result<(), Doubt> {
        let start = self.at;
        self.at += 1;
        // Even an empty one makes a word.
        self.parts.push(Part::Quoted(String::new()));
        while let Some(next) = self.rest().chars().next() {
            match next {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '$' | '`' => self.expansion(true)?,
                '\\' => self.escaped_in_quotes(true),
                plain => self.quoted(plain),
            }
        }
        Err(self.doubt(start, "is not closed"))
    }

    /// A backslash in double quotes, or in a here-document, where a quote needs none.
    fn escaped_in_quotes(&mut self, escapes_quote: bool) {
        self.at += 1;
        match self.rest().chars().next() {
            Some('\n') => self.at += 1,
            Some('"') if !escapes_quote => self.push_quoted('\\'),
            Some(escaped @ ('$' | '`' | '"' | '\\')) => self.quoted(escaped),
            _other => self.push_quoted('\\'),
        }
    }

    fn escaped(&mut self) -> Result<(), Doubt> {
        self.at += 1;
        match self.rest().chars().next() {
            None => Err(self.doubt(self.at - 1, "stands at the end")),
            Some('\n') => {
                self.at += 1;
                Ok(())
            }
            Some(escaped) => {
                self.parts.push(Part::Quoted(escaped.to_string()));
                self.at += escaped.len_utf8();
                Ok(())
            }
        }
    }

    /// `$'…'` with the escapes that are the same everywhere.
    fn ansi_quoted(&mut self) -> Result<(), Doubt> {
        let start = self.at;
        self.at += 2;
        self.parts.push(Part::Quoted(String::new()));
        loop {
            let mut chars = self.rest().chars();
            let value = match (chars.next(), chars.next()) {
                (None, _) => return Err(self.doubt(start, "is not closed")),
                (Some('\''), _) => {
                    self.at += 1;
                    return Ok(());
                }
                (Some('\\'), Some(escaped)) => {
                    self.at += escaped.len_utf8();
                    match escaped {
                        'x' | 'u' | 'U' | '0'..='7' => {
                            let Some((value, length)) = numbered(&self.rest()[escaped.len_utf8()..], escaped)
                            else {
                                return Err(self.doubt(start, "has an escape that is not understood"));
                            };
                            self.at += length;
                            value
                        }
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'e' | 'E' => '\u{1b}',
                        '\\' | '\'' | '"' | '?' => escaped,
                        _other => return Err(self.doubt(start, "has an escape that is not understood")),
                    }
                }
                (Some(plain), _) => {
                    self.at += plain.len_utf8() - 1;
                    plain
                }
            };
            self.at += 1;
            self.push_quoted(value);
        }
    }

    /// `<(…)` or `>(…)`.
    fn stream(&mut self) -> Result<(), Doubt> {
        let node = self.node("process_substitution")?;
        self.parts.push(Part::Stream(self.reader.inside(node)?));
        self.at = node.end_byte();
        Ok(())
    }

    /// What begins with `$` or a backtick.
    fn expansion(&mut self, is_quoted: bool) -> Result<(), Doubt> {
        let rest = self.rest();
        if rest.starts_with('`') || (rest.starts_with("$(") && !rest.starts_with("$((")) {
            let node = self.node("command_substitution")?;
            let is_old = rest.starts_with('`');
            if is_old && self.source[node.byte_range()].contains('\\') {
                return Err(self.doubt(self.at, "has a backslash between backticks"));
            }
            self.parts.push(Part::Substitution { script: self.reader.inside(node)?, is_quoted });
            self.at = node.end_byte();
            return Ok(());
        }
        if rest.starts_with("$((") || rest.starts_with("$[") {
            if let Ok(node) = self.node("command_substitution") {
                self.parts.push(Part::Substitution { script: self.reader.inside(node)?, is_quoted });
                self.at = node.end_byte();
                return Ok(());
            }
            let node = self.node("arithmetic_expansion")?;
            self.parts.push(Part::Number(self.reader.arithmetic(node)?));
            self.at = node.end_byte();
            return Ok(());
        }
        if rest.starts_with("${") {
            let node = self.node("expansion")?;
            let part = self.reader.braced(node, is_quoted)?;
            self.parts.push(part);
            self.at = node.end_byte();
            return Ok(());
        }
        self.variable(is_quoted)
    }

    /// `$NAME`, `$1`, `$?`, or a `$` that stands for itself.
    fn variable(&mut self, is_quoted: bool) -> Result<(), Doubt> {
        let behind = &self.rest()[1..];
        let named = behind.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(behind.len());
        let begins = behind.chars().next();
        let name = match begins {
            Some(c) if c.is_ascii_digit() => &behind[..1],
            Some(c) if c.is_ascii_alphabetic() || c == '_' => &behind[..named],
            Some('@' | '*' | '#' | '?' | '-' | '$' | '!') => &behind[..1],
            None | Some(' ' | '\t' | '\n' | '/' | '.' | ',' | ':' | '%' | '=' | '+' | ')' | ']' | '}') => {
                self.quoted('$');
                return Ok(());
            }
            // In quotes nothing else is expanded.
            Some(_other) if is_quoted => {
                self.quoted('$');
                return Ok(());
            }
            _other => return Err(self.doubt(self.at, "is not understood")),
        };
        self.parts.push(match name {
            "#" | "?" | "$" | "!" => {
                Part::Number(Arithmetic { typed: format!("${name}"), ..Arithmetic::default() })
            }
            _other => Part::Variable { name: name.to_owned(), is_quoted },
        });
        self.at += 1 + name.len();
        Ok(())
    }

    /// A brace that is not quoted: `{a,b}` and `{1..3}` are several words, `{}` and `{x}` stand for themselves.
    fn brace(&mut self) {
        let is_plain = |c: char| c.is_alphanumeric() || "_.,/+@%:=-".contains(c);
        let inner = &self.rest()[1..];
        let end = inner.find(|c: char| !is_plain(c)).unwrap_or(inner.len());
        let closes = inner[end..].starts_with('}');
        let text = &inner[..end];
        if closes && !text.contains(',') && !text.contains("..") {
            self.bare('{');
            return;
        }
        if let Some(words) = closes.then(|| alternatives(text)).flatten() {
            self.parts.push(Part::Braces(words));
            self.at += end + 2;
            return;
        }
        let stretch = inner.split([' ', '\t', '\n']).next().unwrap_or_default();
        if stretch.contains('}') && (stretch.contains(',') || stretch.contains("..")) {
            self.parts.push(Part::Odd);
        }
        self.bare('{');
    }

    /// The outermost node of a kind that begins here.
    fn node(&self, kind: &str) -> Result<Node<'a>, Doubt> {
        let missing = || self.doubt(self.at, "is not understood");
        let mut node =
            self.reader.root.descendant_for_byte_range(self.at, self.at + 1).ok_or_else(missing)?;
        let mut found = None;
        while node.start_byte() == self.at {
            if node.kind() == kind && node.end_byte() <= self.end {
                found = Some(node);
            }
            let Some(parent) = node.parent() else { break };
            node = parent;
        }
        found.ok_or_else(missing)
    }
}

/// The plain character that is written by its number, and how many digits behind the letter it takes.
fn numbered(rest: &str, letter: char) -> Option<(char, usize)> {
    let (radix, most, first) = match letter {
        'x' => (16, 2, None),
        'u' => (16, 4, None),
        'U' => (16, 8, None),
        octal => (8, 2, octal.to_digit(8)),
    };
    let length = rest.chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
    let digits = rest.chars().take(length).filter_map(|digit| digit.to_digit(radix));
    let number = first.into_iter().chain(digits).fold(0, |number, digit| number * radix + digit);
    let value = char::from_u32(number).filter(|c| c.is_ascii_graphic() || *c == ' ');
    value.filter(|_| length > 0 || first.is_some()).map(|value| (value, length))
}

/// The words that `{a,b}` or `{1..3}` stands for, without what is around it; nothing where that is not told.
fn alternatives(text: &str) -> Option<Vec<String>> {
    const WORDS_MAX: i64 = 64;
    if text.contains(',') {
        return Some(text.split(',').map(str::to_owned).collect());
    }
    let (first, last) = text.split_once("..")?;
    if let ([first], [last]) = (first.as_bytes(), last.as_bytes())
        && first.is_ascii_lowercase() == last.is_ascii_lowercase()
        && first.is_ascii_alphabetic()
        && last.is_ascii_alphabetic()
    {
        let letters = *first.min(last)..=*first.max(last);
        let mut letters: Vec<String> = letters.map(|letter| char::from(letter).to_string()).collect();
        if first > last {
            letters.reverse();
        }
        return Some(letters);
    }
    let is_padded = |number: &str| number.trim_start_matches('-').starts_with('0') && number.len() > 1;
    if is_padded(first) || is_padded(last) {
        return None;
    }
    let (first, last): (i64, i64) = (first.parse().ok()?, last.parse().ok()?);
    (last.checked_sub(first)?.checked_abs()? < WORDS_MAX).then(|| {
        let step = if first <= last { 1 } else { -1 };
        let count = (last - first).abs();
        (0..=count).map(|at| (first + step * at).to_string()).collect()
    })
}
