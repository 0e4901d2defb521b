//! The model reads the docs of a tool.

use toolwright::prelude::*;


#[tool]
#[doc(hidden)]
struct Find {
    /// What to find.
    what: String,
}

fn main() {}
