//! An injected field is made from the state.

use toolwright::prelude::*;


struct Store;

/// Finds things.
#[tool(state = Store)]
struct Find {
    #[tool(inject)]
    limit: u32,
}

fn main() {}
