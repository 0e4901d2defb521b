//! A tool may have to wait.

use toolwright::prelude::*;


/// Finds things.
#[tool]
fn find() -> Result<String, ToolError> {
    Ok(String::new())
}

fn main() {}
