//! Only a struct with named fields is a tool.

use toolwright::prelude::*;

/// Finds this or that.
#[tool(read_only)]
enum Find {
    /// This.
    This,
    /// That.
    #[serde(rename = "that one")]
    That,
}

/// Finds bits.
#[tool(read_only)]
union Bits {
    /// As a number.
    number: u32,
    /// As another.
    other: i32,
}

/// Finds what comes first.
#[tool(read_only)]
struct Positional(String, Option<u32>);

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

impl Tool for Bits {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

impl Tool for Positional {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
