//! Two parameters have two names.

use toolwright::prelude::*;


/// Finds things.
#[tool(rename_all = "camelCase")]
struct Find {
    /// What to find.
    what_ever: String,
    /// Where.
    #[serde(rename = "whatEver")]
    place: String,
}

#[derive(Params)]
struct Lines {
    /// The first.
    from: u32,
    /// The last.
    #[serde(rename = "from")]
    to: u32,
}

#[derive(Params)]
enum Order {
    New,
    #[serde(rename = "New")]
    Newest,
}

fn main() {}
