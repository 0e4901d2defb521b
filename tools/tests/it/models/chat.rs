//! The chat-completions format: what an answer comes to, and what a request looks like.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::contract::SessionFacts;
use toolwright::env::Env;
use toolwright::message::{Block, CallId, Content, Message, RepairKind, Role, ToolResult, ToolUse};
use toolwright::query::{Delta, ModelErrorKind, ModelEvent, Request, StopReason, Usage};
use toolwright::registry::Pool;
use toolwright_tools::models::{Chat, Endpoint, Retry, Secret};

use super::fixtures::{call_piece, chat, chunk, usual_chat};
use super::server::{Answer, Played, Server, blocks, events, go, stream};

fn env() -> Env {
    Env::tokio().expect("tests run on tokio")
}

fn played(pieces: &[&[u8]]) -> Chat {
    let transport = Played::new([Answer::stream(pieces)]);
    let endpoint = Endpoint::new(env()).transport(transport).retry(Retry::never());
    Chat::new(endpoint, "m-1").expect("the usual address is fine")
}

async fn answer(text: &str) -> (Vec<ModelEvent>, Option<toolwright::query::ModelError>) {
    events(&played(&[text.as_bytes()]), go()).await
}

fn call(id: &str, name: &str, arguments: &str) -> Block {
    Block::ToolUse(ToolUse::new(id, name, arguments))
}

fn mended(events: &[ModelEvent]) -> Vec<RepairKind> {
    let kind = |event: &ModelEvent| match event {
        ModelEvent::Mended(repair) => Some(repair.kind),
        _other => None,
    };
    events.iter().filter_map(kind).collect()
}

/// The calls, their identifiers replaced by numbers where they were made up.
fn calls(events: &[ModelEvent], known: &[&str]) -> Vec<String> {
    let show = |block: Block| match block {
        Block::ToolUse(call) => {
            let id = if known.contains(&call.id.as_str()) { call.id.to_string() } else { "?".to_owned() };
            format!("{id} {} {}", call.name, call.input.as_str())
        }
        other => format!("{other:?}"),
    };
    blocks(events).into_iter().map(show).collect()
}

#[tokio::test]
async fn an_answer_is_its_blocks_with_raw_arguments_and_what_it_cost() {
    let server = Server::new([stream(usual_chat())]).await;
    let model =
        Chat::new(Endpoint::new(env()).base_url(server.url() + "/v1/"), "m-1").expect("it is an address");
    let (events, error) = events(&model, go()).await;
    assert_eq!(error, None);
    let expected = [
        Block::Text("Let me löök 😀.".to_owned()),
        call("call_1", "Probe", "{\"n\" : 1.0, \"s\":\"é\\n\"}"),
        call("call_2", "Bare", ""),
    ];
    assert_eq!(blocks(&events), expected);
    assert!(events.contains(&ModelEvent::Usage(Usage {
        input: 12,
        output: 5,
        cache_read: 8,
        cache_write: 0
    })));
    assert!(events.contains(&ModelEvent::Stopped(StopReason::ToolUse)));
    assert_eq!(mended(&events), []);
    // The first call may start before the message has ended: its block comes before the second begins.
    let at = |wanted: &dyn Fn(&ModelEvent) -> bool| events.iter().position(wanted).expect("it is there");
    let first = at(&|event| matches!(event, ModelEvent::Block { index: 1, .. }));
    let second = at(&|event| matches!(event, ModelEvent::BlockStarted { index: 2, .. }));
    assert!(first < second);
    assert!(server.came()[0].head.starts_with("post /v1/chat/completions http/1.1"));
}

#[tokio::test]
async fn a_cut_at_any_place_changes_nothing() {
    let text = usual_chat();
    let text = text.as_bytes();
    let whole = events(&played(&[text]), go()).await;
    for cut in 0..=text.len() {
        let (left, right) = text.split_at(cut);
        assert_eq!(events(&played(&[left, right]), go()).await, whole, "cut at {cut}");
    }
}

