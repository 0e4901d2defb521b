//! The model reads the docs of a function and its parameters.

use toolwright::prelude::*;


#[tool]
async fn find(what: String) -> Result<String, ToolError> {
    Ok(what)
}

fn main() {}
