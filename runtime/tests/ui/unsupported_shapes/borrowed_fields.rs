//! A parameter owns its data.

use toolwright::prelude::*;

/// Finds things.
#[tool]
struct Find {
    /// What to find.
    what: &'static str,
    /// What else to find.
    others: Vec<Box<Self>>,
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
