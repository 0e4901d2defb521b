//! A function by its name that does not fit is told where it is named.

use toolwright::prelude::*;


/// Finds things.
#[tool(read_only = is_small)]
struct Find {
    /// What to find.
    what: String,
}

fn is_small(_find: &Find, _most: usize) -> bool {
    true
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(self.what.clone())
    }
}

fn main() {}
