//! All values of the wrong kind are told together.

use toolwright::prelude::*;


/// Finds things.
#[tool(timeout = "3", examples = ["[]"], coerce = no, aliases("a b"), interrupt = maybe, read_only = 1)]
struct Find {
    /// How many.
    #[tool(example = many, coerce = 1)]
    limit: u32,
}

fn main() {}