#[tokio::test]
async fn an_end_at_any_place_is_an_error_and_never_half_a_call() {
    let text = usual_chat();
    let whole = blocks(&answer(&text).await.0);
    let finished = text.find("finish_reason\":\"tool_calls").expect("it is finished");
    let finished = finished + text[finished..].find("\n\n").expect("the event ends") + 2;
    for end in 0..text.len() {
        let (events, error) = events(&played(&[&text.as_bytes()[..end]]), go()).await;
        assert_eq!(error.is_none(), end >= finished, "{end}");
        assert!(whole.starts_with(&blocks(&events)), "{end}");
    }
}

/// What a server does; the pieces it sends; the calls that were meant; and what is told.
struct Case(&'static str, Vec<Value>, &'static [&'static str], &'static [RepairKind]);

fn ways_of_servers() -> Vec<Case> {
    let piece = |value: Value| json!({ "tool_calls": [value] });
    let function = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
    vec![
        Case(
            "no index and no identifier",
            vec![
                piece(json!({ "id": "", "function": function("A", json!("{}")) })),
                piece(json!({ "function": function("B", json!("{\"x\":1}")) })),
            ],
            &["? A {}", "? B {\"x\":1}"],
            &[RepairKind::MissingId, RepairKind::MissingId],
        ),
        Case(
            "the same number for all",
            vec![call_piece(0, Some("a"), Some("A"), "{}"), call_piece(0, Some("b"), Some("B"), "{}")],
            &["a A {}", "b B {}"],
            &[],
        ),
        Case(
            "the same identifier for all",
            vec![call_piece(0, Some("a"), Some("A"), "{}"), call_piece(1, Some("a"), Some("B"), "{}")],
            &["a A {}", "? B {}"],
            &[RepairKind::ReusedId],
        ),
        Case(
            "an identifier of the conversation",
            vec![call_piece(0, Some("old"), Some("A"), "{}")],
            &["? A {}"],
            &[RepairKind::ReusedId],
        ),
        Case(
            "identifier and name in every piece",
            vec![call_piece(0, Some("a"), Some("A"), "{\"x\""), call_piece(0, Some("a"), Some("A"), ":1}")],
            &["a A {\"x\":1}"],
            &[],
        ),
        Case(
            "arguments that are no text",
            vec![piece(json!({ "index": 0, "id": "a", "function": function("A", json!({ "x": 1 })) }))],
            &["a A {\"x\":1}"],
            &[],
        ),
        Case(
            "no arguments at all",
            vec![piece(json!({ "index": 0, "id": "a", "function": { "name": "A" } }))],
            &["a A "],
            &[],
        ),
        Case(
            "calls that grow at once",
            vec![
                call_piece(0, Some("a"), Some("A"), "{\"x\":"),
                call_piece(1, Some("b"), Some("B"), "{\"y\":"),
                call_piece(0, None, None, "1}"),
                call_piece(1, None, None, "2}"),
            ],
            &["a A {\"x\":1}", "b B {\"y\":2}"],
            &[],
        ),
        Case(
            "arguments that are not JSON",
            vec![call_piece(0, Some("a"), Some("A"), "{x: 1"), call_piece(1, Some("b"), Some("B"), "{}")],
            &["a A {x: 1", "b B {}"],
            &[],
        ),
    ]
}

#[tokio::test]
async fn what_servers_do_differently_is_mended_and_told() {
    let before = Message { role: Role::Assistant, content: vec![call("old", "A", "{}")], is_meta: false };
    let messages = Arc::new(vec![Message::user("go"), before]);
    for Case(name, deltas, expected, repairs) in ways_of_servers() {
        let text = chat(&deltas, "tool_calls");
        let request = Request { messages: Arc::clone(&messages), ..Request::default() };
        let (events, error) = events(&played(&[text.as_bytes()]), request).await;
        assert_eq!(error, None, "{name}");
        assert_eq!(calls(&events, &["a", "b", "old"]), expected, "{name}");
        assert_eq!(mended(&events), repairs, "{name}");
    }
}

#[tokio::test]
async fn a_call_that_the_limit_cut_off_is_never_whole() {
    let half = [call_piece(0, Some("a"), Some("A"), "{\"x\":")];
    let (events, error) = answer(&chat(&half, "length")).await;
    assert_eq!((error, calls(&events, &["a"])), (None, vec!["a A {\"x\":".to_owned()]));
    let none = [call_piece(0, Some("a"), Some("A"), "{}"), call_piece(1, Some("b"), Some("B"), "")];
    let (events, error) = answer(&chat(&none, "length")).await;
    assert_eq!((error, calls(&events, &["a"])), (None, vec!["a A {}".to_owned()]));
    assert_eq!(mended(&events), [RepairKind::CutOff]);
}

#[tokio::test]
async fn thoughts_are_shown_and_not_kept() {
    let deltas =
        [json!({ "reasoning_content": "hm" }), json!({ "reasoning": "m" }), json!({ "content": "yes" })];
    let (events, _error) = answer(&chat(&deltas, "stop")).await;
    assert_eq!(blocks(&events), [Block::Text("yes".to_owned())]);
    let thoughts: Vec<&Delta> = events
        .iter()
        .filter_map(|event| match event {
            ModelEvent::Delta { index: 0, delta } => Some(delta),
            _other => None,
        })
        .collect();
    assert_eq!(thoughts, [&Delta::Thinking("hm".to_owned()), &Delta::Thinking("m".to_owned())]);
}

#[tokio::test]
async fn a_server_that_leaves_the_mark_of_the_end_out_is_understood() {
    let text = usual_chat().replace("data: [DONE]\n\n", "");
    assert_eq!(answer(&text).await, answer(&usual_chat()).await);
}

#[tokio::test]
async fn what_is_no_stream_of_the_format_is_an_error_of_its_kind() {
    let end = chunk(&json!({}), Some("stop"));
    let table = [
        ("data: {\n\n".to_owned(), ModelErrorKind::Malformed),
        ("data: [DONE]\n\n".to_owned(), ModelErrorKind::Connection),
        (chunk(&call_piece(0, None, None, "{}"), None), ModelErrorKind::Malformed),
        (
            chunk(&json!({ "tool_calls": [{ "index": 0, "function": { "name": "" } }] }), None),
            ModelErrorKind::Malformed,
        ),
        (end.clone() + &chunk(&json!({ "content": "more" }), None), ModelErrorKind::Malformed),
        (end.clone() + &chunk(&call_piece(0, Some("a"), Some("A"), "{}"), None), ModelErrorKind::Malformed),
        ("data: {\"error\":{\"message\":\"x\",\"code\":401}}\n\n".to_owned(), ModelErrorKind::Unauthorised),
        (
            "data: {\"error\":{\"message\":\"x\",\"type\":\"invalid_request_error\"}}\n\n".to_owned(),
            ModelErrorKind::InvalidRequest,
        ),
        ("data: {\"error\":\"x\"}\n\n".to_owned(), ModelErrorKind::Other),
    ];
    for (text, kind) in table {
        let (_events, error) = answer(&text).await;
        assert_eq!(error.map(|error| error.kind), Some(kind), "{text}");
    }
}

async fn body_of(request: Request, change: impl FnOnce(Chat) -> Chat) -> String {
    let played = Played::new([Answer::stream(&[])]);
    let posts = Arc::clone(&played.posts);
    let endpoint = Endpoint::new(env())
        .retry(Retry::never())
        .transport(played)
        .key(Secret::new("k"))
        .base_url("http://localhost:1");
    let model = change(Chat::new(endpoint, "m-1").expect("it is an address"));
    events(&model, request).await;
    let posts = posts.lock().expect("nobody panicked");
    let headers: Vec<String> =
        posts[0].headers.iter().map(|(name, value)| format!("{name}: {}", value.expose())).collect();
    assert_eq!(headers, ["accept: text/event-stream", "authorization: Bearer k"]);
    String::from_utf8(posts[0].body.clone()).expect("a body is text")
}

#[tokio::test]
async fn a_request_is_written_in_one_order_with_results_as_messages_of_their_own() {
    let picture =
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "eA==" } });
    let result = |id: &str, content: Content| {
        Block::ToolResult(ToolResult { tool_use_id: CallId::new(id), content, is_error: false })
    };
    let seen = vec![json!({ "type": "text", "text": "seen" }), picture];
    let messages = vec![
        Message::user("go"),
        Message {
            role: Role::Assistant,
            content: vec![
                Block::Other(json!({ "type": "thinking", "thinking": "x", "signature": "y" })),
                Block::Text("hm".to_owned()),
                call("a", "A", "{ \"n\" : 1.0 }"),
                call("b", "B", ""),
            ],
            is_meta: false,
        },
        Message {
            role: Role::User,
            content: vec![
                result("a", "fine".into()),
                result("b", Content::Blocks(seen)),
                Block::Text("and".to_owned()),
            ],
            is_meta: false,
        },
    ];
    let request = Request {
        tools: vec![r#"{"name":"A","description":"does","input_schema":{ "type" :"object"}}"#.into()],
        system: Some("be kind".into()),
        messages: Arc::new(messages),
        output_tokens_max: NonZeroU32::new(99),
        ..Request::default()
    };
    let expected = [
        r#"{"tools":[{"type":"function","function":{"name":"A","description":"does","parameters":{ "type" :"object"}}}],"#,
        r#""model":"m-1","stream":true,"stream_options":{"include_usage":true},"max_tokens":99,"seed":7,"#,
        r#""messages":[{"role":"system","content":"be kind"},{"role":"user","content":"go"},"#,
        r#"{"role":"assistant","content":"hm","tool_calls":["#,
        r#"{"id":"a","type":"function","function":{"name":"A","arguments":"{ \"n\" : 1.0 }"}},"#,
        r#"{"id":"b","type":"function","function":{"name":"B","arguments":"{}"}}]},"#,
        r#"{"role":"tool","tool_call_id":"a","content":"fine"},"#,
        r#"{"role":"tool","tool_call_id":"b","content":"seen\n(a picture; it follows)"},"#,
        r#"{"role":"user","content":[{"image_url":{"url":"data:image/png;base64,eA=="},"type":"image_url"},"#,
        r#"{"text":"and","type":"text"}]}]}"#,
    ];
    let body = body_of(request, |chat| chat.option("seed", json!(7)).option("model", json!("other"))).await;
    assert_eq!(body, expected.concat());
}

