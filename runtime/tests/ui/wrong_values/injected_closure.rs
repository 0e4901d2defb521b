//! An injected field has the type that its function gives.

use toolwright::prelude::*;


/// Finds things.
#[tool(state = u32)]
struct Find {
    #[tool(inject = |state| state.to_string())]
    limit: u32,
}

fn main() {}
