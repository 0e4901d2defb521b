//! Other names that are names already.

use toolwright::prelude::*;

/// Looks something up.
#[tool]
struct Look {
    /// Where.
    path: String,
    /// What.
    #[serde(alias = "path", alias = "pattern")]
    pattern: String,
    /// In which way.
    way: Way,
}

#[derive(Params)]
enum Way {
    /// Up.
    Up,
    /// Down.
    #[serde(alias = "Up")]
    Down,
}

fn main() {}
