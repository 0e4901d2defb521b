//! Pictures as a model is shown them.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use imagesize::ImageType;
use serde::Serialize;
use serde_json::{Value, json};

/// How many bytes a picture may have: providers take five megabytes of its encoding, which is a third longer.
const BYTES_MAX: usize = 3_750_000;
/// How many pixels a picture may be wide or high, as providers have it.
const SIDE_MAX: usize = 8_000;

/// A picture that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageFile {
    /// Its bytes in base64.
    pub base64: String,
    /// Its kind, such as `image/png`.
    #[serde(rename = "type")]
    pub media_type: String,
    /// How many bytes it has.
    pub original_size: usize,
    /// How large it is.
    pub dimensions: Dimensions,
}

/// How large a picture is, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Dimensions {
    /// From left to right.
    pub width: usize,
    /// From top to bottom.
    pub height: usize,
}

/// Why a picture cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotShown {
    /// It is something else.
    #[error(
        "is not a PNG, JPEG, GIF or WebP picture: look at it with `file`, or convert it to PNG first, as with `convert`"
    )]
    Kind,
    /// It is too large.
    #[error(
        "has {0} bytes, more than the {BYTES_MAX} that can be shown: make it smaller first, as with `convert -resize`"
    )]
    Bytes(usize),
    /// There is nothing in it to be seen.
    #[error("has no pixels: make it anew")]
    Empty,
    /// It is not all there.
    #[error("breaks off before its end: make or fetch it anew")]
    Cut,
    /// It is too wide or too high.
    #[error(
        "has {} by {} pixels, more than the {SIDE_MAX} that can be shown: make it smaller first, as with `convert -resize`",
        .0.width, .0.height
    )]
    Pixels(Dimensions),
}

/// Whether a path is named like a picture.
pub(crate) fn is_picture(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let endings = ["png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "ico", "heic", "avif"];
    ending.is_some_and(|ending| endings.contains(&ending.as_str()))
}

impl ImageFile {
    /// Looks at a picture's bytes; nothing is decoded but its head. What a provider cannot read it must not be sent: the
    /// request is refused then, and so is each one after it.
    pub(crate) fn of(bytes: &[u8]) -> Result<ImageFile, NotShown> {
        let media_type = match imagesize::image_type(bytes).map_err(|_unknown| NotShown::Kind)? {
            ImageType::Png => "image/png",
            ImageType::Jpeg => "image/jpeg",
            ImageType::Gif => "image/gif",
            ImageType::Webp => "image/webp",
            _other => return Err(NotShown::Kind),
        };
        let size = imagesize::blob_size(bytes).map_err(|_broken| NotShown::Kind)?;
        let dimensions = Dimensions { width: size.width, height: size.height };
        if bytes.len() > BYTES_MAX {
            return Err(NotShown::Bytes(bytes.len()));
        }
        if size.width.max(size.height) > SIDE_MAX {
            return Err(NotShown::Pixels(dimensions));
        }
        if size.width.min(size.height) == 0 {
            return Err(NotShown::Empty);
        }
        if breaks_off(media_type, bytes) {
            return Err(NotShown::Cut);
        }
        Ok(ImageFile {
            base64: STANDARD.encode(bytes),
            media_type: media_type.to_owned(),
            original_size: bytes.len(),
            dimensions,
        })
    }

    /// What a model reads: the picture, and how large it is.
    pub(crate) fn blocks(&self) -> Vec<Value> {
        let Dimensions { width, height } = self.dimensions;
        let about = format!("({width} by {height} pixels, {} bytes)", self.original_size);
        vec![block(&self.media_type, &self.base64), json!({"type": "text", "text": about})]
    }
}

/// Whether a picture has no end, where its kind has a mark for it or says how long it is.
fn breaks_off(media_type: &str, bytes: &[u8]) -> bool {
    let lacks = |mark: &[u8]| !bytes.windows(mark.len()).rev().any(|part| part == mark);
    match media_type {
        "image/png" => lacks(b"IEND"),
        "image/jpeg" => lacks(&[0xFF, 0xD9]),
        "image/webp" => {
            let said = bytes.get(4..8).and_then(|length| Some(u32::from_le_bytes(length.try_into().ok()?)));
            said.is_none_or(|length| bytes.len() - 8 < length as usize)
        }
        _gif => !bytes.contains(&b';'),
    }
}

/// A picture as a block.
pub(crate) fn block(media_type: &str, base64: &str) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": base64}})
}
