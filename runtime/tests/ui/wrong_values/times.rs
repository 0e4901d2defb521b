//! A time has a number and a unit.

use toolwright::prelude::*;


/// Finds things.
#[tool(timeout = 30)]
struct FindA {}

/// Finds things.
#[tool(timeout = "30")]
struct FindB {}

/// Finds things.
#[tool(timeout = "30 seconds")]
struct FindC {}

/// Finds things.
#[tool(timeout = "1.5s")]
struct FindD {}

/// Finds things.
#[tool(timeout = "0s")]
struct FindE {}

/// Finds things.
#[tool(timeout = "s")]
struct FindF {}

/// Finds things.
#[tool(timeout = "9999999999999999999h")]
struct FindG {}

/// Finds things.
#[tool(timeout)]
struct FindH {}

fn main() {}
