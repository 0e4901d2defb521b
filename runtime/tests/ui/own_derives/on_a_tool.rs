//! What `#[tool]` derives is not derived again.

use toolwright::prelude::*;

/// Finds things.
#[tool(read_only)]
#[derive(Debug, serde::Deserialize, Clone, JsonSchema)]
#[cfg_attr(all(), derive(Deserialize))]
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
