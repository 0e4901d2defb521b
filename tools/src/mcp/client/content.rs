//! What a remote tool gave back, as the model reads it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use toolwright::message::Content;

use super::link::CallAnswer;
use crate::files::ImageFile;

/// How many pictures of one answer are shown: requests with very many are refused.
const IMAGES_MAX: usize = 20;
/// How long the data of a picture may be, as text, for it to be looked at.
const IMAGE_CHARS_MAX: usize = 16 * 1024 * 1024;

/// The content of an answer. Text alone is text; data stands in for text where there is none.
pub(super) fn content(answer: CallAnswer) -> Content {
    let mut images_left = IMAGES_MAX;
    let mut blocks: Vec<Value> = answer.content.iter().map(|said| block(said, &mut images_left)).collect();
    let says_something = blocks.iter().any(|block| block["type"] != "text" || block["text"] != "");
    if let Some(data) = answer.structured_content.filter(|_| !says_something) {
        blocks = vec![text(data.to_string())];
    }
    let is_text = blocks.iter().all(|block| block["type"] == "text");
    if is_text {
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        return Content::Text(texts.collect::<Vec<_>>().join("\n"));
    }
    Content::Blocks(blocks)
}

/// The contents of a resource.
pub(super) fn resource(contents: &[Value]) -> Content {
    let blocks = contents.iter().map(|content| json!({"type": "resource", "resource": content}));
    content(CallAnswer { content: blocks.collect(), ..CallAnswer::default() })
}

fn block(block: &Value, images_left: &mut usize) -> Value {
    let said = |key: &str| block[key].as_str().unwrap_or_default();
    match said("type") {
        "text" => text(said("text")),
        "image" => image(said("data"), images_left),
        "audio" => text(format!("[sound, {}, {} bytes]", said("mimeType"), bytes_of(said("data")))),
        "resource" => {
            let resource = &block["resource"];
            let said = |key: &str| resource[key].as_str().unwrap_or_default();
            match (resource["text"].as_str(), resource["blob"].as_str()) {
                (Some(content), _) => text(format!("[{}]\n{content}", said("uri"))),
                (None, Some(blob)) if said("mimeType").starts_with("image/") => image(blob, images_left),
                (None, Some(blob)) => {
                    text(format!("[{}, {}, {} bytes]", said("uri"), said("mimeType"), bytes_of(blob)))
                }
                (None, None) => text(format!("[{}]", said("uri"))),
            }
        }
        "resource_link" => {
            let about = [said("name"), said("uri"), said("description")];
            let about: Vec<&str> = about.into_iter().filter(|part| !part.is_empty()).collect();
            text(format!("[{}]", about.join(": ")))
        }
        _other => text(block.to_string()),
    }
}

fn text(text: impl Into<String>) -> Value {
    json!({"type": "text", "text": text.into()})
}

/// A picture, if it is one: a request with a picture that its provider cannot read is refused, and so is each one after it.
/// What it is its bytes tell, whatever the server says.
fn image(data: &str, images_left: &mut usize) -> Value {
    let left_out = |why: &str| text(format!("[a picture of {} bytes is left out: it {why}]", bytes_of(data)));
    if *images_left == 0 {
        return left_out(&format!("is one more than the {IMAGES_MAX} that are shown"));
    }
    if data.len() > IMAGE_CHARS_MAX {
        return left_out("is too large to be looked at");
    }
    let plain: String = data.split_ascii_whitespace().collect();
    let Ok(bytes) = STANDARD.decode(plain) else { return left_out("is not written in base 64") };
    match ImageFile::of(&bytes) {
        Ok(image) => {
            *images_left -= 1;
            json!({"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": image.base64}})
        }
        Err(why) => left_out(&why.to_string()),
    }
}

/// How many bytes these characters of base 64 are, about.
fn bytes_of(data: &str) -> usize {
    data.len() / 4 * 3
}
