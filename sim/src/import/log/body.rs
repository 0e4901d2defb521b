//! The body of a recorded request or answer, however it was kept.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::read::MultiGzDecoder;

use crate::import::object::Object;
use crate::import::spoken::Place;
use crate::transcript::{RepairKind, Repairs};

/// The most bytes that a packed body may have unpacked.
const BODY_BYTES_MAX: u64 = 64 << 20;

/// The text of a body: of an object in one of the places where recorders keep it, or the object itself.
pub(super) fn body(side: &str, place: Place, repairs: &mut Repairs) -> Option<String> {
    let Some(object) = Object::parse(side) else { return crate::import::object::text(side) };
    for name in ["parsed_body", "body", "json", "content", "string", "text", "postData", "base64_string"] {
        let Some(raw) = object.raw(name) else { continue };
        // A message has content too, which is no body.
        if name == "content" && object.has("role") {
            break;
        }
        return match raw.as_bytes().first() {
            Some(b'{') if name == "parsed_body" || name == "json" => Some(raw.to_owned()),
            Some(b'{') => body(raw, place, repairs),
            Some(b'"') => crate::import::object::text(raw).and_then(|text| unpacked(text, place, repairs)),
            _other => None,
        };
    }
    Some(side.to_owned())
}

/// A text as it is, or what it packs: gzip in base64.
fn unpacked(text: String, place: Place, repairs: &mut Repairs) -> Option<String> {
    let packed: String = text.split_ascii_whitespace().collect();
    if !packed.starts_with("H4sI") {
        return Some(text);
    }
    let mut left_out = |why: String| {
        let detail = format!("the packed body of exchange {} was left out: {why}", place.message);
        repairs.note(place.line, RepairKind::UnreadableMessage, detail);
    };
    let bytes = match BASE64_STANDARD.decode(packed) {
        Ok(bytes) => bytes,
        Err(error) => {
            left_out(error.to_string());
            return None;
        }
    };
    let mut unpacked = Vec::new();
    let ended = MultiGzDecoder::new(bytes.as_slice()).take(BODY_BYTES_MAX + 1).read_to_end(&mut unpacked);
    if unpacked.len() as u64 > BODY_BYTES_MAX {
        left_out(format!("it is larger than {BODY_BYTES_MAX} bytes"));
        return None;
    }
    if let Err(error) = ended {
        let detail = format!("the packed body of exchange {} ends early: {error}", place.message);
        repairs.note(place.line, RepairKind::CutOffMessage, detail);
    }
    Some(String::from_utf8_lossy(&unpacked).into_owned())
}
