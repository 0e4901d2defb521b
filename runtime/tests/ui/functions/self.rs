//! A function has no `self`.

use toolwright::prelude::*;


struct Store;

impl Store {
    /// Finds things.
    #[tool]
    async fn find(&self) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
