//! Reading JSON into a value without losing anything on the way.
//!
//! As strict as JSON itself, and stricter in two ways: a key that stands twice in an object is an error that names it,
//! and numbers that a float would round are told. Written by hand because both need the place in the text.

use serde_json::{Map, Value};

use super::number::{as_written, number};
use crate::schema::path::{Step, render};

/// How deep arrays and objects may be nested.
pub(in crate::schema) const DEPTH_MAX: usize = 127;
/// How many rounded numbers are told.
const ROUNDED_MAX: usize = 20;

/// What stands in the text may be left out: a comma behind the last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) enum Commas {
    /// A comma behind the last entry is an error.
    Strict,
    /// It is left out, and counted.
    Trailing,
}

/// A text that was read.
#[derive(Debug)]
pub(in crate::schema) struct Read {
    /// What it says.
    pub(in crate::schema) value: Value,
    /// The numbers that are not the value's numbers exactly, with their places.
    pub(in crate::schema) rounded: Vec<Rounded>,
    /// How many commas behind last entries were left out.
    pub(in crate::schema) commas: usize,
}

/// A number that a float rounds.
#[derive(Clone, Debug)]
pub(in crate::schema) struct Rounded {
    /// Where.
    pub(in crate::schema) path: Vec<Step>,
    /// As it was written.
    pub(in crate::schema) text: String,
}

/// Why a text cannot be read.
#[derive(Debug)]
pub(in crate::schema) struct Fault {
    /// What is wrong.
    pub(in crate::schema) kind: FaultKind,
    /// The innermost step comes first.
    steps: Vec<Step>,
    at: usize,
}

/// The kinds of fault that differ in what can be done about them.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::schema) enum FaultKind {
    /// The text ends too early.
    End,
    /// A key stands twice in one object.
    Twice(String),
    /// A number is larger than any that can be held.
    TooLarge,
    /// Arrays and objects are nested too deeply.
    TooDeep,
    /// Anything else, in words.
    Syntax(&'static str),
}

impl Fault {
    /// Where in the value, such as `questions[0]`.
    pub(in crate::schema) fn path(&self) -> String {
        render(self.steps.iter().rev())
    }

    /// Where in the text, in words.
    pub(in crate::schema) fn place(&self, text: &str) -> String {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}")
    }

    fn under(mut self, step: Step) -> Fault {
        self.steps.push(step);
        self
    }
}

/// Reads one JSON text.
///
/// # Errors
/// Text that is not JSON, that goes on behind it, that is nested too deeply, or that has a key twice in one object.
pub(in crate::schema) fn read(text: &str, commas: Commas) -> Result<Read, Fault> {
    let mut reader = Reader { text, at: 0, depth: 0, commas, removed: 0, rounded: Vec::new() };
    reader.space();
    let value = reader.value()?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.fault(FaultKind::Syntax("nothing may follow the value")));
    }
    for rounded in &mut reader.rounded {
        rounded.path.reverse();
    }
    Ok(Read { value, rounded: reader.rounded, commas: reader.removed })
}

