//! A flag is a word or a function.

use toolwright::prelude::*;


/// Finds things.
#[tool(read_only = "yes", destructive = 0, concurrency_safe(true))]
struct Find {}

fn main() {}
