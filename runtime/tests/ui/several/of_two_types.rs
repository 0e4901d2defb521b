//! A mistake in one type leads to none in those that use it.

use toolwright::prelude::*;

#[derive(Params)]
struct Lines {
    from: u32,
}

#[derive(Params)]
#[serde(rename_al = "camelCase")]
enum Order {
    Newest,
}

/// Finds things.
#[tool]
struct Find {
    #[serde(flatten)]
    lines: Lines,
    /// In which order.
    order: Option<Order>,
    /// More.
    others: Vec<Lines>,
}

fn main() {}
