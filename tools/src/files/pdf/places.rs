//! Where the objects of a file stand. The whole file is gone through for them, so that broken or missing tables do not
//! matter; of objects with the same number the last one counts, as where a file was changed by adding to its end.

use std::collections::BTreeMap;
use std::ops::Range;

use super::object::{Dictionary, Object, Reader, References};

/// How often the file may be gone through, for what is not read at the first look.
const LOOKS_MAX: usize = 8;
/// How many objects are looked at.
const OBJECTS_MAX: usize = 2_000_000;

/// What going through a file finds.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Where each object begins, behind its number.
    pub(super) objects: BTreeMap<u32, usize>,
    /// The objects that others are packed in, by number, in the order of the file.
    pub(super) packed: Vec<u32>,
    /// What says where to begin, in the order of the file.
    pub(super) trailers: Vec<Dictionary>,
    /// Whether it was gone through to its end.
    pub(super) is_complete: bool,
}

impl Places {
    /// Goes through a file, until `is_enough`.
    pub(super) fn find(bytes: &[u8], is_enough: impl Fn() -> bool) -> Places {
        let mut places = Places::default();
        let (mut at, mut looked_at) = (0, 0);
        let looked_at_max = bytes.len().saturating_mul(LOOKS_MAX).saturating_add(100_000);
        let mut has_ends = true;
        while let Some(found) = next_mark(bytes, at) {
            if looked_at > looked_at_max || places.objects.len() > OBJECTS_MAX || is_enough() {
                return places;
            }
            let begin = found.end();
            let mut reader = Reader::new(bytes, begin, References::Read);
            let read = reader.next();
            looked_at += reader.at - begin;
            // What cannot be read may have other objects in it.
            at = if read.is_some() { reader.at } else { begin };
            match (found, read) {
                (Mark::Trailer(_), Some(Object::Dictionary(trailer))) => places.trailers.push(trailer),
                (Mark::Trailer(_), _nothing) => at = begin,
                (Mark::Object { number, .. }, read) => {
                    places.objects.insert(number, begin);
                    if let Some(Object::Dictionary(dictionary)) = read
                        && let Some(start) = stream_start(bytes, reader.at)
                    {
                        let length = dictionary.get(b"Length".as_slice()).and_then(Object::size);
                        let range = stream_range(bytes, start, length, &mut has_ends);
                        looked_at += range.len();
                        at = range.end;
                        places.take_stream(number, dictionary);
                    }
                }
            }
        }
        places.is_complete = true;
        places
    }

    fn take_stream(&mut self, number: u32, dictionary: Dictionary) {
        match dictionary.get(b"Type".as_slice()).and_then(Object::name) {
            Some(b"ObjStm") => self.packed.push(number),
            Some(b"XRef") => self.trailers.push(dictionary),
            _other => {}
        }
    }
}

/// Something at which a thing begins that matters.
#[derive(Clone, Copy, Debug)]
enum Mark {
    /// `1 0 obj`, and where it ends.
    Object { number: u32, end: usize },
    /// `trailer`, and where it ends.
    Trailer(usize),
}

impl Mark {
    fn end(self) -> usize {
        match self {
            Mark::Object { end, .. } | Mark::Trailer(end) => end,
        }
    }
}

/// The next mark from a place on.
fn next_mark(bytes: &[u8], from: usize) -> Option<Mark> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| matches!(byte, b'o' | b't'))?;
        let rest = &bytes[at..];
        if rest.starts_with(b"obj")
            && let Some(number) = number_before(&bytes[from..at])
        {
            return Some(Mark::Object { number, end: at + 3 });
        }
        if rest.starts_with(b"trailer") {
            return Some(Mark::Trailer(at + 7));
        }
        at += 1;
    }
}

/// The number of an object, which stands before its generation at the end of some bytes.
fn number_before(bytes: &[u8]) -> Option<u32> {
    let without =
        |bytes: &'_ [u8], is: fn(&u8) -> bool| bytes.iter().rev().take_while(|byte| is(byte)).count();
    let before = &bytes[..bytes.len() - without(bytes, u8::is_ascii_whitespace)];
    let generation = without(before, u8::is_ascii_digit);
    let before = &before[..before.len() - generation];
    let white = without(before, u8::is_ascii_whitespace);
    let before = &before[..before.len() - white];
    let digits = without(before, u8::is_ascii_digit);
    if generation == 0 || white == 0 {
        return None;
    }
    std::str::from_utf8(&before[before.len() - digits..]).ok()?.parse().ok()
}

/// Where the bytes of a stream begin, where one begins at a place.
pub(super) fn stream_start(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let white = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let behind = rest[white..].strip_prefix(b"stream")?;
    let end = if behind.starts_with(b"\r\n") {
        2
    } else {
        usize::from(matches!(behind.first(), Some(b'\n' | b'\r')))
    };
    Some(bytes.len() - behind.len() + end)
}

/// The bytes of a stream that begin at a place: as many as its length says, where it ends there, and otherwise up to where
/// it does end. `has_ends` tells whether an end can still be found, and is told.
pub(super) fn stream_range(
    bytes: &[u8],
    start: usize,
    length: Option<usize>,
    has_ends: &mut bool,
) -> Range<usize> {
    const END: &[u8] = b"endstream";
    let is_end = |at: usize| bytes.get(at..).is_some_and(|rest| rest.trim_ascii_start().starts_with(END));
    if let Some(end) = length.and_then(|length| start.checked_add(length)).filter(|end| is_end(*end)) {
        return start..end;
    }
    let found = if *has_ends { find(&bytes[start..], END) } else { None };
    *has_ends = found.is_some();
    match found {
        Some(length) => start..start + length,
        None => start..start,
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == first)?;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_trailers_are_found_wherever_they_stand() {
        let file = b"junk 1 0 obj<</Length 12>>stream\n9 0 obj (in)\nendstream endobj\n2 0 obj [3 0 R] endobj 3  0\nobj 5 \
            endobj trailer <</Root 1 0 R>> 4 0 obj <</Type/ObjStm>> stream\r\nno end";
        let places = Places::find(file, || false);
        assert_eq!(places.objects.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!((places.packed, places.trailers.len(), places.is_complete), (vec![4], 1, true));
    }

    #[test]
    fn what_never_ends_is_looked_at_only_so_often() {
        for piece in ["1 0 obj [ ", "1 0 obj << ", "1 0 obj <<>> stream ", "obj ", "trailer << ", "1 0 obj ("]
        {
            Places::find(piece.repeat(5_000).as_bytes(), || false);
        }
    }
}
