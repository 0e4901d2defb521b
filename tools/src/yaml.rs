//! YAML that programs wrote, as text of JSON: the order of fields is kept, and every value comes out as the core schema
//! reads it. References are followed as far as there is room for what they stand for.

use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, StrInput, Tag};
use serde_json::Value;

/// How deep lists and tables may be in each other: as deep as readers of JSON go.
const DEPTH_MAX: usize = 120;
/// How long the JSON may be, for each byte of YAML and beside that: references can stand for any amount.
const GROWTH_MAX: usize = 8;
const BYTES_MAX: usize = 1 << 20;
/// How long the words of a parser may be.
const WHY_CHARS_MAX: usize = 160;

/// Why a text is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct YamlError {
    /// The line, from 1.
    pub line: usize,
    /// Why, in words.
    pub why: String,
}

/// The JSON of a document.
///
/// # Errors
/// It is no YAML, more than one document, or too deep, too large or too odd for JSON.
pub fn to_json(text: &str) -> Result<String, YamlError> {
    let mut writer = Writer {
        events: Parser::new_from_str(text),
        line: 1,
        out: String::new(),
        bytes_max: text.len().saturating_mul(GROWTH_MAX).saturating_add(BYTES_MAX),
        anchors: BTreeMap::new(),
    };
    writer.document()?;
    Ok(writer.out)
}

struct Writer<'a> {
    events: Parser<'a, StrInput<'a>>,
    line: usize,
    out: String,
    bytes_max: usize,
    /// Where the value of each anchor stands in what was written.
    anchors: BTreeMap<usize, Range<usize>>,
}

impl<'a> Writer<'a> {
    fn document(&mut self) -> Result<(), YamlError> {
        let first = loop {
            match self.next()? {
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => {}
                event => break event,
            }
        };
        match first {
            Event::StreamEnd | Event::DocumentEnd => self.out.push_str("null"),
            event => self.value(event, 0)?,
        }
        loop {
            match self.next()? {
                Event::StreamEnd => return Ok(()),
                Event::Nothing | Event::DocumentEnd => {}
                _more => return Err(self.wrong("a second document follows the first")),
            }
        }
    }

