//! What the model never sees is not described to it.

use toolwright::prelude::*;


/// Finds things.
#[tool(state = u32)]
struct Find {
    #[tool(internal, description = "How many.", example = 3)]
    limit: u32,
    #[tool(inject = |state| *state, when = "depth", coerce = off)]
    depth: u32,
}

fn main() {}
