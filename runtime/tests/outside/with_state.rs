//! A user's own tool with state, in a crate of the user's own, without a dependency but Toolwright.

use std::collections::BTreeMap;

use toolwright::prelude::*;
use toolwright::{contract::SessionFacts, registry::Catalogue, registry::Pool};

/// Looks a word up.
#[tool(state = Dictionary)]
pub struct LookUp {
    /// The word.
    word: String,
}

/// What the tool is given when it is registered.
pub struct Dictionary(BTreeMap<String, String>);

impl Tool for LookUp {
    type Output = String;

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        let found = cx.state().0.get(&self.word).cloned();
        found.ok_or_else(|| ToolError::new(format!("`{}` is not in the dictionary", self.word)))
    }
}

fn main() {
    let dictionary = Dictionary(BTreeMap::from([("spine".to_owned(), "what carries the rest".to_owned())]));
    let mut tools = Catalogue::new();
    tools.add_with::<LookUp>(dictionary);
    let pool = Pool::new(&tools, &SessionFacts::default(), |_| true);
    println!("{}", pool.definitions()[0]);
}
