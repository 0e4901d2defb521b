//! A limit is a number.

use toolwright::prelude::*;


/// Finds things.
#[tool(max_result_chars = "100")]
struct FindA {}

/// Finds things.
#[tool(max_result_chars = none)]
struct FindB {}

/// Finds things.
#[tool(max_result_chars = 1.5)]
struct FindC {}

fn main() {}
