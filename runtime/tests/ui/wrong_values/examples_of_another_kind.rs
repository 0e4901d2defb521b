//! Examples that no value of the parameter's type can be.

use toolwright::prelude::*;

/// Looks something up.
#[tool]
struct Look {
    /// How many.
    #[tool(example = "many")]
    limit: u32,
    /// How many at most.
    #[tool(example = -1)]
    most: Option<u8>,
    /// How far.
    #[tool(example = 256)]
    far: Box<u8>,
    /// Yes or no.
    #[tool(example = 1)]
    all: bool,
    /// What.
    #[tool(example = 5)]
    text: String,
    /// How much.
    #[tool(example = true)]
    share: Option<f64>,
    /// These fit.
    #[tool(example = "5")]
    name: String,
    /// These fit too.
    #[tool(example = "7")]
    seven: u64,
}

fn main() {}
