//! Of a nested type only that can be said which the schema follows.

use toolwright::prelude::*;


#[derive(Params)]
#[serde(deny_unknown_fields, transparent, rename = "Line", from = "u32", crate = "serde", bound = "")]
#[schemars(rename_all = "camelCase", title = "Lines")]
struct Lines {
    /// The first.
    from: u32,
}

fn main() {}
