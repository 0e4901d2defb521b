//! What a remote tool gave back, as the model reads it.

use serde_json::{Value, json};
use toolwright::message::Content;

use super::link::CallAnswer;

/// How long the data of a picture may be, as text: what models take.
const IMAGE_CHARS_MAX: usize = 5 * 1024 * 1024 * 4 / 3;
/// The pictures that models take.
const IMAGES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The content of an answer. Text alone is text; data stands in for text where there is none.
pub(super) fn content(answer: CallAnswer) -> Content {
    let mut blocks: Vec<Value> = answer.content.iter().map(block).collect();
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

fn block(block: &Value) -> Value {
    let said = |key: &str| block[key].as_str().unwrap_or_default();
    match said("type") {
        "text" => text(said("text")),
        "image" => image(said("mimeType"), said("data")),
        "audio" => text(format!("[sound, {}, {} bytes]", said("mimeType"), bytes_of(said("data")))),
        "resource" => {
            let resource = &block["resource"];
            let said = |key: &str| resource[key].as_str().unwrap_or_default();
            match (resource["text"].as_str(), resource["blob"].as_str()) {
                (Some(content), _) => text(format!("[{}]\n{content}", said("uri"))),
                (None, Some(blob)) if IMAGES.contains(&said("mimeType")) => image(said("mimeType"), blob),
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

fn image(kind: &str, data: &str) -> Value {
    if !IMAGES.contains(&kind) || data.len() > IMAGE_CHARS_MAX {
        return text(format!("[a picture that cannot be shown, {kind}, {} bytes]", bytes_of(data)));
    }
    json!({"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}})
}

/// How many bytes these characters of base 64 are, about.
fn bytes_of(data: &str) -> usize {
    data.len() / 4 * 3
}
