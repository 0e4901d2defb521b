//! Only a struct of known fields can be flattened.

use std::collections::BTreeMap;

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    /// What to find.
    what: String,
    #[serde(flatten)]
    others: BTreeMap<String, String>,
}

#[derive(Params)]
enum Order {
    New,
}

#[derive(Params)]
struct Lines {
    #[serde(flatten)]
    order: Order,
}

fn main() {}
