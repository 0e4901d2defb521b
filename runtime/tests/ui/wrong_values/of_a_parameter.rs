//! A value of the wrong kind is answered with what to write.

use toolwright::prelude::*;


/// Finds things.
#[tool(state = u32, coerce = maybe)]
struct Find {
    /// What to find.
    #[tool(coerce = false)]
    what: String,
    /// Where.
    #[tool(example = place(), when = background)]
    place: Option<String>,
    #[tool(inject(limit))]
    limit: u32,
    #[tool(internal =)]
    depth: u32,
    #[tool(description = 3)]
    width: u32,
}

fn main() {}
