//! The context is borrowed.

use toolwright::prelude::*;

/// Finds things.
#[tool]
async fn find(cx: Cx<'_, Find>) -> Result<String, ToolError> {
    Ok(String::new())
}

fn main() {}
