//! All mistakes of a nested type are told together.

use toolwright::prelude::*;


#[derive(Params)]
#[serde(deny_unknown_fields, rename_all = "camel")]
#[tool(recursive = 1, frob)]
struct Lines<'a> {
    from: &'a str,
    #[tool(internal)]
    #[schemars(rename = "x")]
    to: u32,
}

fn main() {}
