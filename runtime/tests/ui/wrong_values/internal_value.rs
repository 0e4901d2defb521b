//! An internal field has the type of its value.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    #[tool(internal = "many")]
    limit: u32,
}

fn main() {}
