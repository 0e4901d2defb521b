//! A variant is one of those that are listed.

use toolwright::prelude::*;


#[derive(Params)]
enum Order {
    New,
    #[serde(with = "old")]
    Old(u32),
    #[serde(untagged)]
    Any(String),
    #[schemars(rename = "x")]
    Named,
    #[serde(other)]
    Other,
}

fn main() {}
