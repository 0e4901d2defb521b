//! All illegal names are told together.

use toolwright::prelude::*;


/// Finds things.
#[tool(name = "a b", aliases("c d", "e.f"), rename_all = "none")]
struct Find {
    /// What.
    #[serde(rename = "b")]
    a: u32,
    /// Where.
    b: u32,
}

fn main() {}
