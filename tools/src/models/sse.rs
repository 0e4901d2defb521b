//! Server-sent events, read from bytes that come in pieces cut anywhere.
//!
//! The format is that of the HTML standard, section 9.2.6: lines end with LF, CR or CRLF, `data` lines of one event are
//! joined with line feeds, an event that its end does not follow is not an event. Not kept: `id` and `retry`, for an
//! answer of a model cannot be taken up again.

use serde::de::DeserializeOwned;
use toolwright::query::{ModelError, ModelErrorKind};

use super::limits::EVENT_BYTES_MAX;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SseEvent {
    /// The name of it; empty where it has none.
    pub(super) name: String,
    /// What it says.
    pub(super) data: String,
}

impl SseEvent {
    /// What the event says, where it is an object of JSON. (A list would be read as the fields of an object in turn.)
    pub(super) fn object<T: DeserializeOwned>(&self) -> Result<T, String> {
        if !self.data.trim_start().starts_with('{') {
            return Err("it is no object of JSON".to_owned());
        }
        serde_json::from_str(&self.data).map_err(|error| error.to_string())
    }
}

/// Why bytes are not events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SseError {
    /// A line is not text.
    #[error("the answer holds bytes that are not UTF-8")]
    NotUtf8,
    /// One event is larger than [`EVENT_BYTES_MAX`].
    #[error("an event of the answer is larger than {EVENT_BYTES_MAX} bytes")]
    TooLarge,
}

/// Reads events from pieces.
#[derive(Debug, Default)]
pub(super) struct SseReader {
    line: Vec<u8>,
    /// The last byte was a CR, so that an LF now belongs to it.
    after_cr: bool,
    /// Whether a line has been read: a byte order mark stands before the first one only.
    begun: bool,
    name: String,
    data: Option<String>,
}

/// What a piece held.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    /// The events that it completed.
    pub(super) events: Vec<SseEvent>,
    /// How many lines it completed: whoever sends nothing but comments is alive.
    pub(super) lines: usize,
    /// Why the rest of it could not be read. The events before count, wherever the pieces were cut.
    pub(super) error: Option<SseError>,
}

impl From<SseError> for ModelError {
    fn from(error: SseError) -> ModelError {
        let kind = match error {
            SseError::NotUtf8 => ModelErrorKind::Malformed,
            SseError::TooLarge => ModelErrorKind::TooLarge,
        };
        ModelError::new(kind, error.to_string())
    }
}

impl SseReader {
    /// Reads the next piece. Behind an error nothing more is to be read.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Piece {
        let mut piece = Piece::default();
        piece.error = self.read(bytes, &mut piece).err();
        piece
    }

    fn read(&mut self, bytes: &[u8], piece: &mut Piece) -> Result<(), SseError> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend(&rest[..end])?;
            piece.lines += 1;
            piece.events.extend(self.end_line()?);
            let ended_by_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if ended_by_cr {
                self.after_cr = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
        self.extend(rest)
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held + bytes.len() > EVENT_BYTES_MAX {
            return Err(SseError::TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<SseEvent>, SseError> {
        let line = std::mem::take(&mut self.line);
        let mut line = std::str::from_utf8(&line).map_err(|_error| SseError::NotUtf8)?;
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            return Ok(self.data.take().map(|data| SseEvent { name, data }));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => value.clone_into(&mut self.name),
            _comment_or_unknown => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> (Vec<SseEvent>, Option<SseError>) {
        let mut reader = SseReader::default();
        let mut events = Vec::new();
        for piece in pieces {
            let fed = reader.feed(piece);
            events.extend(fed.events);
            if fed.error.is_some() {
                return (events, fed.error);
            }
        }
        (events, None)
    }

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn the_standards_forms_are_read() {
        let table: &[(&str, &[SseEvent])] = &[
            ("data: a\n\n", &[event("", "a")]),
            ("\u{feff}data:a\r\rdata: b\r\n\r\n", &[event("", "a"), event("", "b")]),
            ("event: ping\ndata: {}\nid: 7\nretry: 3\n\n", &[event("ping", "{}")]),
            ("data: a\ndata\ndata:  b\n\n", &[event("", "a\n\n b")]),
            (": nothing\n\nevent: x\n\ndata: y\n\n", &[event("", "y")]),
            ("data: half", &[]),
            ("data: half\n", &[]),
            ("data:\n\n", &[event("", "")]),
            ("data: \u{feff}a\n\n\u{feff}data: no\n\n", &[event("", "\u{feff}a")]),
        ];
        for (text, expected) in table {
            assert_eq!(read(&[text.as_bytes()]), (expected.to_vec(), None), "{text:?}");
        }
    }

    #[test]
    fn a_cut_at_any_two_places_changes_nothing() {
        let text = "\u{feff}event: a\r\ndata: {\"x\":\"é😀\"}\r\n\r\n: c\rdata: 1\rdata: 2\r\r\ndata: z\n\n"
            .as_bytes();
        let whole = read(&[text]);
        assert_eq!((whole.0.len(), whole.1), (3, None));
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(read(&pieces), whole, "{first} {second}");
            }
        }
    }

    #[test]
    fn an_event_has_a_largest_size_however_it_is_cut() {
        let mut reader = SseReader::default();
        let line = [b"data: ".as_slice(), &vec![b'x'; 1 << 20], b"\n"].concat();
        let fed = (0..=EVENT_BYTES_MAX / (1 << 20)).find_map(|_time| reader.feed(&line).error);
        assert_eq!(fed, Some(SseError::TooLarge));
        let mut reader = SseReader::default();
        let fed = (0..=EVENT_BYTES_MAX / 4096).find_map(|_time| reader.feed(&[b'y'; 4096]).error);
        assert_eq!(fed, Some(SseError::TooLarge));
    }

    #[test]
    fn bytes_that_are_not_text_are_an_error() {
        let bad = Some(SseError::NotUtf8);
        assert_eq!(read(&[b"data: a\n\ndata: \xff\n\n"]), (vec![event("", "a")], bad));
        assert_eq!(read(&[b"data: \xe2\x82\n\n"]), (Vec::new(), bad));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_in_arbitrary_pieces_read_as_they_do_whole(
            bytes in proptest::collection::vec(
                prop_oneof![
                    Just(b'\n'), Just(b'\r'), Just(b':'), Just(b' '), Just(b'd'), any::<u8>(),
                    Just(0xe2), Just(0x82), Just(0xac)
                ],
                0..80
            ),
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
            prefix in prop_oneof![Just(""), Just("data: "), Just("event: e\ndata:")],
        ) {
            let text = [prefix.as_bytes(), &bytes].concat();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            at.extend([0, text.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[&text]));
        }
    }
}
