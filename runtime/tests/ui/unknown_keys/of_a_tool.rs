//! An option that does not exist is answered with the nearest one, or with all.

use toolwright::prelude::*;

/// Finds things.
#[tool(readonly, concurrent_safe = |i| i.is_small(), max_result = 3, description = "x", defer, frobnicate(1, 2))]
struct Find {}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
