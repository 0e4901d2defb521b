//! A parameter has a name.

use toolwright::prelude::*;


/// Finds things.
#[tool]
async fn find(
    /// Where.
    (x, y): (u32, u32),
    /// How.
    _: String,
) -> Result<String, ToolError> {
    Ok(String::new())
}

fn main() {}
