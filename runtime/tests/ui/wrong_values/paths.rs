//! The path of the crate is a path in quotes.

use toolwright::prelude::*;


/// Finds things.
#[tool(crate = toolwright)]
struct FindA {}

/// Finds things.
#[tool(crate = "tool wright")]
struct FindB {}

#[derive(Params)]
#[tool(crate)]
struct Lines {
    /// The first.
    from: u32,
}

fn main() {}
