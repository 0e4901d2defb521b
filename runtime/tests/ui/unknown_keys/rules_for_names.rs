//! A rule for names that does not exist is answered with the nearest one.

use toolwright::prelude::*;


/// Finds things.
#[tool(rename_all = "camel_case")]
struct Find {}

#[derive(Params)]
#[serde(rename_all = "SNAKE_CASE")]
struct Lines {
    /// The first.
    from: u32,
}

#[derive(Params)]
#[serde(rename_all_fields = "PascalCas")]
enum Order {
    #[serde(rename_all = "upper")]
    New {
        /// How new.
        by: u32,
    },
}

fn main() {}
