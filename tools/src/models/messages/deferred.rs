//! Deferred tools in a request: which models know the mark, and what others are told in its place.

use std::sync::Arc;

use serde_json::json;
use toolwright::message::{Block, Content, Message};
use toolwright::query::Request;

/// The feature in trial that knows the mark.
pub(super) const BETA: &str = "advanced-tool-use-2025-11-20";
/// The mark at the end of a definition.
const MARK: &str = r#","defer_loading":true}"#;
/// How the names of models begin that came before it.
const OLDER: [&str; 4] = ["claude-1", "claude-2", "claude-3", "claude-instant"];

/// Whether a model keeps what is marked from itself until it is referred to: all but the older and the smallest ones.
pub(super) fn is_known_to(model: &str) -> bool {
    !OLDER.iter().any(|older| model.starts_with(older)) && !model.contains("haiku")
}

/// Makes a request one that its model understands: where it does not know the mark, all definitions are sent without it,
/// and references are words. Says whether something is still deferred.
pub(super) fn fit(request: &mut Request, usual: &str) -> bool {
    let defers = request.tools.iter().any(|tool| tool.ends_with(MARK));
    if !defers || is_known_to(request.model.as_deref().unwrap_or(usual)) {
        return defers;
    }
    for tool in &mut request.tools {
        if let Some(open) = tool.strip_suffix(MARK) {
            *tool = format!("{open}}}").into();
        }
    }
    if request.messages.iter().any(|message| message.content.iter().any(refers)) {
        let messages = Arc::make_mut(&mut request.messages);
        messages.iter_mut().for_each(spell_out);
    }
    false
}

fn refers(block: &Block) -> bool {
    match block {
        Block::ToolResult(result) => match &result.content {
            Content::Blocks(blocks) => blocks.iter().any(|block| block["type"] == "tool_reference"),
            Content::Text(_) => false,
        },
        _other => false,
    }
}

fn spell_out(message: &mut Message) {
    for block in &mut message.content {
        if let Block::ToolResult(result) = block
            && let Content::Blocks(blocks) = &mut result.content
        {
            for block in blocks.iter_mut().filter(|block| block["type"] == "tool_reference") {
                let name = block["tool_name"].as_str().unwrap_or_default();
                *block = json!({"type": "text", "text": format!("`{name}` can be called from now on.")});
            }
        }
    }
}
