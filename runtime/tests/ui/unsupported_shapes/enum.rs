//! A tool is no enum.

use toolwright::prelude::*;


/// Finds this or that.
#[tool]
enum Find {
    /// This.
    This,
}

fn main() {}
