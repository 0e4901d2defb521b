//! The bytes that are sent do not depend on when, where and in which order tools came.

use std::process::Command;
use std::sync::Arc;

use serde_json::Value;
use toolwright::contract::{ErasedTool, SessionFacts};
use toolwright::env::label_hash;
use toolwright::message::{ToolUse, Turn};
use toolwright::registry::{Backend, Catalogue, Deferral, Pool};
use toolwright_tools::catalogue;

use super::{remote, session, with_remote};

/// The environment variable that makes a test print its digest: the seed of the order in which tools come.
const SEED: &str = "TOOLWRIGHT_TEST_ORDER";
/// How many processes are compared, unless the environment says otherwise.
const PROCESSES: usize = 12;
/// How many remote tools there are.
const REMOTE: usize = 60;

fn tools() -> Vec<Arc<dyn ErasedTool>> {
    let tool = |n| remote(&format!("mcp__server{}__tool_{n}", n % 7), &format!("Does what {n} does."));
    (0..REMOTE).map(tool).collect()
}

fn shuffled(tools: &[Arc<dyn ErasedTool>], seed: u64) -> Vec<Arc<dyn ErasedTool>> {
    let mut tools = tools.to_vec();
    let mut state = seed;
    for left in (1..tools.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        tools.swap(left, (state >> 33) as usize % (left + 1));
    }
    tools
}

/// The list as it is sent, in every mode and with both back-ends, after servers were lost and came again.
fn lists(seed: u64) -> String {
    let tools = tools();
    let mut all = String::new();
    for deferral in [
        Deferral::standard(),
        Deferral::default(),
        Deferral { backend: Backend::Native, ..Deferral::default() },
    ] {
        let pool = Pool::new(&with_remote(&shuffled(&tools, seed)), &SessionFacts::default(), |_| true);
        let pool = pool.with_deferral(deferral);
        let again = pool.with_arrivals(&shuffled(&tools, seed ^ 0xABCD), |_| None);
        assert_eq!(pool.definitions(), again.definitions(), "a reconnect changes nothing");
        assert_eq!(pool.list(), again.list());
        all.push_str(again.list());
    }
    all
}

/// ironclaw#566, zeroclaw#10959, librefang#3325 and #3765, rust-sdk#665, qwen-code#6338, openclaw#58037, nanobot#2722,
/// oh-my-pi#890: the order of tools broke the cache. `TOOLWRIGHT_PROCESSES` says how many processes are compared.
#[test]
fn processes_with_other_hash_seeds_and_orders_of_arrival_send_the_same_bytes() {
    if let Ok(seed) = std::env::var(SEED) {
        let lists = lists(seed.parse().expect("the seed is a number"));
        println!("digest={:x}-{}", label_hash(&lists), lists.len());
        return;
    }
    let wanted = std::env::var("TOOLWRIGHT_PROCESSES").ok().and_then(|number| number.parse().ok());
    let here = std::env::current_exe().expect("the test has a program");
    let digest = |seed: usize| {
        let name =
            "registry::stability::processes_with_other_hash_seeds_and_orders_of_arrival_send_the_same_bytes";
        let ran = Command::new(&here)
            .args(["--exact", name, "--nocapture", "--test-threads=1"])
            .env(SEED, seed.to_string())
            .output()
            .expect("the test's program starts");
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        let line = said.lines().find_map(|line| line.split("digest=").nth(1)).map(str::to_owned);
        line.unwrap_or_else(|| panic!("no digest: {said}"))
    };
    let first = digest(0);
    for seed in 1..wanted.unwrap_or(PROCESSES) {
        assert_eq!(digest(seed), first, "seed {seed}");
    }
}

#[test]
fn arrivals_are_behind_what_is_there_and_in_the_order_of_their_names() {
    let base = Pool::new(&with_remote(&[remote("mcp__b__x", "X.")]), &SessionFacts::default(), |_| true);
    let base = base.with_deferral(Deferral::standard());
    let two = base.with_arrivals(&[remote("mcp__c__z", "Z."), remote("mcp__a__y", "Y.")], |_| None);
    let own = base.tools().len() - 1;
    let names: Vec<&str> = two.tools().iter().skip(own).map(|tool| tool.form().name.as_ref()).collect();
    assert_eq!(names, ["mcp__b__x", "mcp__a__y", "mcp__c__z"]);
    assert_eq!(two.definitions()[..base.definitions().len()], base.definitions()[..]);
}

