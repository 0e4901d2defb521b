//! A value comes from one place.

use toolwright::prelude::*;


/// Finds things.
#[tool(state = u32)]
struct Find {
    #[tool(internal, inject = |state| *state)]
    limit: u32,
}

fn main() {}
