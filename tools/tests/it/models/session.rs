//! A whole run of a session over the wire: a call, its result, the answer.

use serde_json::{Value, json};
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::query::{Budget, End};
use toolwright::session::Session;
use toolwright_tools::models::{Chat, Endpoint, Messages};

use super::fixtures::{call_block, call_piece, chat, messages, text_block};
use super::server::{Server, stream};

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// A session of the built-in tools in a folder with one file.
fn session(folder: &std::path::Path) -> (Session, String) {
    let folder = folder.canonicalize().expect("the folder exists");
    let file = folder.join("note.txt");
    std::fs::write(&file, "the word is ferry\n").expect("the folder can be written to");
    let env = Env::tokio().expect("tests run on tokio");
    let session = Session::builder(env, toolwright_tools::catalogue()).context(Context::new(folder)).build();
    (session, json!({ "file_path": file }).to_string())
}

#[tokio::test]
async fn a_run_over_the_messages_format_calls_a_tool_and_answers() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (session, input) = session(folder.path());
    let (left, right) = input.split_at(9);
    let asks = [text_block(0, &["I look."]), call_block(1, "toolu_1", "Read", &[left, right])].concat();
    let says = text_block(0, &["It is ", "ferry."]);
    let server =
        Server::new([stream(messages(&asks, "tool_use")), stream(messages(&says, "end_turn"))]).await;
    let endpoint = Endpoint::new(session.env().clone()).base_url(server.url());
    let model = Messages::new(endpoint, "m-1").expect("it is an address");
    let end = session.run(&model, "what is the word?", Budget::default()).await;
    assert_eq!(end, End::Answered("It is ferry.".to_owned()));

    let bodies: Vec<String> =
        server.came().into_iter().map(|came| String::from_utf8(came.body).expect("a body is text")).collect();
    let [first, second] = &bodies[..] else { panic!("two requests: {}", bodies.len()) };
    let second_value: Value = serde_json::from_str(second).expect("it is JSON");
    let said = second_value["messages"].as_array().expect("messages");
    assert_eq!(said.len(), 3);
    assert_eq!(said[1]["content"][1]["input"].to_string(), input);
    assert_eq!(said[2]["content"][0]["tool_use_id"], "toolu_1");
    assert!(said[2]["content"][0]["content"].to_string().contains("the word is ferry"));

    // The tools, the system prompt and the settings are the same bytes; the messages too, but for the marks.
    let parts = |body: &str| {
        let at = body.find(r#""messages":["#).expect("there are messages");
        (body[..at].to_owned(), body[at..].replace(MARK, ""))
    };
    let ((first_head, first_said), (second_head, second_said)) = (parts(first), parts(second));
    assert!(first_head.starts_with(r#"{"tools":[{"name":"#) && first_head.contains(MARK));
    assert_eq!(first_head, second_head);
    let begins = first_said.strip_suffix("]}").expect("it is whole");
    assert!(second_said.starts_with(begins), "{first_said}\n{second_said}");
    let tools: Vec<String> = session.pool().definitions().iter().map(|tool| tool.to_string()).collect();
    assert!(first_head.replace(MARK, "").starts_with(&format!(r#"{{"tools":[{}],"#, tools.join(","))));
}

#[tokio::test]
async fn a_run_over_chat_completions_calls_a_tool_and_answers() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (session, input) = session(folder.path());
    // The server uses the same identifier in both messages, and leaves it out in the third.
    let script = [
        stream(chat(&[call_piece(0, Some("call_0"), Some("Read"), &input)], "tool_calls")),
        stream(chat(&[call_piece(0, Some("call_0"), Some("Read"), &input)], "tool_calls")),
        stream(chat(&[call_piece(0, None, Some("Read"), &input)], "tool_calls")),
        stream(chat(&[json!({ "content": "ferry" })], "stop")),
    ];
    let server = Server::new(script).await;
    let endpoint = Endpoint::new(session.env().clone()).base_url(server.url());
    let model = Chat::new(endpoint, "m-1").expect("it is an address");
    let end = session.run(&model, "what is the word?", Budget::default()).await;
    assert_eq!(end, End::Answered("ferry".to_owned()));

    let bodies: Vec<String> =
        server.came().into_iter().map(|came| String::from_utf8(came.body).expect("a body is text")).collect();
    assert_eq!(bodies.len(), 4);
    for pair in bodies.windows(2) {
        let begins = pair[0].strip_suffix("]}").expect("it is whole");
        assert!(pair[1].starts_with(begins), "a later request begins as the one before it");
    }
    let last: Value = serde_json::from_str(&bodies[3]).expect("it is JSON");
    let said = last["messages"].as_array().expect("messages");
    let ids = |field: fn(&Value) -> &Value| -> Vec<String> {
        said.iter().map(field).filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let called = ids(|message| &message["tool_calls"][0]["id"]);
    assert_eq!(called, ids(|message| &message["tool_call_id"]));
    assert_eq!(called.iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
}

#[tokio::test]
async fn a_run_ends_with_the_models_error_and_runs_no_call_of_a_broken_message() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (session, _input) = session(folder.path());
    let file = folder.path().canonicalize().expect("the folder exists").join("made.txt");
    let input = json!({ "file_path": file, "content": "x" }).to_string();
    let whole = messages(&call_block(0, "toolu_1", "Write", &[&input[..20], &input[20..]]), "tool_use");
    let half = &whole[..whole.rfind("input_json_delta").expect("there are pieces")];
    let server = Server::new([stream(half)]).await;
    let endpoint = Endpoint::new(session.env().clone()).base_url(server.url());
    let model = Messages::new(endpoint, "m-1").expect("it is an address");
    let end = session.run(&model, "write", Budget::default()).await;
    assert!(matches!(end, End::Failed(_)), "{end:?}");
    assert!(!file.exists());
}
