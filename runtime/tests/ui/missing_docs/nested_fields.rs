//! The model reads the docs of nested fields.

use toolwright::prelude::*;


#[derive(Params)]
struct Lines {
    from: u32,
    #[tool(description = "")]
    to: u32,
    #[tool(description = "How far apart.")]
    step: u32,
    #[serde(skip)]
    seen: bool,
}

#[derive(Params)]
enum Order {
    New { by: u32 },
    Old(u32),
}

fn main() {}