#[tokio::test]
async fn tools_of_the_strict_profile_are_sent_where_it_is_asked_for() {
    let pool = Pool::new(&toolwright_tools::catalogue(), &SessionFacts::default(), |_form| true);
    let request = || Request { tools: pool.definitions(), ..go() };
    let plain: Value = serde_json::from_str(&body_of(request(), |chat| chat).await).expect("it is JSON");
    let mut loose = Vec::new();
    let change = |chat: Chat| {
        let (chat, left) = chat.strict(&pool);
        loose = left;
        chat
    };
    let strict: Value = serde_json::from_str(&body_of(request(), change).await).expect("it is JSON");
    let (plain, strict) =
        (plain["tools"].as_array().expect("a list"), strict["tools"].as_array().expect("a list"));
    assert_eq!((plain.len(), strict.len()), (pool.tools().len(), pool.tools().len()));
    for (plain, strict) in plain.iter().zip(strict) {
        let name = plain["function"]["name"].as_str().expect("it has a name");
        assert_eq!(strict["function"]["name"], name);
        assert!(plain["function"].get("strict").is_none());
        let is_loose = loose.iter().any(|(tool, _)| tool == name);
        assert_eq!(strict["function"]["strict"] == true, !is_loose, "{name}");
        if !is_loose {
            let parameters = &strict["function"]["parameters"];
            let named = parameters["properties"].as_object().expect("an object").len();
            assert_eq!(parameters["required"].as_array().map(Vec::len), Some(named), "{name}");
        }
    }
    assert!(loose.len() < strict.len());
}
