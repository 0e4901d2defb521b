//! What a tool does is a method.

use toolwright::prelude::*;


/// Finds things.
#[tool(call = find, is_enabled = false, output = String)]
struct Find {}

/// Finds others.
#[tool(strict, hidden, recursive)]
struct FindOthers {}

fn main() {}
