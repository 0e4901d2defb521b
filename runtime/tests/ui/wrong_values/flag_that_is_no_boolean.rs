//! A flag is a function of the input.

use toolwright::prelude::*;

/// Finds things.
#[tool(read_only = |find| find.limit)]
struct Find {
    /// How many.
    limit: u32,
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