    fn next(&mut self) -> Result<Event<'a>, YamlError> {
        match self.events.next() {
            Some(Ok((event, place))) => {
                self.line = place.start.line();
                Ok(event)
            }
            Some(Err(error)) => {
                self.line = Marker::line(error.marker());
                Err(self.wrong(&error.to_string()))
            }
            None => Ok(Event::StreamEnd),
        }
    }

    fn wrong(&self, why: &str) -> YamlError {
        let why: String = why.chars().take(WHY_CHARS_MAX).collect();
        YamlError { line: self.line.max(1), why: why.replace('\n', " ") }
    }

    fn value(&mut self, event: Event<'a>, depth: usize) -> Result<(), YamlError> {
        if depth > DEPTH_MAX {
            return Err(self.wrong(&format!("lists and tables are more than {DEPTH_MAX} deep in each other")));
        }
        let from = self.out.len();
        let anchor = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain || tag.as_deref().is_some_and(is_text);
                let value = if is_text { Value::from(&*text) } else { plain(&text) };
                self.put(&value);
                anchor
            }
            Event::SequenceStart(anchor, _tag) => {
                self.list(depth)?;
                anchor
            }
            Event::MappingStart(anchor, _tag) => {
                self.table(depth)?;
                anchor
            }
            Event::Alias(anchor) => {
                // A value that is not at its end yet has no place: it would hold itself.
                let Some(known) = self.anchors.get(&anchor).cloned() else {
                    return Err(self.wrong("a reference leads nowhere, or to what it stands in"));
                };
                self.room(known.len())?;
                self.out.extend_from_within(known);
                return Ok(());
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => return Err(self.wrong("it ends in the middle")),
        };
        self.room(0)?;
        if anchor > 0 {
            self.anchors.insert(anchor, from..self.out.len());
        }
        Ok(())
    }

    fn list(&mut self, depth: usize) -> Result<(), YamlError> {
        self.out.push('[');
        let mut is_first = true;
        loop {
            match self.next()? {
                Event::SequenceEnd => break,
                event => {
                    if !std::mem::replace(&mut is_first, false) {
                        self.out.push(',');
                    }
                    self.value(event, depth + 1)?;
                }
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn table(&mut self, depth: usize) -> Result<(), YamlError> {
        self.out.push('{');
        let mut is_first = true;
        loop {
            match self.next()? {
                Event::MappingEnd => break,
                Event::Scalar(key, ..) => {
                    if !std::mem::replace(&mut is_first, false) {
                        self.out.push(',');
                    }
                    self.put(&Value::from(&*key));
                    self.out.push(':');
                    let event = self.next()?;
                    self.value(event, depth + 1)?;
                }
                Event::StreamEnd => return Err(self.wrong("it ends in the middle")),
                _other => return Err(self.wrong("a key is no text")),
            }
        }
        self.out.push('}');
        Ok(())
    }

    fn put(&mut self, value: &Value) {
        self.out.push_str(&value.to_string());
    }

    fn room(&self, more: usize) -> Result<(), YamlError> {
        if self.out.len().saturating_add(more) > self.bytes_max {
            return Err(self.wrong("its references stand for more than there is room for"));
        }
        Ok(())
    }
}

/// Whether a tag says that a scalar is text: bytes come as the base64 that they are written in.
fn is_text(tag: &Tag) -> bool {
    !tag.is_yaml_core_schema() || matches!(tag.suffix.as_str(), "str" | "binary")
}

/// What a scalar without quotes is in the core schema.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _other => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let radix = |prefix: &str, radix| {
        let digits = text.strip_prefix(prefix)?;
        let is_digit = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
        u64::from_str_radix(digits, radix).ok().filter(|_| is_digit)
    };
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Value::from(number);
    }
    let is_number = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    // What has zeros in front is more often a code than a number.
    let is_code = unsigned.len() > 1 && unsigned.starts_with('0') && !unsigned.starts_with("0.");
    if !is_number || is_code {
        return Value::from(text);
    }
    let whole = text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from));
    let real = || text.parse::<f64>().ok().filter(|real| real.is_finite()).map(Value::from);
    whole.ok().or_else(real).unwrap_or_else(|| Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_the_core_schema_has_them_and_fields_keep_their_order() {
        for (yaml, json) in [
            ("b: 1\na: [x, 'y', \"z\\n\"]", r#"{"b":1,"a":["x","y","z\n"]}"#),
            ("- ~\n-\n- null\n- 'null'\n- yes\n- True", r#"[null,null,null,"null","yes",true]"#),
            (
                "[1, -2, +3, 0x1F, 0o17, 1.5, 1e3, .5, 007, 1.2.3, 2026-01-02]",
                r#"[1,-2,3,31,15,1.5,1000.0,0.5,"007","1.2.3","2026-01-02"]"#,
            ),
            ("[18446744073709551615, 99999999999999999999]", "[18446744073709551615,1e+20]"),
            ("a: |\n  one\n  two\nb: >-\n  one\n  two", r#"{"a":"one\ntwo\n","b":"one two"}"#),
            ("a: !!binary |\n  SGVsbG8=\nb: !!str 5", r#"{"a":"SGVsbG8=\n","b":"5"}"#),
            ("a: &x {k: v}\nb: *x\nc: [*x]", r#"{"a":{"k":"v"},"b":{"k":"v"},"c":[{"k":"v"}]}"#),
            ("1: a\ntrue: b", r#"{"1":"a","true":"b"}"#),
            ("", "null"),
            ("--- text\n...\n", r#""text""#),
        ] {
            assert_eq!(to_json(yaml).as_deref(), Ok(json), "{yaml}");
        }
    }

    #[test]
    fn what_json_cannot_say_or_has_no_room_for_is_refused_with_its_line() {
        let deep = "[".repeat(200);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let list = [format!("*a{}", level - 1).as_str(); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{list}]\n"));
        }
        for (yaml, why) in [
            ("a: 1\n---\nb: 2", "second document"),
            ("a: 1\nb: *nobody", ""),
            ("a: &a [*a]", "leads nowhere"),
            ("? [k]\n: v", "a key is no text"),
            ("a: [1, 2", ""),
            (deep.as_str(), "deep in each other"),
            (bomb.as_str(), "room"),
        ] {
            let error = to_json(yaml).expect_err(yaml);
            assert!(error.line >= 1 && error.why.contains(why), "{yaml:.40}: {error}");
        }
    }
}
