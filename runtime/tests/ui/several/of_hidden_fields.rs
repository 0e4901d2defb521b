//! All mistakes of hidden fields are told together.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    #[tool(internal, inject, when = "x")]
    #[serde(default)]
    limit: u32,
    #[tool(inject = |state| *state)]
    depth: u32,
    what: String,
}

fn main() {}
