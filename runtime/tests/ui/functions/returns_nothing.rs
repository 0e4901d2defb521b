//! A tool gives something back.

use toolwright::prelude::*;


/// Finds things.
#[tool]
async fn find() {}

fn main() {}
