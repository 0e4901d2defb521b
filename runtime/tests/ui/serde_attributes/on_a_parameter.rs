//! The parser and the schema follow the same attributes.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    /// What to find.
    #[schemars(rename = "x", default)]
    what: String,
    /// Where.
    #[serde(borrow)]
    place: String,
    /// How.
    #[serde(deserialize_with = "how")]
    how: String,
    /// When.
    #[serde(flatten, with = "when")]
    when: String,
    /// Why.
    #[serde(bound = "")]
    why: String,
}

fn main() {}
