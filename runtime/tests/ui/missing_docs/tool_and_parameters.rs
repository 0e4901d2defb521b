//! The model reads the docs, so they must be there.

use toolwright::prelude::*;

#[tool(read_only)]
struct Find {
    pattern: String,
    ///
    limit: Option<u32>,
    /// Where to look.
    path: Option<String>,
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
