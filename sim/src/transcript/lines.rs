//! Bytes to JSON objects, line by line, mending what is broken on the way.
//!
//! Knows nothing of any format: it hands the text of each object to a reader, which says whether the text
//! has the shape it wants. Linear in the size of the file: a bad line is looked at a second time to split
//! it, and a file without one good line a second time as a whole.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde_json::value::RawValue;

use super::{RepairKind, Repairs};

/// What a reader says of one object: go on, stop reading, or that it is not of the reader's shape (then
/// it must not have kept anything of it).
pub(crate) type Verdict = Result<ControlFlow<()>, serde_json::Error>;

/// What is called with each object: its line, counted from 1, its text, and where to note repairs.
pub(crate) type Each<'a> = dyn FnMut(usize, &str, &mut Repairs) -> Verdict + 'a;

/// What reading a file came to.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Objects that were read.
    pub(crate) objects: usize,
    /// The first thing that could not be read: its line and why.
    pub(crate) first_problem: Option<(usize, String)>,
}

/// Reads the objects of a file, one or more a line.
///
/// When no line has an object that can be read, the file is taken as one text, so that objects printed
/// over several lines are read too.
pub(crate) fn read(bytes: &[u8], repairs: &mut Repairs, each: &mut Each<'_>) -> Tally {
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => {
            repairs.note(Some(1), RepairKind::ByteOrderMark, "the byte order mark was skipped");
            rest
        }
        None => bytes,
    };
    let mut by_line = Reading::new(each);
    by_line.lines(bytes);
    let Reading { tally, repairs: noted, .. } = by_line;
    if tally.objects == 0 && tally.first_problem.is_some() {
        let mut whole = Reading::new(each);
        whole.text(1, bytes.trim_ascii_end());
        if whole.tally.objects > 0 {
            repairs.append(whole.repairs);
            return whole.tally;
        }
    }
    repairs.append(noted);
    tally
}

struct Reading<'r, 'a> {
    tally: Tally,
    repairs: Repairs,
    each: &'r mut Each<'a>,
    stopped: bool,
}

impl<'r, 'a> Reading<'r, 'a> {
    fn new(each: &'r mut Each<'a>) -> Reading<'r, 'a> {
        Reading { tally: Tally::default(), repairs: Repairs::default(), each, stopped: false }
    }

    fn lines(&mut self, bytes: &[u8]) {
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            self.text(index + 1, line.trim_ascii());
            if self.stopped {
                return;
            }
        }
    }

    /// Reads the objects of a text that begins on line `line`.
    fn text(&mut self, line: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let utf8 = std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
        let mended = mend_surrogates(&utf8);
        let text = mended.as_deref().unwrap_or(&utf8);
        let before = self.tally.objects;
        if !(text.starts_with('{') && self.offer(line, text).is_ok()) {
            self.split(line, text);
        }
        if self.tally.objects == before {
            return;
        }
        if matches!(utf8, Cow::Owned(_)) {
            let detail = "bytes that are not UTF-8 were replaced by U+FFFD";
            self.repairs.note(Some(line), RepairKind::NotUtf8, detail);
        }
        if mended.is_some() {
            let detail = "half a surrogate pair was replaced by U+FFFD";
            self.repairs.note(Some(line), RepairKind::LoneSurrogate, detail);
        }
    }

    fn offer(&mut self, line: usize, object: &str) -> Result<(), serde_json::Error> {
        let flow = (self.each)(line, object, &mut self.repairs)?;
        self.tally.objects += 1;
        self.stopped = flow.is_break();
        Ok(())
    }

    /// Takes a text apart into the JSON values it is made of, as far as it is JSON.
    fn split(&mut self, first_line: usize, text: &str) {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        let mut place = Place { line: first_line, offset: 0 };
        let mut seen = Seen::default();
        while let Some(value) = values.next() {
            let end = values.byte_offset();
            let problem = match value {
                Ok(raw) => {
                    place.advance(text, end - raw.get().len());
                    self.value(&mut seen, place.line, raw.get()).err()
                }
                Err(error) => {
                    place.advance(text, end);
                    Some(reason(&error))
                }
            };
            if let Some(problem) = problem
                && seen.bad.replace(place.line) != Some(place.line)
            {
                let column = place.column(text);
                self.unreadable(place.line, format!("left out from column {column} on: {problem}"));
            }
            if self.stopped {
                return;
            }
        }
    }

    /// Reads one value of a text.
    fn value(&mut self, seen: &mut Seen, line: usize, value: &str) -> Result<(), String> {
        if !value.starts_with('{') {
            return Err("not a JSON object".to_owned());
        }
        self.offer(line, value).map_err(|error| reason(&error))?;
        let ends = line + value.bytes().filter(|&byte| byte == b'\n').count();
        if seen.object.replace(ends) == Some(line) && seen.glued.replace(line) != Some(line) {
            let detail = "JSON objects glued together on one line were split";
            self.repairs.note(Some(line), RepairKind::GluedLine, detail);
        }
        Ok(())
    }

    fn unreadable(&mut self, line: usize, detail: String) {
        self.tally.first_problem.get_or_insert_with(|| (line, detail.clone()));
        self.repairs.note(Some(line), RepairKind::UnreadableLine, detail);
    }
}

