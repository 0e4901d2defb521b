//! Only where it can be written down field by field does a whole type have a default.

use toolwright::prelude::*;

#[derive(Params)]
#[serde(default = "lines")]
struct Lines {
    /// The first.
    from: u32,
}

#[derive(Params, Default)]
#[serde(default)]
struct Pair(u32, u32);

fn lines() -> Lines {
    Lines { from: 1 }
}

fn main() {}
