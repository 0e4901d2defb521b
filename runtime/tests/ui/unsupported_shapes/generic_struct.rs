//! A tool has one schema, so its struct is not generic.

use toolwright::prelude::*;

/// Finds things.
#[tool(read_only)]
struct Find<T> {
    /// What to find.
    what: T,
}

/// Finds text.
#[tool]
struct FindText<'a> {
    /// What to find.
    what: &'a str,
}

fn main() {}
