//! An item that is neither a struct nor a function is no tool.

use toolwright::prelude::*;


/// Finds things.
#[tool]
trait Find {}

/// Finds things.
#[tool]
mod find {}

struct Found;

/// Finds things.
#[tool]
impl Found {}

/// Finds things.
#[tool]
const FIND: u32 = 3;

fn main() {}
