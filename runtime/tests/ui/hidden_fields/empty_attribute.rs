//! An attribute that says nothing is a mistake.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    /// How many.
    #[tool]
    limit: u32,
    /// How deep.
    #[tool()]
    depth: u32,
}

fn main() {}
