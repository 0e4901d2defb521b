//! Files that are one object, however it is printed.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::object::Object;
use crate::transcript::{RepairKind, Repairs, Transcript, lines};

/// The text of a file, mended where it is none.
pub(super) fn text<'a>(bytes: &'a [u8], repairs: &mut Repairs) -> Cow<'a, str> {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if start.len() < bytes.len() {
        repairs.note(Some(1), RepairKind::ByteOrderMark, "the byte order mark was skipped");
    }
    let text = String::from_utf8_lossy(start);
    if matches!(text, Cow::Owned(_)) {
        repairs.note(None, RepairKind::NotUtf8, "bytes that are not UTF-8 were replaced by U+FFFD");
    }
    match lines::mend_surrogates(&text) {
        Some(mended) => {
            repairs.note(
                None,
                RepairKind::LoneSurrogate,
                "halves of surrogate pairs were replaced by U+FFFD",
            );
            Cow::Owned(mended)
        }
        None => text,
    }
}

/// Reads a file that is one object with the reader of its format; the line and the reason when it is none.
pub(super) fn read(
    bytes: &[u8],
    reader: fn(&Object<'_>, &mut Repairs) -> Transcript,
    repairs: &mut Repairs,
) -> Result<Transcript, (usize, String)> {
    let text = text(bytes, repairs);
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<&RawValue>();
    let first = match values.next() {
        Some(Ok(first)) => first.get(),
        Some(Err(error)) => return Err((error.line().max(1), lines::reason(&error))),
        None => return Err((1, "there is nothing in it".to_owned())),
    };
    let object = Object::try_parse(first).map_err(|error| (1, lines::reason(&error)))?;
    if !text[values.byte_offset()..].trim().is_empty() {
        repairs.note(None, RepairKind::UnknownLine, "what stands behind the first object was left out");
    }
    Ok(reader(&object, repairs))
}
