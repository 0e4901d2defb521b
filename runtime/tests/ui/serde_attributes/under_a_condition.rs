//! What the model sends does not depend on a `cfg_attr`.

use toolwright::prelude::*;


/// Finds things.
#[tool]
#[cfg_attr(all(), serde(rename_all = "camelCase"))]
struct Find {
    /// What to find.
    #[cfg_attr(all(), serde(rename = "x"))]
    what: String,
    /// Where.
    #[cfg_attr(all(), tool(internal))]
    place: String,
}

fn main() {}
