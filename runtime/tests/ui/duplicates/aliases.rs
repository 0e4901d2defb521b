//! An alias stands once.

use toolwright::prelude::*;


/// Finds things.
#[tool(aliases("a", "b", "a"))]
struct Find {}

fn main() {}
