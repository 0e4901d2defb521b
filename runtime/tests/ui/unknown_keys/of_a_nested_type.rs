//! An option of a nested type that does not exist is answered with what to write.

use toolwright::prelude::*;


#[derive(Params)]
#[tool(recursiv, rename_all = "camelCase", read_only)]
struct Lines {
    /// The first.
    #[tool(internal)]
    from: u32,
    /// The last.
    #[tool(when = "last", inject, example = 3)]
    to: u32,
}

#[derive(Params)]
enum Order {
    #[tool(description = "new")]
    New,
    Old,
}

fn main() {}
