//! An injected field is taken from the state.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    #[tool(inject)]
    limit: u32,
}

fn main() {}
