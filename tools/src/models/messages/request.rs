//! A request, written so that it begins as the one before it did: tools, system prompt, settings, and then the
//! conversation, oldest first.
//!
//! The marks that ask the provider to keep the beginning move to the newest messages from turn to turn; the provider
//! does not count them as part of what it compares.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright::env::label_hash;
use toolwright::message::{Block, Content, Message, RawInput, Role, ToolResult};
use toolwright::query::{ModelError, ModelErrorKind, PromptCache, Request};

use super::Settings;

/// How many of the newest user messages are marked. A provider looks some 20 blocks back from a mark for what it has
/// kept; with two marks, the older one is where the last request had its newest.
const MARKED_MESSAGES: usize = 2;
/// The most characters of a tool's name.
const NAME_CHARS_MAX: usize = 128;
/// The fields that this file writes.
const OWN_FIELDS: [&str; 6] = ["tools", "system", "model", "max_tokens", "stream", "messages"];

/// The body of the request.
pub(super) fn body(request: &Request, settings: &Settings) -> Result<Vec<u8>, ModelError> {
    let mark = mark(request.cache);
    let mut body = String::from("{");
    if !request.tools.is_empty() {
        write_tools(&mut body, request, mark)?;
    }
    if let Some(system) = request.system.as_deref().filter(|system| !system.trim().is_empty()) {
        let block = format!(r#"{{"type":"text","text":{}}}"#, quoted(system));
        body.extend([r#""system":["#, &marked(&block, mark), "],"]);
    }
    let model = request.model.as_deref().unwrap_or(&settings.model);
    let tokens = request.output_tokens_max.unwrap_or(settings.output_tokens_max);
    write!(body, r#""model":{},"max_tokens":{tokens},"stream":true,"#, quoted(model))
        .expect("strings take text");
    for (name, value) in settings.options.iter().filter(|(name, _)| !OWN_FIELDS.contains(&name.as_str())) {
        write!(body, "{}:{value},", quoted(name)).expect("strings take text");
    }
    write_messages(&mut body, &request.messages, mark);
    body.push('}');
    Ok(body.into_bytes())
}

/// What is put into a block behind which everything before is to be kept.
fn mark(cache: PromptCache) -> Option<&'static str> {
    match cache {
        PromptCache::Off => None,
        PromptCache::Short => Some(r#""cache_control":{"type":"ephemeral"}"#),
        PromptCache::Long => Some(r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#),
    }
}

#[derive(Deserialize)]
struct Deferral {
    #[serde(default)]
    defer_loading: bool,
}

fn write_tools(body: &mut String, request: &Request, mark: Option<&str>) -> Result<(), ModelError> {
    let mut last_loaded = None;
    for (index, tool) in request.tools.iter().enumerate() {
        let deferral: Deferral = serde_json::from_str(tool).map_err(|error| {
            let detail = format!("the definition of tool {index} is not an object of JSON: {error}");
            ModelError::new(ModelErrorKind::InvalidRequest, detail)
        })?;
        // A tool that is loaded later is not part of what is kept, and may not be marked.
        if !deferral.defer_loading {
            last_loaded = Some(index);
        }
    }
    body.push_str(r#""tools":["#);
    for (index, tool) in request.tools.iter().enumerate() {
        let mark = mark.filter(|_mark| Some(index) == last_loaded);
        body.extend([if index > 0 { "," } else { "" }, &marked(tool, mark)]);
    }
    body.push_str("],");
    Ok(())
}

/// What one side says before the other speaks: the API wants the sides to take turns.
struct Said {
    role: Role,
    blocks: Vec<String>,
}

fn write_messages(body: &mut String, messages: &[Message], mark: Option<&str>) {
    let mut said: Vec<Said> = Vec::new();
    for message in messages {
        let blocks: Vec<String> = message.content.iter().filter_map(block).collect();
        match said.last_mut() {
            _ if blocks.is_empty() => {}
            Some(last) if last.role == message.role => last.blocks.extend(blocks),
            _other => said.push(Said { role: message.role, blocks }),
        }
    }
    let newest_of_user = said.iter_mut().rev().filter(|said| said.role == Role::User).take(MARKED_MESSAGES);
    for said in newest_of_user {
        let last = said.blocks.last_mut().expect("nobody who says nothing is in the list");
        *last = marked(last, mark).into_owned();
    }
    body.push_str(r#""messages":["#);
    for (index, said) in said.iter().enumerate() {
        let role = match said.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let comma = if index > 0 { "," } else { "" };
        write!(body, r#"{comma}{{"role":"{role}","content":[{}]}}"#, said.blocks.join(","))
            .expect("strings take text");
    }
    body.push(']');
}

/// One block; nothing where it says nothing, which the API does not take.
fn block(block: &Block) -> Option<String> {
    match block {
        Block::Text(text) if text.trim().is_empty() => None,
        Block::Text(text) => Some(format!(r#"{{"type":"text","text":{}}}"#, quoted(text))),
        Block::ToolUse(call) => Some(format!(
            r#"{{"type":"tool_use","id":{},"name":{},"input":{}}}"#,
            quoted(&id(call.id.as_str())),
            quoted(&name(&call.name)),
            input(&call.input),
        )),
        Block::ToolResult(result) => Some(tool_result(result)),
        Block::Other(Value::Object(object)) if object.contains_key("type") => {
            serde_json::to_string(object).ok()
        }
        _unknown => None,
    }
}

fn tool_result(result: &ToolResult) -> String {
    let is_empty = match &result.content {
        Content::Text(text) => text.trim().is_empty(),
        Content::Blocks(blocks) => blocks.is_empty(),
    };
    let content = match &result.content {
        // The API takes no error that says nothing.
        _ if is_empty && result.is_error => quoted("the tool failed and said nothing"),
        Content::Text(text) => quoted(text),
        Content::Blocks(blocks) => serde_json::to_string(blocks).expect("values are JSON"),
    };
    let error = if result.is_error { r#","is_error":true"# } else { "" };
    let call = quoted(&id(result.tool_use_id.as_str()));
    format!(r#"{{"type":"tool_result","tool_use_id":{call},"content":{content}{error}}}"#)
}

/// The arguments as the model wrote them, where they are an object. Others, which no tool has taken, are told as they
/// came: the API takes nothing but objects.
fn input(input: &RawInput) -> Cow<'_, str> {
    let text = input.as_str().trim();
    if text.is_empty() {
        return "{}".into();
    }
    match serde_json::from_str::<&RawValue>(text) {
        Ok(raw) if raw.get().starts_with('{') => raw.get().into(),
        _other => format!(r#"{{"not_an_object":{}}}"#, quoted(text)).into(),
    }
}

/// An identifier as the API takes it. One of another provider may hold other characters: a hash keeps it apart from
/// others that would look the same.
fn id(id: &str) -> Cow<'_, str> {
    if is_plain(id) { id.into() } else { format!("{}_{:016x}", plain(id), label_hash(id)).into() }
}

/// A tool's name as the API takes it. The model may have made one up that it does not.
fn name(name: &str) -> Cow<'_, str> {
    match name.chars().count() {
        0 => "unnamed".into(),
        chars if chars <= NAME_CHARS_MAX && is_plain(name) => name.into(),
        _other => plain(name).chars().take(NAME_CHARS_MAX).collect::<String>().into(),
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_plain_char)
}

fn plain(text: &str) -> String {
    text.chars().map(|char| if is_plain_char(char) { char } else { '_' }).collect()
}

fn is_plain_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-')
}

/// An object with the mark at its end; what stands before stays as it is, byte for byte.
fn marked<'a>(object: &'a str, mark: Option<&str>) -> Cow<'a, str> {
    let open = object.trim_end().strip_suffix('}').filter(|open| !open.trim_end().ends_with('{'));
    match (open, mark) {
        (Some(open), Some(mark)) => format!("{open},{mark}}}").into(),
        _unmarked => object.into(),
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text is JSON")
}
