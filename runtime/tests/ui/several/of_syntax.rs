//! A mistake of syntax does not hide the others.

use toolwright::prelude::*;


/// Finds things.
#[tool(read_only = , "name", timeout = "3", state = 5, aliases["x"])]
struct Find {
    what: String,
}

fn main() {}
