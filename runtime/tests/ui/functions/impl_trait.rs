//! A parameter has one type.

use toolwright::prelude::*;

/// Finds things.
#[tool]
async fn find(
    /// What to find.
    what: impl Into<String>,
) -> Result<String, ToolError> {
    Ok(what.into())
}

fn main() {}
