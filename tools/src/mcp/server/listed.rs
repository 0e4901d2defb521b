//! Tools and results in the words of the protocol.

use serde_json::{Map, Value, json};
use toolwright::contract::Flags;
use toolwright::message::Content;
use toolwright::registry::Pooled;

/// The dialect of the schemas: models need not be told of it, and other programs may ask.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A tool as it is listed.
pub(super) fn tool(pooled: &Pooled) -> Option<rmcp::model::Tool> {
    let mut schema: Value = serde_json::from_str(pooled.schema().text()).ok()?;
    schema.as_object_mut()?.insert("$schema".to_owned(), Value::from(DIALECT));
    let mut listed = json!({
        "name": pooled.form().name,
        "description": pooled.tool().prompt(),
        "inputSchema": schema,
    });
    listed["annotations"] = hints(pooled.form().always);
    if let Some(output) = output_schema(pooled) {
        listed["outputSchema"] = Value::Object(output);
    }
    serde_json::from_value(listed).ok()
}

/// Only what is true of all its calls is promised: a client that believes a hint may not ask. What depends on the input is
/// left to what clients think of tools that say nothing: that they change things, and may destroy some.
fn hints(always: Flags) -> Value {
    let mut hints = json!({"readOnlyHint": always.read_only});
    if always.read_only || always.destructive {
        hints["destructiveHint"] = Value::from(always.destructive);
    }
    hints
}

/// The schema of its output, where that is an object: other outputs the protocol cannot describe.
pub(super) fn output_schema(pooled: &Pooled) -> Option<Map<String, Value>> {
    let schema: Value = serde_json::from_str(pooled.tool().output_schema()?.text()).ok()?;
    match schema {
        Value::Object(schema) if schema.get("type").is_some_and(|kind| kind == "object") => Some(schema),
        _other => None,
    }
}

/// A result's content.
pub(super) fn content(content: &Content) -> Vec<Value> {
    match content {
        Content::Text(text) => vec![json!({"type": "text", "text": text})],
        Content::Blocks(blocks) => blocks.iter().map(block).collect(),
    }
}

/// A block in the protocol's words. One that is in them already goes as it is; other kinds go as text.
fn block(block: &Value) -> Value {
    let (source, has) = (&block["source"], |key: &str| block[key].is_string());
    match (block["type"].as_str(), source["data"].as_str(), source["media_type"].as_str()) {
        (Some("text"), ..) => json!({"type": "text", "text": block["text"].as_str().unwrap_or_default()}),
        (Some("image"), Some(data), Some(kind)) => json!({"type": "image", "data": data, "mimeType": kind}),
        (Some("image" | "audio"), None, _) if has("data") && has("mimeType") => block.clone(),
        (Some("resource"), ..) if block["resource"]["uri"].is_string() => block.clone(),
        (Some("resource_link"), ..) if has("uri") && has("name") => block.clone(),
        _other => json!({"type": "text", "text": block.to_string()}),
    }
}
