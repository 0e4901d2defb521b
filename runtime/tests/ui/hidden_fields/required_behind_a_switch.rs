//! Where a switch is off, its field has a value all the same.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    /// How many.
    #[tool(when = "limits")]
    limit: u32,
    /// How deep.
    #[tool(when = "limits")]
    depth: Option<u32>,
}

fn main() {}
