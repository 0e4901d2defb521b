//! Sleep waits in the session's time, and no longer than there is nothing to know.

use std::time::Duration;

use serde_json::json;
use toolwright::contract::ToolForm;
use toolwright::registry::Catalogue;
use toolwright_tools::tasks::sleep::Sleep;

use crate::living::Living;
use crate::session::Session;

#[tokio::test(start_paused = true)]
async fn an_hour_is_over_at_once_where_time_is_not_that_of_the_machine() {
    let session = Session::new();
    let began = std::time::Instant::now();
    let text = session.text::<Sleep>(json!({"seconds": 3600})).await;
    assert_eq!(text.as_deref(), Ok("slept 3600000 ms"));
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn durations_that_make_no_sense_are_refused() {
    let session = Session::new();
    for seconds in ["0", "-1", "3600.5", "1e300"] {
        let input = serde_json::from_str(&format!("{{\"seconds\": {seconds}}}")).expect("it is JSON");
        let refused = session.validate::<Sleep>(input).await.expect_err(seconds);
        assert!(refused.message.contains("more than 0 and at most 3600"), "{}", refused.message);
    }
    assert!(session.validate::<Sleep>(json!({"seconds": 0.001})).await.is_ok());
}

#[tokio::test]
async fn news_ends_it_early() {
    let living = Living::new();
    let command = json!({"command": "sleep 0.3", "run_in_background": true});
    living.begin("Bash", command).await;
    let slept = living.call("Sleep", json!({"seconds": 600})).await.expect("it sleeps");
    assert!(slept.contains("was woken: there is news"), "{slept}");
    assert_eq!(living.session.take_notes().len(), 1, "and the news is still to be told");
}

#[tokio::test]
async fn a_person_ends_it_early() {
    let living = Living::new();
    let interrupt = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        living.session.interrupt();
    };
    let (slept, ()) =
        futures_util::future::join(living.call("Sleep", json!({"seconds": 600})), interrupt).await;
    assert!(slept.is_err_and(|text| text.contains("interrupted")));
}

#[tokio::test]
async fn the_examples_sleep() {
    let session = Session::new();
    assert!(Sleep::form().examples.len() >= 3);
    for example in Sleep::form().examples.iter() {
        let input = serde_json::from_str(example).expect("examples are JSON");
        assert!(session.text::<Sleep>(input).await.is_ok(), "{example}");
    }
}

#[test]
fn models_see_the_same_bytes_of_it_each_time() {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Sleep>();
    toolwright::testing::check_golden(&catalogue, "tests/it/golden/sleep.jsonl");
}
