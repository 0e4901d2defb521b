//! A tool has one schema, so its function is not generic.

use toolwright::prelude::*;


/// Finds things.
#[tool]
async fn find<T>(
    /// What to find.
    what: T,
) -> Result<String, ToolError>
where
    T: Clone,
{
    Ok(String::new())
}

fn main() {}
