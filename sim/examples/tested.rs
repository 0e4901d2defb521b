//! A tool of one's own in two tests: a recording of it replayed under many schedules, and a session of it explored with
//! its real body. In a crate of one's own this is a file in `tests/`.
//!
//! `cargo test -p toolwright-sim --example tested` runs them, `cargo run -p toolwright-sim --example tested` shows the
//! replay.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolwright::prelude::*;
use toolwright_sim::import::read_path;
use toolwright_sim::replay::{Options, replay};
use toolwright_sim::timeline::{Look, timeline};

/// How much there is of each thing. Clones share.
type Shelves = Arc<Mutex<BTreeMap<String, u64>>>;

/// Says how much there is of a thing, and sells of it.
#[tool(state = Shelves, read_only = |stock| stock.sell == 0, concurrency_safe = |stock| stock.sell == 0)]
struct Stock {
    /// The thing.
    thing: String,
    /// How many to sell.
    #[serde(default)]
    sell: u64,
}

impl Tool for Stock {
    type Output = u64;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<u64, ToolError> {
        let shelves = || cx.state().lock().unwrap_or_else(PoisonError::into_inner);
        let there = shelves().get(&self.thing).copied().unwrap_or(0);
        let left = there.checked_sub(self.sell);
        let left = left.ok_or_else(|| ToolError::new(format!("there are only {there}: sell fewer")))?;
        // Packing takes its time: whoever may run meanwhile, does.
        cx.sleep(Duration::from_millis(20)).await;
        if self.sell > 0 {
            shelves().insert(self.thing.clone(), left);
        }
        Ok(left)
    }
}

fn tools(shelves: Shelves) -> Catalogue {
    let mut tools = Catalogue::new();
    tools.add_with::<Stock>(shelves);
    tools
}

// The bodies are the recorded ones; parsing, scheduling, permission and the order of results are the real ones.
toolwright_sim::sim_test!(
    the_recording_holds_under_a_hundred_schedules,
    seeds = 100,
    transcript = "examples/shop.twt.jsonl",
    tools = tools(Shelves::default()),
);

/// Shows the replay.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/shop.twt.jsonl");
    let recorded = read_path(std::path::Path::new(file))?.transcript;
    let report = replay(&recorded, &tools(Shelves::default()), &Options::default());
    print!("{}", timeline(&report.events, Look::Plain));
    Ok(())
}

#[cfg(test)]
mod tests {
    //! The body itself is explored in a session of one's own, checked by what one knows of it.

    use toolwright_sim::check::results_differ;
    use toolwright_sim::explore::{Explore, Scene};

    use super::*;

    #[test]
    fn three_sales_of_one_message_come_one_after_another() {
        let sale = |id| ToolUse::new(id, "Stock", r#"{"thing":"bolts","sell":2}"#);
        let turn = Turn::new(["a", "b", "c"].map(sale).into());
        let scene = Scene::turns("three sales", [turn], |env| {
            let shelves = BTreeMap::from([("bolts".to_owned(), 40)]);
            let tools = tools(Arc::new(Mutex::new(shelves)));
            Session::builder(env, tools).rule(Behavior::Allow, Source::Session, "Stock")
        });
        // Of forty bolts, three sales of two leave 38, 36 and 34: the same number twice is a sale that was lost.
        let explore = Explore::new().check("sold once", results_differ);
        toolwright_sim::testing::explore(&explore, &scene, 100);
    }
}
