//! A struct that nobody made a tool.
use toolwright::prelude::*;

/// Adds.
struct Add {
    /// One number.
    a: i64,
}

impl Tool for Add {
    type Output = i64;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<i64, ToolError> {
        Ok(self.a)
    }
}

fn main() {}
