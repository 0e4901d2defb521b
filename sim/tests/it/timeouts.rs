//! A tool's declared time limit holds, in the session's own time.

use std::sync::Arc;
use std::time::Duration;

use toolwright::env::Env;
use toolwright::event::{EventSink, Recorder};
use toolwright::message::{ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright_sim::engine::Simulation;

/// Takes as long as it is told.
#[tool(read_only, concurrency_safe, timeout = "30s")]
struct Wait {
    /// How many seconds it takes.
    seconds: u64,
}

impl Tool for Wait {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        cx.sleep(Duration::from_secs(self.seconds)).await;
        Ok("done".to_owned())
    }
}

async fn run(env: Env) -> Vec<(String, bool)> {
    let mut tools = Catalogue::new();
    tools.add::<Wait>();
    let session = Session::builder(env, tools).build();
    let call = |id: &str, seconds: u64| ToolUse::new(id, "Wait", format!("{{\"seconds\":{seconds}}}"));
    let turn = Turn::new(vec![call("short", 29), call("exact", 30), call("long", 3_000_000)]);
    let results = session.run_turn(turn).await.results;
    results.into_iter().map(|result| (result.content.to_text(), result.is_error)).collect()
}

#[test]
fn a_tool_past_its_limit_is_stopped_and_its_siblings_are_unharmed() {
    for seed in 0..50 {
        let simulation = Simulation::new(Some(seed));
        let recorder = Arc::new(Recorder::default());
        let env = simulation.env().with_sink(Arc::clone(&recorder) as Arc<dyn EventSink>);
        let results = simulation.run(run(env)).expect("the session ends");
        assert_eq!(results[0], ("done".to_owned(), false));
        assert_eq!(results[1], ("done".to_owned(), false), "what ends at the limit ends in time");
        assert_eq!(
            results[2],
            ("the tool timed out after 30s, which is its limit, and was stopped".to_owned(), true)
        );
        assert_eq!(simulation.now().millis(), 30_000, "nobody waited longer");
    }
}
