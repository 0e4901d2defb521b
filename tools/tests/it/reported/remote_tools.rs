//! Reported of tools that come from elsewhere: they run side by side where they may, and open nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Barrier;
use toolwright::contract::{Context, Flags};
use toolwright::env::Env;
use toolwright::message::{Content, ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};
use toolwright_tools::described::DescribedTool;

/// How long calls that wait for each other are waited for: they meet at once, or never.
const PATIENCE: Duration = Duration::from_secs(60);

/// A session with a remote tool whose calls end when three of them run.
fn meeting(is_hinted: bool) -> SessionBuilder {
    let barrier = Arc::new(Barrier::new(3));
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let tool = DescribedTool::new("mcp__db__look", "Looks.", schema, move |_input, _cx| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok(Content::from("met"))
        }
    });
    let tool = tool.expect("the schema is one");
    let flags = Flags { concurrency_safe: is_hinted, read_only: is_hinted, ..Flags::default() };
    let mut catalogue = Catalogue::new();
    catalogue.add_remote(Arc::new(tool.with_flags(flags))).expect("the name is one");
    Session::builder(Env::tokio().expect("tests run on tokio"), catalogue).context(Context::new("/"))
}

fn three() -> Turn {
    let call = |n: usize| ToolUse::new(format!("c{n}"), "mcp__db__look", json!({"n": n}).to_string());
    Turn::new((0..3).map(call).collect())
}

/// A server's word that a tool only reads opens concurrency, and no permission.
#[tokio::test]
async fn remote_tools_that_only_read_run_side_by_side_and_need_to_be_allowed_all_the_same() {
    let allowed = meeting(true).rule(Behavior::Allow, Source::CliArg, "mcp__db").build();
    let met = tokio::time::timeout(PATIENCE, allowed.run_turn(three())).await;
    let met = met.expect("one after another they never meet").results;
    assert!(met.iter().all(|result| !result.is_error && result.content == Content::from("met")), "{met:?}");
    for is_hinted in [true, false] {
        let results = meeting(is_hinted).build().run_turn(three()).await.results;
        assert!(results.iter().all(|result| result.is_error), "nobody allowed it: {results:?}");
    }
}

#[tokio::test]
async fn a_tool_that_is_denied_as_a_whole_is_not_named_to_whoever_asks_for_one_like_it() {
    let session = Session::builder(Env::tokio().expect("tests run on tokio"), toolwright_tools::catalogue())
        .context(Context::new("/"))
        .rule(Behavior::Deny, Source::CliArg, "Write")
        .build();
    let turn = Turn::new(vec![ToolUse::new("c1", "Writ", "{}"), ToolUse::new("c2", "Raed", "{}")]);
    let texts: Vec<String> =
        session.run_turn(turn).await.results.iter().map(|result| result.content.to_text()).collect();
    assert!(texts[0].contains("no tool `Writ`") && !texts[0].contains("`Write`"), "{texts:?}");
    assert!(texts[1].contains("`Read`"), "{texts:?}");
}
