//! A derive above `#[tool]` is seen too.

use toolwright::prelude::*;


/// Finds things.
#[tool]
#[derive(Clone, schemars::JsonSchema)]
struct Find {}

fn main() {}
