//! An internal field needs a value.

use toolwright::prelude::*;


struct Opaque;

/// Finds things.
#[tool]
struct Find {
    #[tool(internal)]
    opaque: Opaque,
}

fn main() {}
