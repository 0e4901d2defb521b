//! There is one context.

use toolwright::prelude::*;


/// Finds things.
#[tool]
async fn find(cx: &Cx<'_, Find>, other: &Cx<'_, Find>) -> Result<String, ToolError> {
    Ok(String::new())
}

fn main() {}
