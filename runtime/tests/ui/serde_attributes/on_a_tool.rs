//! Of a whole input little can be said.

use toolwright::prelude::*;


/// Finds things.
#[tool]
#[serde(deny_unknown_fields, default, tag = "kind", crate = "serde")]
#[schemars(title = "Find", rename_all = "camelCase")]
struct Find {}

fn main() {}
