//! A request, written so that it begins as the one before it did: tools, settings, and then the conversation.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright::message::{Block, Content, Message, Role, ToolResult};
use toolwright::query::{ModelError, ModelErrorKind, Request};

use super::Settings;

/// The fields that this file writes.
const OWN_FIELDS: [&str; 7] =
    ["tools", "model", "stream", "stream_options", "messages", "max_tokens", "max_completion_tokens"];

/// The body of the request.
pub(super) fn body(request: &Request, settings: &Settings) -> Result<Vec<u8>, ModelError> {
    let mut body = String::from("{");
    if !request.tools.is_empty() {
        let tools =
            request.tools.iter().map(|tool| function(tool, settings)).collect::<Result<Vec<_>, _>>()?;
        body.extend([r#""tools":["#, &tools.join(","), "],"]);
    }
    let model = quoted(request.model.as_deref().unwrap_or(&settings.model));
    body.extend([r#""model":"#, &model, r#","stream":true,"stream_options":{"include_usage":true},"#]);
    if let Some(tokens) = request.output_tokens_max.or(settings.output_tokens_max) {
        write!(body, r#""{}":{tokens},"#, settings.output_tokens_field).expect("strings take text");
    }
    for (name, value) in settings.options.iter().filter(|(name, _)| !OWN_FIELDS.contains(&name.as_str())) {
        write!(body, "{}:{value},", quoted(name)).expect("strings take text");
    }
    let mut messages = Vec::new();
    if let Some(system) = request.system.as_deref().filter(|system| !system.trim().is_empty()) {
        messages.push(format!(r#"{{"role":"system","content":{}}}"#, quoted(system)));
    }
    for message in request.messages.iter() {
        match message.role {
            Role::User => user(message, &mut messages),
            Role::Assistant => messages.extend(assistant(message)),
        }
    }
    body.extend([r#""messages":["#, &messages.join(","), "]}"]);
    Ok(body.into_bytes())
}

/// A definition as the pool has it. The schema goes on as it is, byte for byte.
#[derive(Deserialize)]
struct Definition<'a> {
    #[serde(borrow)]
    name: &'a RawValue,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    input_schema: &'a RawValue,
}

fn function(tool: &str, settings: &Settings) -> Result<String, ModelError> {
    let invalid = |error: serde_json::Error| {
        let detail = format!("the definition of a tool has no name or no schema: {error}");
        ModelError::new(ModelErrorKind::InvalidRequest, detail)
    };
    let definition: Definition<'_> = serde_json::from_str(tool).map_err(invalid)?;
    let name: String = serde_json::from_str(definition.name.get()).map_err(invalid)?;
    let description = definition.description.map_or(r#""""#, RawValue::get);
    let (schema, strict) = match settings.strict.get(&name) {
        Some(schema) => (&**schema, r#","strict":true"#),
        None => (definition.input_schema.get(), ""),
    };
    Ok(format!(
        r#"{{"type":"function","function":{{"name":{},"description":{description},"parameters":{schema}{strict}}}}}"#,
        definition.name.get(),
    ))
}

/// Results first, each a message of its own; then what the user says.
fn user(message: &Message, messages: &mut Vec<String>) {
    let mut parts = Vec::new();
    let mut pictures = Vec::new();
    for block in &message.content {
        match block {
            Block::ToolResult(result) => messages.push(tool_result(result, &mut pictures)),
            Block::Text(text) if !text.trim().is_empty() => parts.push(text_part(text)),
            Block::Other(value) => parts.extend(picture(value)),
            _empty => {}
        }
    }
    pictures.extend(parts);
    let content = match pictures.as_slice() {
        [] => return,
        [Value::Object(only)] if only["type"] == "text" => only["text"].clone(),
        many => Value::from(many),
    };
    messages.push(format!(r#"{{"role":"user","content":{content}}}"#));
}

/// The format has text for results and nothing else; pictures follow as the user's.
fn tool_result(result: &ToolResult, pictures: &mut Vec<Value>) -> String {
    let text = match &result.content {
        Content::Text(text) => text.clone(),
        Content::Blocks(blocks) => {
            let lines = blocks.iter().map(|block| match (block["text"].as_str(), picture(block)) {
                (Some(text), _) => text.to_owned(),
                (None, Some(part)) => {
                    pictures.push(part);
                    "(a picture; it follows)".to_owned()
                }
                (None, None) => block.to_string(),
            });
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    let id = quoted(result.tool_use_id.as_str());
    format!(r#"{{"role":"tool","tool_call_id":{id},"content":{}}}"#, quoted(&text))
}

fn assistant(message: &Message) -> Option<String> {
    let mut text = Vec::new();
    let mut calls = Vec::new();
    for block in &message.content {
        match block {
            Block::Text(said) if !said.trim().is_empty() => text.push(said.as_str()),
            Block::ToolUse(call) => calls.push(format!(
                r#"{{"id":{},"type":"function","function":{{"name":{},"arguments":{}}}}}"#,
                quoted(call.id.as_str()),
                quoted(&call.name),
                quoted(match call.input.as_str() {
                    "" => "{}",
                    arguments => arguments,
                }),
            )),
            // Thoughts and what other providers have is theirs.
            _theirs => {}
        }
    }
    let content = if text.is_empty() { "null".to_owned() } else { quoted(&text.join("\n\n")) };
    match (text.is_empty(), calls.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!(r#"{{"role":"assistant","content":{content}}}"#)),
        (_, false) => {
            let calls = calls.join(",");
            Some(format!(r#"{{"role":"assistant","content":{content},"tool_calls":[{calls}]}}"#))
        }
    }
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// A picture of the Messages format in this format's words.
fn picture(block: &Value) -> Option<Value> {
    if block["type"] != "image" {
        return None;
    }
    let source = &block["source"];
    let url = match source["type"].as_str()? {
        "base64" => format!("data:{};base64,{}", source["media_type"].as_str()?, source["data"].as_str()?),
        "url" => source["url"].as_str()?.to_owned(),
        _unknown => return None,
    };
    Some(json!({ "type": "image_url", "image_url": { "url": url } }))
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text is JSON")
}
