//! What nested types hold derives `Params` too.

use toolwright::prelude::*;

enum Order {
    ByName,
    ByAge,
}

#[derive(Params)]
struct Sorted {
    /// In which order.
    order: Option<Order>,
}

#[derive(Params)]
enum Wanted {
    All,
    Some {
        /// In which order.
        order: Order,
    },
}

/// Finds things.
#[tool]
struct Find {
    /// How.
    sorted: Sorted,
    /// Which.
    wanted: Wanted,
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
