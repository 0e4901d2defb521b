//! Just enough of JSON to tell, while a program compiles, whether an example is JSON at all.

/// How deep an example may be.
const DEPTH_MAX: usize = 32;

/// The names of a JSON object's entries.
///
/// # Errors
/// What is wrong with the text, in words.
pub(crate) fn object_names(text: &str) -> Result<Vec<String>, &'static str> {
    let mut reader = Reader { rest: text.trim_start() };
    if !reader.rest.starts_with('{') {
        return Err("it is no object");
    }
    let names = reader.object(0)?;
    reader.end().map(|()| names)
}

/// Whether a text is one JSON value.
pub(crate) fn is_value(text: &str) -> bool {
    let mut reader = Reader { rest: text };
    reader.value(0).and_then(|()| reader.end()).is_ok()
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            control if u32::from(control) < 0x20 => out += &format!("\\u{:04x}", u32::from(control)),
            other => out.push(other),
        }
    }
    out + "\""
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<(), &'static str> {
        if depth > DEPTH_MAX {
            return Err("it is too deep");
        }
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            Some('{') => self.object(depth).map(drop),
            Some('[') => self.array(depth),
            Some('"') => self.string().map(drop),
            Some('-' | '0'..='9') => self.number(),
            _word => {
                let is_word = ["true", "false", "null"].into_iter().any(|word| self.take(word));
                if is_word { Ok(()) } else { Err("a value is missing or is no JSON") }
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Vec<String>, &'static str> {
        let mut names = Vec::new();
        self.list('{', '}', |reader| {
            names.push(reader.string()?);
            if !reader.take(":") {
                return Err("a `:` is missing behind a name");
            }
            reader.value(depth + 1)
        })?;
        Ok(names)
    }

    fn array(&mut self, depth: usize) -> Result<(), &'static str> {
        self.list('[', ']', |reader| reader.value(depth + 1))
    }

    fn list(
        &mut self,
        open: char,
        close: char,
        mut each: impl FnMut(&mut Self) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        self.take(open.encode_utf8(&mut [0; 4]));
        if self.take(close.encode_utf8(&mut [0; 4])) {
            return Ok(());
        }
        loop {
            each(self)?;
            if self.take(close.encode_utf8(&mut [0; 4])) {
                return Ok(());
            }
            if !self.take(",") {
                return Err("a `,` or the end of a list is missing");
            }
        }
    }

    fn string(&mut self) -> Result<String, &'static str> {
        if !self.take("\"") {
            return Err("a name or a text in double quotes is missing");
        }
        let mut text = String::new();
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => match letters.next() {
                    Some((_, 'u')) => {
                        let is_hex = |pair: (usize, char)| pair.1.is_ascii_hexdigit();
                        if !(0..4).all(|_| letters.next().is_some_and(is_hex)) {
                            return Err("`\\u` has four digits");
                        }
                        text.push('?');
                    }
                    Some((_, escaped @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't'))) => {
                        text.push(escaped)
                    }
                    _unknown => return Err("there is no such escape"),
                },
                control if u32::from(control) < 0x20 => {
                    return Err("a line break in a text is written `\\n`");
                }
                other => text.push(other),
            }
        }
        Err("a text has no end")
    }

    fn number(&mut self) -> Result<(), &'static str> {
        let is_part = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
        let end = self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        let (whole, behind) = match number.find(['.', 'e', 'E']) {
            Some(at) => number.split_at(at),
            None => (number, ""),
        };
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        let is_whole = !digits.is_empty()
            && digits.bytes().all(|digit| digit.is_ascii_digit())
            && (digits == "0" || !digits.starts_with('0'));
        let is_digit = |letter: char| letter.is_ascii_digit();
        let is_fraction = behind.strip_prefix('.').is_none_or(|digits| digits.starts_with(is_digit));
        let ends_well = behind.is_empty() || (is_fraction && behind.ends_with(is_digit));
        if is_whole && ends_well && number.parse::<f64>().is_ok() {
            Ok(())
        } else {
            Err("a number is no JSON")
        }
    }

    fn end(&mut self) -> Result<(), &'static str> {
        if self.rest.trim().is_empty() { Ok(()) } else { Err("something follows its end") }
    }

    /// Takes a word, and the space before it.
    fn take(&mut self, word: &str) -> bool {
        let Some(rest) = self.rest.trim_start().strip_prefix(word) else { return false };
        self.rest = rest;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_from_what_only_looks_like_it() {
        for json in
            ["{}", " [1, -0.5e+3, \"a\\u00e9\\n\"] ", "null", "\"\"", "{\"a\":{\"b\":[]}}", "0", "1e9"]
        {
            assert!(is_value(json), "{json}");
        }
        for other in
            ["", "{", "[1,]", "{a:1}", "01", "1.", "-", "\"", "'a'", "nul", "1 2", "\"\\x\"", "1.e5", "+1"]
        {
            assert!(!is_value(other), "{other}");
        }
    }

    #[test]
    fn an_objects_names_are_found() {
        let names = object_names(r#" {"a": 1, "b": {"c": 2}} "#).unwrap_or_default();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(object_names("[1]"), Err("it is no object"));
        assert_eq!(object_names(r#"{"a":1,}"#), Err("a name or a text in double quotes is missing"));
    }

    #[test]
    fn a_text_is_quoted_as_json_has_it() {
        assert_eq!(quoted("a\"\\\n\u{1}é"), "\"a\\\"\\\\\\n\\u0001é\"");
        assert!(is_value(&quoted("\u{0}\"")));
    }
}
