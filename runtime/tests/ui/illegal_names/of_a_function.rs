//! The name of a function is the name of its tool.

use toolwright::prelude::*;


/// Finds cafés.
#[tool]
async fn find_café() -> Result<String, ToolError> {
    Ok(String::new())
}

fn main() {}
