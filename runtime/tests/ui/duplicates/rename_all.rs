//! A rule for names is said once.

use toolwright::prelude::*;


/// Finds things.
#[tool(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Find {}

fn main() {}
