//! An option stands once.

use toolwright::prelude::*;

/// Finds things.
#[tool(read_only, name = "Find", read_only = false, name = "Other")]
struct Find {}

/// Finds other things.
#[tool(read_only)]
#[tool(concurrency_safe)]
struct FindOther {}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

impl Tool for FindOther {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
