//! The types of parameters derive `Params`; each that does not is told once.

use std::collections::BTreeMap;

use toolwright::prelude::*;

enum Order {
    ByName,
    ByAge,
}

struct Range {
    from: u32,
}

mod shop {
    pub struct Shelf(pub u32);
}

/// Finds things.
#[tool]
struct Find {
    /// What to find.
    what: String,
    /// In which order.
    order: Order,
    /// Within which.
    ranges: Option<Vec<Range>>,
    /// In which order each.
    orders: BTreeMap<String, Order>,
    /// Where.
    shelf: shop::Shelf,
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(self.what.clone())
    }
}

fn main() {
    toolwright::registry::Catalogue::new().add::<Find>();
}
