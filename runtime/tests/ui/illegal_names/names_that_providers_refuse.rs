//! A name is checked while compiling.

use toolwright::prelude::*;

/// Finds things.
#[tool(name = "find things", aliases("", "find.things"))]
struct Find {}

/// Finds cafés.
#[tool]
struct FindCafé {}

/// Finds much.
#[tool]
struct FindWhateverThereIsToFindInAllTheFoldersOfThisWorldAndThoseBeyondIt {}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

impl Tool for FindCafé {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

impl Tool for FindWhateverThereIsToFindInAllTheFoldersOfThisWorldAndThoseBeyondIt {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
