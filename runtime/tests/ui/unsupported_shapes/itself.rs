//! A type inside itself is said to be.

use toolwright::prelude::*;


/// Finds things.
#[tool]
struct Find {
    /// What else to find.
    others: Vec<Find>,
}

#[derive(Params)]
struct Tree {
    /// What grows on it.
    branches: Vec<Tree>,
    /// What it grows on.
    parent: Option<Box<Self>>,
}

fn main() {}
