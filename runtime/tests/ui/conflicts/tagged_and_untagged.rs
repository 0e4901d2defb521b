//! An enum tells its variants apart in one way.

use toolwright::prelude::*;


#[derive(Params)]
#[serde(tag = "kind", untagged)]
enum Order {
    New,
}

#[derive(Params)]
#[serde(content = "c")]
enum Other {
    New(u32),
}

#[derive(Params)]
#[serde(tag = "kind")]
struct Lines {
    /// The first.
    from: u32,
}

fn main() {}
