//! All mistakes of one function are told together.

use toolwright::prelude::*;


#[tool(read_only, effects = 3, timeot = "3s")]
const fn find<'a>(
    what: &'a str,
    (x, y): (u32, u32),
    #[tool(inject)] limit: u32,
) -> String {
    String::new()
}

fn main() {}
