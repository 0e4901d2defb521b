//! What is never on the wire has no attributes for it.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    #[tool(internal)]
    #[serde(default)]
    #[schemars(range(min = 1))]
    limit: u32,
}

fn main() {}
