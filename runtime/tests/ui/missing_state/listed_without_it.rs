//! A tool with a state that is listed as if it had none.

use toolwright::prelude::*;
use toolwright::registry::Catalogue;

struct Db;

/// Looks something up.
#[tool(state = Db)]
struct Look {}

impl Tool for Look {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {
    Catalogue::new().add::<Look>();
    toolwright::testing::check::<Look>();
}
