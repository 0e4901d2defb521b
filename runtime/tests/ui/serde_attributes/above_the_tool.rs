//! An attribute for serde or schemars stands below `#[tool]`.

use toolwright::prelude::*;

/// Finds things.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
#[tool(read_only)]
struct Find {
    /// What to find.
    what: String,
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
