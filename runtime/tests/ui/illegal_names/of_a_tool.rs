//! A name that a provider refuses is refused here.

use toolwright::prelude::*;


/// Finds things.
#[tool(name = "find.things")]
struct FindA {}

/// Finds things.
#[tool(name = "")]
struct FindB {}

/// Finds things.
#[tool(aliases("ok", "not ok", "näh"))]
struct FindC {}

fn main() {}