/// A reader and its place in the text.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    depth: usize,
    commas: Commas,
    removed: usize,
    /// Innermost steps first, until all is read.
    rounded: Vec<Rounded>,
}

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    pub(super) fn fault(&self, kind: FaultKind) -> Fault {
        Fault { kind, steps: Vec::new(), at: self.at }
    }

    /// A fault at this place: the end of the text, or something else than what is said.
    pub(super) fn wanted(&self, said: &'static str) -> Fault {
        self.fault(if self.at >= self.text.len() { FaultKind::End } else { FaultKind::Syntax(said) })
    }

    fn value(&mut self) -> Result<Value, Fault> {
        match self.peek() {
            Some(b'{') => self.nested(Reader::object),
            Some(b'[') => self.nested(Reader::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _other => Err(self.wanted("a value must stand here")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        if self.depth >= DEPTH_MAX {
            return Err(self.fault(FaultKind::TooDeep));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, Fault> {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        if word.as_bytes().starts_with(rest) {
            self.at = self.text.len();
        }
        Err(self.wanted("only `true`, `false` and `null` are words"))
    }

    fn array(&mut self) -> Result<Value, Fault> {
        let mut items = Vec::new();
        loop {
            self.space();
            if self.ends(b']', !items.is_empty())? {
                return Ok(Value::Array(items));
            }
            let known = self.rounded.len();
            let step = || Step::Item(items.len());
            let item = self.value().map_err(|fault| fault.under(step()))?;
            self.under(known, step);
            items.push(item);
            if self.next_or(b']')? {
                return Ok(Value::Array(items));
            }
        }
    }

    fn object(&mut self) -> Result<Value, Fault> {
        let mut map = Map::new();
        loop {
            self.space();
            if self.ends(b'}', !map.is_empty())? {
                return Ok(Value::Object(map));
            }
            if self.peek() != Some(b'"') {
                return Err(self.wanted("a name in double quotes must stand here"));
            }
            let at = self.at;
            let key = self.string()?;
            if map.contains_key(&key) {
                return Err(Fault { kind: FaultKind::Twice(key), steps: Vec::new(), at });
            }
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.wanted("`:` must stand here"));
            }
            self.at += 1;
            self.space();
            let known = self.rounded.len();
            let value = self.value().map_err(|fault| fault.under(Step::Field(key.clone())))?;
            self.under(known, || Step::Field(key.clone()));
            map.insert(key, value);
            if self.next_or(b'}')? {
                return Ok(Value::Object(map));
            }
        }
    }

    /// Whether the list ends here, in place of an entry: an empty one, or behind a comma that may be left out.
    fn ends(&mut self, close: u8, is_behind_comma: bool) -> Result<bool, Fault> {
        if self.peek() != Some(close) {
            return Ok(false);
        }
        if is_behind_comma {
            if self.commas == Commas::Strict {
                return Err(self.fault(FaultKind::Syntax("an entry must follow the comma")));
            }
            self.removed += 1;
        }
        self.at += 1;
        Ok(true)
    }

    /// Behind an entry: whether the list ends, or goes on.
    fn next_or(&mut self, close: u8) -> Result<bool, Fault> {
        self.space();
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            _other if close == b']' => Err(self.wanted("`,` or `]` must stand here")),
            _other => Err(self.wanted("`,` or `}` must stand here")),
        }
    }

    /// Puts the rounded numbers found since under one step more.
    fn under(&mut self, known: usize, step: impl Fn() -> Step) {
        for rounded in &mut self.rounded[known..] {
            rounded.path.push(step());
        }
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits()?;
        if leading_zero && whole > 1 {
            return Err(self.fault(FaultKind::Syntax("a number does not begin with 0")));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        let Some(number) = number(text) else {
            return Err(self.fault(FaultKind::TooLarge));
        };
        if self.rounded.len() < ROUNDED_MAX && !as_written(text, &number) {
            self.rounded.push(Rounded { path: Vec::new(), text: text.to_owned() });
        }
        Ok(Value::Number(number))
    }

    fn digits(&mut self) -> Result<usize, Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.wanted("a digit must stand here")) } else { Ok(self.at - start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Value, Fault> {
        read(text, Commas::Strict).map(|read| read.value)
    }

    #[test]
    fn values_are_read_as_serde_json_reads_them() {
        for text in [
            "null",
            "[1,-2,3.5,\"x\",true,{\"a\":{\"b\":[]}}]",
            r#""\u0041\ud83d\ude00\n\"\\\/\b\f\r\t""#,
            " 18446744073709551615 ",
            "[0, -0, 0.0, 1e5, 1E-5, 1.25e+2, -9223372036854775808, 18446744073709551616]",
            "{\"\": {}, \"ä\": [\"€\"]}",
            &format!("{}1{}", "[".repeat(127), "]".repeat(127)),
        ] {
            let ours = value(text).expect("it is JSON");
            assert_eq!(ours, serde_json::from_str::<Value>(text).expect("it is JSON"), "{text}");
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_an_error_at_any_depth() {
        for (text, path) in [(r#"{"a":1,"a":2}"#, ""), (r#"[{"b":{"a":1,"c":2,"a":1}}]"#, "[0].b")] {
            let fault = value(text).expect_err("it stands twice");
            assert_eq!(fault.path(), path);
            assert_eq!(fault.kind, FaultKind::Twice("a".to_owned()));
            assert!(serde_json::from_str::<Value>(text).is_ok(), "what is closed here");
        }
    }

    #[test]
    fn what_is_no_json_or_goes_on_is_an_error() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "1 2",
            "{\"a\":1}}",
            "nul",
            "nulll",
            "1e400",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "+1",
            "[,]",
            "{,}",
            "{a:1}",
            "'a'",
            "\"\n\"",
            r#""\x""#,
            r#""\ud800""#,
            r#""\ud800\u0041""#,
            r#""\udc00""#,
            r#""\u12g4""#,
            "NaN",
            "[1 2]",
            "{\"a\" 1}",
            "{\"a\":}",
            "// c\n1",
            "[1]]",
            "\u{a0}1",
            &"[".repeat(200),
        ] {
            assert!(value(text).is_err(), "{text}");
            assert!(serde_json::from_str::<Value>(text).is_err(), "serde_json thinks so too: {text}");
        }
    }

    #[test]
    fn what_ends_too_early_is_told_from_what_is_wrong() {
        let whole = r#"{"a":[1,2.5e1,"x\n\u0041",true,null,{"b":false}]}"#;
        for end in (1..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            assert_eq!(
                value(&whole[..end]).expect_err("it is cut").kind,
                FaultKind::End,
                "{}",
                &whole[..end]
            );
        }
    }

    #[test]
    fn a_comma_behind_the_last_entry_can_be_left_out() {
        let text = r#"{"a":[1,2,],"b":{"c":1,},}"#;
        let read = read(text, Commas::Trailing).expect("that is all that is wrong");
        assert_eq!((read.commas, read.value["b"]["c"].clone()), (3, Value::from(1)));
        for text in ["[,]", "[1,,]", "{,}", "[1],"] {
            assert!(super::read(text, Commas::Trailing).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_that_are_rounded_are_told_with_their_places() {
        let text = r#"{"a":[1,0.12345678901234567890],"b":1}"#;
        let read = read(text, Commas::Strict).expect("it is JSON");
        let told: Vec<String> = read.rounded.iter().map(|rounded| render(rounded.path.iter())).collect();
        assert_eq!(told, ["a[1]"]);
    }

    /// Pieces that JSON is made of, and some that it is not.
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"b\":",
        "{\"c\":",
        "1",
        "-",
        "0",
        ".5",
        "e3",
        "E+2",
        "12.25",
        "1e400",
        "true",
        "fals",
        "null",
        " ",
        "\n",
        "\\u0041",
        "\\ud83d\\ude00",
        "\\n",
        "\\x",
        "ä",
        "\u{0}",
        "/",
        "18446744073709551616",
    ];

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { cases: 20_000, failure_persistence: None, ..Default::default() })]

        #[test]
        fn what_is_read_is_what_serde_json_reads(picks in proptest::collection::vec(0..PIECES.len(), 1..14)) {
            let text: String = picks.iter().map(|pick| PIECES[*pick]).collect();
            match (value(&text), serde_json::from_str::<Value>(&text)) {
                (Ok(ours), Ok(theirs)) => proptest::prop_assert_eq!(ours, theirs),
                (Err(_), Err(_)) => {}
                (Err(fault), Ok(_)) => proptest::prop_assert!(matches!(fault.kind, FaultKind::Twice(_)), "{}", text),
                (Ok(_), Err(error)) => proptest::prop_assert!(false, "{} {}", text, error),
            }
        }
    }
}
