//! Where there are few words, they are listed.

use toolwright::prelude::*;


/// Finds things.
#[tool(interrupt = "cancel", default_permission = always)]
struct Find {}

fn main() {}
