//! What is always loaded is not deferred.

use toolwright::prelude::*;


/// Finds things.
#[tool(always_load, should_defer)]
struct Find {}

fn main() {}
