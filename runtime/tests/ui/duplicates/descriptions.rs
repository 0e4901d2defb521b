//! A description stands once.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    #[tool(description = "What to find.")]
    #[schemars(description = "What there is.")]
    what: String,
}

fn main() {}
