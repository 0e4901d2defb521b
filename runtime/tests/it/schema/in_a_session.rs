//! Arguments that do not fit, in a session: each call has its one result, and its siblings run.

use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolResult, ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;

/// Repeats a text.
#[tool(read_only, concurrency_safe)]
struct Repeat {
    /// The text.
    text: String,
    /// How often.
    times: usize,
}

impl Tool for Repeat {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(self.text.repeat(self.times))
    }
}

async fn run(inputs: &[&str]) -> Vec<ToolResult> {
    let mut tools = Catalogue::new();
    tools.add::<Repeat>();
    let env = Env::tokio().expect("tests run on tokio");
    let session = Session::builder(env, tools).context(Context::new("/")).build();
    let calls =
        inputs.iter().enumerate().map(|(n, input)| ToolUse::new(format!("call_{n}"), "Repeat", *input));
    session.run_turn(Turn::new(calls.collect())).await.results
}

#[tokio::test]
async fn a_call_whose_types_are_mistaken_needs_no_second_turn() {
    for input in [
        r#"{"text":"ab","times":"2"}"#,
        r#"{"text":"ab","times":2.0}"#,
        "```json\n{\"text\":\"ab\",\"times\":2,}\n```",
    ] {
        let results = run(&[input]).await;
        assert_eq!((results[0].content.to_text().as_str(), results[0].is_error), ("abab", false), "{input}");
    }
}

#[tokio::test]
async fn no_fault_of_arguments_leaves_but_as_the_result_of_its_call() {
    let deep = format!(r#"{{"text":{}"#, "[".repeat(100_000));
    let faults = [
        "",
        "null",
        "[]",
        "5",
        r#"{"text":"ab","times""#,
        r#"{"text":"ab","times":-1}"#,
        r#"{"text":"ab","times":1e400}"#,
        r#"{"text":"ab","text":"cd","times":1}"#,
        "{\"text\":\"\u{0}\",\"times\":1}",
        r#"{"text":"\ud800","times":1}"#,
        "Sure! {\"text\":\"ab\",\"times\":1}",
        &deep,
    ];
    let results = run(&faults).await;
    for (n, result) in results.iter().enumerate() {
        assert_eq!(result.tool_use_id.to_string(), format!("call_{n}"));
        let told = result.content.to_text();
        assert!(
            result.is_error && told.contains("a minimal valid input: {\"text\":\"…\",\"times\":1}"),
            "{told}"
        );
    }
    assert_eq!(results.len(), faults.len());
}

#[tokio::test]
async fn siblings_of_arguments_that_end_too_early_run() {
    let results =
        run(&[r#"{"text":"a","times":1}"#, r#"{"text":"a","ti"#, r#"{"text":"b","times":2}"#]).await;
    let told: Vec<(String, bool)> =
        results.iter().map(|result| (result.content.to_text(), result.is_error)).collect();
    assert_eq!((told[0].clone(), told[2].clone()), (("a".to_owned(), false), ("bb".to_owned(), false)));
    assert!(told[1].1 && told[1].0.contains("ends too early"), "{told:?}");
}
