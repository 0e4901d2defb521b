//! What has no name on the wire has no options that need one.

use toolwright::prelude::*;

#[derive(Params)]
struct Paging {
    /// How many.
    limit: Option<u32>,
}

/// Finds things.
#[tool]
struct Find {
    #[serde(flatten)]
    #[tool(when = "paging", coerce = off)]
    paging: Paging,
    #[serde(skip)]
    #[tool(example = 3)]
    seen: u32,
}

fn main() {}
