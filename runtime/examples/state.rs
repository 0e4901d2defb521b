//! A tool with a state that its calls share, given at registration.
//!
//! `cargo run -p toolwright --example state`

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright::prelude::*;

/// How much of each thing there is. Cheap to clone; clones share.
#[derive(Clone, Default)]
struct Stock(Arc<Mutex<BTreeMap<String, i64>>>);

/// Adds to the stock of something, or takes from it.
#[tool(state = Stock, read_only = |change| change.by == 0, concurrency_safe = |change| change.by == 0)]
struct ChangeStock {
    /// What it is about.
    thing: String,
    /// How much comes; less than nothing goes, and nothing only asks.
    by: i64,
}

impl Tool for ChangeStock {
    type Output = i64;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<i64, ToolError> {
        let mut stock = cx.state().0.lock().unwrap_or_else(PoisonError::into_inner);
        let there = stock.entry(self.thing.clone()).or_default();
        if *there + self.by < 0 {
            return Err(ToolError::new(format!("there are only {there} of `{}`: take fewer", self.thing)));
        }
        *there += self.by;
        Ok(*there)
    }
}

/// Three calls in one turn: the first two run alone and in order, whatever the model's hurry; the last is refused.
#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut tools = Catalogue::new();
    tools.add_with::<ChangeStock>(Stock::default());
    let session = Session::builder(Env::tokio()?, tools)
        .rule(Behavior::Allow, Source::Session, "ChangeStock")
        .context(Context::new(std::env::current_dir()?))
        .build();
    let change =
        |id: &str, by: i64| ToolUse::new(id, "ChangeStock", format!(r#"{{"thing":"bolts","by":{by}}}"#));
    let turn = Turn::new(vec![change("a", 40), change("b", -15), change("c", -26)]);
    let results = session.run_turn(turn).await.results;
    for result in &results {
        println!("{}", result.content.to_text());
    }
    assert_eq!(results[1].content.to_text(), "25");
    assert!(results[2].is_error);
    Ok(())
}
