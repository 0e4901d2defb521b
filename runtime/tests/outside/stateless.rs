//! A user's own tool, in a crate of the user's own, without a dependency but Toolwright.

use toolwright::prelude::*;
use toolwright::{contract::SessionFacts, registry::Catalogue, registry::Pool};

/// Greets someone.
#[tool(read_only, concurrency_safe)]
pub struct Greet {
    /// Whom to greet.
    name: String,
}

impl Tool for Greet {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("good day, {}", self.name))
    }
}

fn main() {
    let mut tools = Catalogue::new();
    tools.add::<Greet>();
    let pool = Pool::new(&tools, &SessionFacts::default(), |_| true);
    println!("{}", pool.definitions()[0]);
}
