//! Sleep waits in the session's time: in a simulation nobody waits.

use serde_json::json;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::session::Session;
use toolwright_sim::engine::Simulation;
use toolwright_tools::{PROACTIVE, catalogue};

async fn sleep(env: Env, aborted_after_ms: Option<u64>) -> (String, bool) {
    let session = Session::builder(env.clone(), catalogue()).feature(PROACTIVE).build();
    let turn = Turn::new(vec![ToolUse::new("a", "Sleep", json!({"seconds": 3600}).to_string())]);
    let mut running = std::pin::pin!(session.run_turn(turn));
    if let Some(after_ms) = aborted_after_ms {
        let mut alarm = env.sleep(std::time::Duration::from_millis(after_ms));
        if let toolwright::env::Either::Right(()) = env.race("test", &mut running, &mut alarm).await {
            session.interrupt();
        }
    }
    let result = running.await.results.remove(0);
    (result.content.to_text(), result.is_error)
}

#[test]
fn an_hour_is_an_hour_of_the_simulations_time() {
    for seed in 0..20 {
        let simulation = Simulation::new(Some(seed));
        let slept = simulation.run(sleep(simulation.env(), None)).expect("the session ends");
        assert_eq!(slept, ("slept 3600000 ms".to_owned(), false));
        assert_eq!(simulation.now().millis(), 3_600_000);
    }
}

#[test]
fn an_interrupt_ends_it_when_it_comes() {
    for seed in 0..20 {
        let simulation = Simulation::new(Some(seed));
        let (text, is_error) =
            simulation.run(sleep(simulation.env(), Some(1_500))).expect("the session ends");
        assert!(is_error && text.contains("interrupted"), "{text}");
        assert_eq!(simulation.now().millis(), 1_500);
    }
}