/// The lines of the text being split on which something was last seen, so that a line is noted once.
#[derive(Default)]
struct Seen {
    /// Where the object before ended.
    object: Option<usize>,
    glued: Option<usize>,
    bad: Option<usize>,
}

/// A place in a text, carried forward so that lines are counted once.
struct Place {
    line: usize,
    offset: usize,
}

impl Place {
    fn advance(&mut self, text: &str, offset: usize) {
        let passed = &text.as_bytes()[self.offset..offset];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.offset = offset;
    }

    fn column(&self, text: &str) -> usize {
        1 + self.offset - text[..self.offset].rfind('\n').map_or(0, |at| at + 1)
    }
}

/// What `serde_json` has to say, without a place: its lines are counted from the start of the text.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "the JSON is cut off".to_owned();
    }
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// Replaces escapes of half a surrogate pair by `\ufffd`, which is as long; `None` when there are none.
pub(crate) fn mend_surrogates(text: &str) -> Option<String> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return None;
    }
    let bytes = text.as_bytes();
    let mut mended = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(skipped) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += skipped;
        at += match (surrogate(bytes, at), surrogate(bytes, at + 6)) {
            (Some(Half::High), Some(Half::Low)) => 12,
            (Some(_), _) => {
                mended.push_str(&text[copied..at]);
                mended.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            (None, _) => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    if copied == 0 {
        return None;
    }
    mended.push_str(&text[copied..]);
    Some(mended)
}

enum Half {
    High,
    Low,
}

/// The half of a surrogate pair that is escaped at a place.
fn surrogate(bytes: &[u8], at: usize) -> Option<Half> {
    let escape = bytes.get(at..at + 6)?;
    if !escape.starts_with(b"\\u") || !escape[2..].iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    match (escape[2].to_ascii_lowercase(), escape[3].to_ascii_lowercase()) {
        (b'd', b'8' | b'9' | b'a' | b'b') => Some(Half::High),
        (b'd', b'c' | b'd' | b'e' | b'f') => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Vec<(usize, String)>;

    fn objects(bytes: &[u8]) -> (Found, Vec<(Option<usize>, RepairKind)>) {
        let mut repairs = Repairs::default();
        let mut found = Vec::new();
        read(bytes, &mut repairs, &mut |line, text, _| {
            serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text)?;
            found.push((line, text.to_owned()));
            Ok(ControlFlow::Continue(()))
        });
        (found, repairs.finish().into_iter().map(|repair| (repair.line, repair.kind)).collect())
    }

    fn found(lines: &[(usize, &str)]) -> Found {
        lines.iter().map(|&(line, text)| (line, text.to_owned())).collect()
    }

    #[test]
    fn glued_objects_are_split_where_json_ends_and_not_where_text_looks_like_it() {
        let (got, repairs) = objects(b"{\"a\":\"}{\\\"\"}{\"b\":1} {\"c\":2}\r\n\n{\"d\":3}");
        let want = [(1, r#"{"a":"}{\""}"#), (1, r#"{"b":1}"#), (1, r#"{"c":2}"#), (3, r#"{"d":3}"#)];
        assert_eq!(got, found(&want));
        assert_eq!(repairs, [(Some(1), RepairKind::GluedLine)], "one line is one repair");
    }

    #[test]
    fn what_can_be_read_of_a_broken_file_is_read() {
        let (got, repairs) = objects(b"{\"a\":1}\n{\"b\":\n42\n[1]\n{\"c\":2}{\"d\"\n{\"e\":\"tr");
        assert_eq!(got, found(&[(1, r#"{"a":1}"#), (5, r#"{"c":2}"#)]));
        assert_eq!(repairs, [2, 3, 4, 5, 6].map(|line| (Some(line), RepairKind::UnreadableLine)));
    }

    #[test]
    fn objects_printed_over_several_lines_are_read() {
        let (got, repairs) = objects(b"\n{\n \"a\": 1\n}\n{\n \"b\": 2\n}{\"c\":3}\n");
        let want = [(2, "{\n \"a\": 1\n}"), (5, "{\n \"b\": 2\n}"), (7, "{\"c\":3}")];
        assert_eq!(got, found(&want));
        assert_eq!(repairs, [(Some(7), RepairKind::GluedLine)]);
    }

    #[test]
    fn half_surrogate_pairs_and_bad_bytes_are_replaced() {
        let (got, repairs) =
            objects(b"\xef\xbb\xbf{\"a\":\"\\ud800 \\uD83D\\ude00 \\\\ud800 \\udc00\"}\n{\"b\":\"\xff\"}");
        let first = "{\"a\":\"\\ufffd \\uD83D\\ude00 \\\\ud800 \\ufffd\"}";
        assert_eq!(got, found(&[(1, first), (2, "{\"b\":\"\u{fffd}\"}")]));
        let kinds = [
            (Some(1), RepairKind::ByteOrderMark),
            (Some(1), RepairKind::LoneSurrogate),
            (Some(2), RepairKind::NotUtf8),
        ];
        assert_eq!(repairs, kinds);
    }

    #[test]
    fn a_line_of_many_scalars_is_one_repair() {
        let text = "1 ".repeat(100_000);
        let (got, repairs) = objects(text.as_bytes());
        assert!(got.is_empty());
        assert_eq!(repairs, [(Some(1), RepairKind::UnreadableLine)]);
    }
}
