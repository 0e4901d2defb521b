//! A function takes what its option has for it.

use toolwright::prelude::*;


/// Finds things.
#[tool(read_only = |find, other| find.what.is_empty(), concurrency_safe = || true, destructive = |find: &Find, _| false)]
struct Find {
    /// What to find.
    what: String,
}

/// Looks around.
#[tool(state = String, read_only = |look| look.far)]
struct Look {
    /// How far.
    far: bool,
    #[tool(inject = |state, input| state.clone())]
    place: String,
    #[tool(inject = || String::new())]
    name: String,
}

/// Tells of effects.
#[tool(effects = |input| Effects::none())]
async fn tell() -> Result<String, ToolError> {
    Ok(String::new())
}

fn main() {}
