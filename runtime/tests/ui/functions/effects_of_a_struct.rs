//! A struct tells its effects by a method; a function by `none` or another.

use toolwright::prelude::*;


/// Finds things.
#[tool(effects = none)]
struct Find {}

/// Finds others.
#[tool(effects = "none")]
async fn find_others() -> Result<String, ToolError> {
    Ok(String::new())
}

fn main() {}
