//! Options that cannot both be true are refused under both.

use toolwright::prelude::*;

/// Looks and destroys.
#[tool(read_only, concurrency_safe, destructive)]
struct Contradictory {}

/// Is sent late and early.
#[tool(should_defer = true, always_load)]
struct Undecided {}

/// Says of itself that it is not what it could be.
#[tool(read_only = false, destructive, should_defer = false, always_load)]
struct Consistent {}

impl Tool for Contradictory {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

impl Tool for Undecided {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

impl Tool for Consistent {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
