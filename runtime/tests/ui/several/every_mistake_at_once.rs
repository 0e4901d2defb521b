//! All mistakes of one struct are told together.

use toolwright::prelude::*;

#[tool(read_only, destructive, concurent_safe, interrupt = never)]
#[derive(Debug, Deserialize)]
struct Find {
    what: String,
    /// How many.
    #[tool(internal)]
    limit: u32,
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
