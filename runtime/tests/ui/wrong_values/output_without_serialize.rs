//! An output that cannot be written down.
use toolwright::prelude::*;

struct Balance {
    cents: i64,
}

/// Tells a balance.
#[tool]
struct Look {}

impl Tool for Look {
    type Output = Balance;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<Balance, ToolError> {
        Ok(Balance { cents: 5 })
    }
}

fn main() {}
