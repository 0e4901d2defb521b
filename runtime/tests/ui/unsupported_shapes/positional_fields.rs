//! A parameter has a name.

use toolwright::prelude::*;


/// Finds this or that.
#[tool]
struct Find(String);

fn main() {}