/// changelog 2.1.30, 2.1.89: the bytes of a schema changed in the middle of a session.
#[tokio::test]
async fn another_version_of_a_tool_is_called_and_told_of_only_at_the_next_boundary() {
    let mut catalogue = Catalogue::new();
    catalogue.add_remote(remote("mcp__hub__get", "Old.")).expect("the name is one");
    let session = session(catalogue).build();
    let before = session.pool().definitions();
    let schema =
        serde_json::json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    let renewed = toolwright_tools::described::DescribedTool::new(
        "mcp__hub__get",
        "New.",
        schema,
        |input, _| async move { Ok(toolwright::message::Content::from(format!("new {input}"))) },
    );
    session.add_remote(&[Arc::new(renewed.expect("the schema is one")) as Arc<dyn ErasedTool>]);
    assert_eq!(session.pool().definitions(), before, "the cache freezes the first value");
    let calls = [("c1", r#"{"id":"7"}"#), ("c2", "{}")];
    let calls = calls.map(|(id, input)| ToolUse::new(id, "mcp__hub__get", input));
    let results = session.run_turn(Turn::new(calls.to_vec())).await.results;
    assert!(results[0].content.to_text().contains(r#"new {"id":"7"}"#), "{results:?}");
    assert!(results[1].is_error && results[1].content.to_text().contains("id"), "{results:?}");
    session.compact(Vec::new()).await;
    let after = session.pool().definitions();
    assert!(after[0].contains("New.") && after[0].contains(r#""required":["id"]"#), "{after:?}");
}

#[test]
fn a_definition_is_made_once_and_handed_out_without_a_copy() {
    let pool = Pool::new(&catalogue(), &SessionFacts::default(), |_| true);
    let (first, second) = (pool.definitions(), pool.definitions());
    assert!(first.iter().zip(&second).all(|(a, b)| Arc::ptr_eq(a, b)));
    assert!(Arc::ptr_eq(pool.list(), pool.list()));
    let list: Value = serde_json::from_str(pool.list()).expect("it is JSON");
    assert_eq!(list.as_array().expect("it is a list").len(), first.len());
}

#[tokio::test]
async fn names_that_providers_refuse_do_not_arrive() {
    let session = session(with_remote(&[])).build();
    let before = session.pool().tools().len();
    session.add_remote(&[remote("mcp__a b__c", "C."), remote(&"x".repeat(65), "X."), remote("", "Nothing.")]);
    assert_eq!(session.pool().tools().len(), before);
}

/// The list changes only at declared boundaries, each with an event.
#[tokio::test]
async fn every_change_of_the_list_is_an_event_with_its_boundary() {
    use toolwright::event::{Event, EventSink, Recorder};
    let recorder = Arc::new(Recorder::default());
    let env = toolwright::env::Env::tokio().expect("tests run on tokio");
    let env = env.with_sink(Arc::clone(&recorder) as Arc<dyn EventSink>);
    let session =
        toolwright::session::Session::builder(env, with_remote(&[remote("mcp__a__x", "X.")])).build();
    session.add_remote(&[remote("mcp__a__y", "Y."), remote("mcp__a__x", "X again.")]);
    session.add_remote(&[]);
    session.compact(Vec::new()).await;
    let told: Vec<(Vec<String>, Vec<String>, &str)> = recorder
        .take()
        .into_iter()
        .filter_map(|stamped| match stamped.event {
            Event::ToolsChanged { added, renewed, boundary, .. } => Some((added, renewed, boundary)),
            _other => None,
        })
        .collect();
    let expected = (vec!["mcp__a__y".to_owned()], vec!["mcp__a__x".to_owned()], "arrival");
    assert_eq!(told, [expected], "a compaction that changes nothing is silent");
}
