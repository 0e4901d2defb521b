//! The body takes its parameters by clone.

use toolwright::prelude::*;

#[derive(Params)]
struct Lines {
    /// The first.
    from: u32,
}

/// Finds things.
#[tool]
async fn find(
    /// Where to find it.
    lines: Lines,
) -> Result<u32, ToolError> {
    Ok(lines.from)
}

fn main() {}
