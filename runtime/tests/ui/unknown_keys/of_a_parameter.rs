//! An option of a parameter that does not exist is answered with what to write.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    /// What to find.
    #[tool(intern)]
    what: String,
    /// Where.
    #[tool(hidden)]
    place: String,
    /// How.
    #[tool(rename = "x", required, min = 3, frobnicate)]
    how: String,
    /// When.
    #[tool(exemple = "now", docs = "when")]
    when: String,
}

fn main() {}
