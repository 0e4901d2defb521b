//! All mistakes of an enum are told together.

use toolwright::prelude::*;


#[derive(Params)]
#[serde(tag = "kind", untagged, rename_all = "kebab")]
enum Order {
    New(u32, u32),
    Old { by: u32 },
    #[serde(rename = "New")]
    Twin,
    #[serde(other)]
    Other,
}

fn main() {}
