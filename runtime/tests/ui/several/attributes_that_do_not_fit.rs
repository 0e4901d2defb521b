//! Attributes that would part the schema from the parser, or open it, are refused.

use toolwright::prelude::*;

/// Finds things.
#[tool(read_only, rename_all = "camelCase")]
#[serde(rename_all = "camelCase", deny_unknown_fields, default, transparent)]
#[serde(crate = "elsewhere")]
#[schemars(rename_all = "camelCase", description = "finds")]
struct Find {
    /// What to find.
    #[serde(flatten)]
    what: What,
    /// Where to look.
    #[schemars(rename = "where")]
    place: String,
    /// How many.
    #[tool(coercion = off)]
    limit: u32,
    /// How deep.
    #[tool]
    depth: u32,
    /// How long.
    #[cfg_attr(all(), serde(rename = "len"))]
    length: u32,
    /// How wide.
    #[serde(rename = "limit")]
    width: u32,
}

struct What;

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
