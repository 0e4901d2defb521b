//! A nested type has a form on the wire.

use toolwright::prelude::*;


#[derive(Params)]
union Bits {
    /// As a number.
    number: u32,
}

#[derive(Params)]
enum Never {}

#[derive(Params)]
struct Borrowed<'a> {
    /// What.
    what: &'a str,
}

#[derive(Params)]
#[serde(tag = "kind")]
enum Tagged {
    Pair(u32, u32),
}

fn main() {}
