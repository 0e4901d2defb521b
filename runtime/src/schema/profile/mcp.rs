//! MCP: any JSON Schema 2020-12 whose root is an object.
//!
//! Source: the Model Context Protocol, `Tool.inputSchema`.

use serde_json::Value;

use super::shaping::Shaping;

pub(super) fn shape(schema: &mut Value, shaping: &mut Shaping) {
    if schema.get("type").is_none_or(|kind| kind != "object") {
        shaping.refuse("must be an object: give the schema `\"type\": \"object\"`");
    }
}
