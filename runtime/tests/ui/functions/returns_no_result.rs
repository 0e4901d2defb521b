//! A tool can fail.

use toolwright::prelude::*;


/// Finds things.
#[tool]
async fn find() -> String {
    String::new()
}

fn main() {}
