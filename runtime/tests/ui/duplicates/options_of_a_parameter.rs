//! An option of a parameter stands once.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    /// What to find.
    #[tool(example = "a", example = "b")]
    #[tool(example = "c")]
    what: String,
}

fn main() {}
