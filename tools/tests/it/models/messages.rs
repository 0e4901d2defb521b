//! The Messages format: what an answer comes to, and what a request looks like.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::env::Env;
use toolwright::message::{Block, CallId, Content, Message, RepairKind, Role, ToolResult, ToolUse};
use toolwright::query::{
    BlockKind, Delta, ModelErrorKind, ModelEvent, PromptCache, Request, StopReason, Usage,
};
use toolwright_tools::models::{Endpoint, Messages, Retry, Secret};

use super::fixtures::{call_block, event, messages, text_block, usual_messages};
use super::server::{Answer, Played, Server, blocks, events, go, stream};

fn env() -> Env {
    Env::tokio().expect("tests run on tokio")
}

/// A model that plays these pieces.
fn played(pieces: &[&[u8]]) -> Messages {
    let transport = Played::new([Answer::stream(pieces)]);
    let endpoint = Endpoint::new(env()).transport(transport).retry(Retry::never());
    Messages::new(endpoint, "m-1").expect("the usual address is fine")
}

async fn answer(text: &str) -> (Vec<ModelEvent>, Option<toolwright::query::ModelError>) {
    events(&played(&[text.as_bytes()]), go()).await
}

#[tokio::test]
async fn an_answer_is_its_blocks_with_raw_arguments_and_what_it_cost() {
    let server = Server::new([stream(usual_messages())]).await;
    let model = Messages::new(Endpoint::new(env()).base_url(server.url()), "m-1").expect("it is an address");
    let (events, error) = events(&model, go()).await;
    assert_eq!(error, None);
    let usage = |output| ModelEvent::Usage(Usage { input: 10, output, cache_read: 7, cache_write: 3 });
    let text = |text: &str| ModelEvent::Delta { index: 0, delta: Delta::Text(text.to_owned()) };
    let begins = |index, id: &str, name: &str| {
        let kind = BlockKind::ToolUse { id: CallId::new(id), name: name.to_owned() };
        ModelEvent::BlockStarted { index, kind }
    };
    let input = |text: &str| ModelEvent::Delta { index: 1, delta: Delta::Input(text.to_owned()) };
    let raw = "{\"n\" : 1.0, \"s\":\"é\\n\"}";
    let expected = [
        ModelEvent::Started { message: Some("msg_1".to_owned()), model: Some("m-1".to_owned()) },
        usage(1),
        ModelEvent::BlockStarted { index: 0, kind: BlockKind::Text },
        text("Let me "),
        text("löök 😀."),
        ModelEvent::text(0, "Let me löök 😀."),
        begins(1, "toolu_1", "Probe"),
        input("{\"n\" :"),
        input(" 1.0, \"s\":\"é\\n\"}"),
        ModelEvent::call(1, ToolUse::new("toolu_1", "Probe", raw)),
        begins(2, "toolu_2", "Bare"),
        usage(42),
        ModelEvent::call(2, ToolUse::new("toolu_2", "Bare", "{}")),
        ModelEvent::Stopped(StopReason::ToolUse),
    ];
    assert_eq!(events, expected);
}

#[tokio::test]
async fn a_cut_at_any_place_changes_nothing() {
    let text = usual_messages().replace("\n\n", "\r\n\r\n");
    let text = text.as_bytes();
    let whole = events(&played(&[text]), go()).await;
    assert_eq!((blocks(&whole.0).len(), &whole.1), (3, &None));
    for cut in 0..=text.len() {
        let (left, right) = text.split_at(cut);
        assert_eq!(events(&played(&[left, right]), go()).await, whole, "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(events(&played(&bytes), go()).await, whole, "byte by byte");
}

#[tokio::test]
async fn an_end_at_any_place_is_an_error_and_never_half_a_call() {
    let text = usual_messages();
    let text = text.as_bytes();
    let whole = blocks(&events(&played(&[text]), go()).await.0);
    let last_event = text.len() - 2;
    for end in 0..text.len() {
        let (events, error) = events(&played(&[&text[..end]]), go()).await;
        let kinds = [ModelErrorKind::Connection, ModelErrorKind::Malformed];
        let error = error.unwrap_or_else(|| panic!("it ends at {end} of {last_event} and is whole"));
        assert!(kinds.contains(&error.kind), "{end}: {error:?}");
        assert!(whole.starts_with(&blocks(&events)), "{end}");
    }
}

#[tokio::test]
async fn blocks_of_other_kinds_are_kept_as_they_came_and_sent_back() {
    let other = |index: usize, block: Value, deltas: &[Value]| {
        let start = json!({ "type": "content_block_start", "index": index, "content_block": block });
        let deltas = deltas
            .iter()
            .map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        let stop = json!({ "type": "content_block_stop", "index": index });
        [start].into_iter().chain(deltas).chain([stop]).collect::<Vec<Value>>()
    };
    let all = [
        other(
            0,
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
            &[
                json!({ "type": "thinking_delta", "thinking": "hm, " }),
                json!({ "type": "thinking_delta", "thinking": "yes" }),
                json!({ "type": "signature_delta", "signature": "c2lnbg==" }),
            ],
        ),
        other(1, json!({ "type": "redacted_thinking", "data": "eA==" }), &[]),
        other(
            2,
            json!({ "type": "server_tool_use", "id": "srv_1", "name": "search", "input": {} }),
            &[
                json!({ "type": "input_json_delta", "partial_json": "{\"q\":" }),
                json!({ "type": "input_json_delta", "partial_json": "1}" }),
            ],
        ),
        other(3, json!({ "type": "from_tomorrow", "x": [1] }), &[json!({ "type": "more", "y": "z" })]),
        text_block(4, &["done"]),
    ];
    let (events, error) = answer(&messages(&all.concat(), "end_turn")).await;
    assert_eq!(error, None);
    let kept = [
        json!({ "type": "thinking", "thinking": "hm, yes", "signature": "c2lnbg==" }),
        json!({ "type": "redacted_thinking", "data": "eA==" }),
        json!({ "type": "server_tool_use", "id": "srv_1", "name": "search", "input": { "q": 1 } }),
        json!({ "type": "from_tomorrow", "x": [1], "y": "z" }),
    ];
    let expected: Vec<Block> =
        kept.iter().cloned().map(Block::Other).chain([Block::Text("done".to_owned())]).collect();
    assert_eq!(blocks(&events), expected);
    let thoughts = ModelEvent::Delta { index: 0, delta: Delta::Thinking("hm, ".to_owned()) };
    assert!(events.contains(&thoughts));

    let said = Message { role: Role::Assistant, content: expected, is_meta: false };
    let body =
        body_of(Request { messages: Arc::new(vec![Message::user("go"), said]), ..Request::default() }).await;
    assert_eq!(body["messages"][1]["content"].as_array().expect("blocks")[..4], kept);
}

#[tokio::test]
async fn a_call_that_the_limit_cut_off_is_never_whole() {
    let half = call_block(0, "toolu_1", "Probe", &["{\"n\":1, \"m"]);
    let (events, error) = answer(&messages(&half, "max_tokens")).await;
    assert_eq!(error, None);
    let [Block::ToolUse(call)] = &blocks(&events)[..] else { panic!("one call: {events:?}") };
    assert_eq!(call.input.as_str(), "{\"n\":1, \"m", "it is not mended");
    assert_eq!(events.last(), Some(&ModelEvent::Stopped(StopReason::OutputLimit)));

    // Without any argument it would look like a call that has none.
    let none = call_block(0, "toolu_1", "Bare", &[""]);
    let (events, error) = answer(&messages(&none, "max_tokens")).await;
    assert_eq!((error, blocks(&events)), (None, Vec::new()));
    let mended = events.iter().find_map(|event| match event {
        ModelEvent::Mended(repair) => Some(repair.kind),
        _other => None,
    });
    assert_eq!(mended, Some(RepairKind::CutOff));
    // Whole calls before it are whole.
    let two = [call_block(0, "toolu_1", "Bare", &[]), call_block(1, "toolu_2", "Bare", &[])].concat();
    assert_eq!(blocks(&answer(&messages(&two, "max_tokens")).await.0).len(), 1);
}

#[tokio::test]
async fn identifiers_that_are_missing_or_used_are_made_new_and_told() {
    let three = [
        call_block(0, "", "Probe", &["{}"]),
        call_block(1, "toolu_1", "Probe", &["{}"]),
        call_block(2, "toolu_1", "Probe", &["{}"]),
        call_block(3, "old", "Probe", &["{}"]),
    ];
    let text = messages(&three.concat(), "tool_use");
    let old = Block::ToolUse(ToolUse::new("old", "Probe", "{}"));
    let before = Message { role: Role::Assistant, content: vec![old], is_meta: false };
    let request = Request { messages: Arc::new(vec![Message::user("go"), before]), ..Request::default() };
    let (events, _error) = events(&played(&[text.as_bytes()]), request).await;
    let ids: std::collections::BTreeSet<String> = blocks(&events)
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse(call) => Some(call.id.to_string()),
            _other => None,
        })
        .collect();
    assert_eq!(ids.len(), 4);
    assert!(ids.contains("toolu_1") && !ids.contains("") && !ids.contains("old"), "{ids:?}");
    let told = events.iter().filter(|event| matches!(event, ModelEvent::Mended(_))).count();
    assert_eq!(told, 3);
}

#[tokio::test]
async fn what_is_no_stream_of_the_format_is_malformed() {
    let start = |index: usize| json!({ "type": "content_block_start", "index": index, "content_block": { "type": "text" } });
    let stop = json!({ "type": "content_block_stop", "index": 0 });
    let begin = event(&json!({ "type": "message_start", "message": {} }));
    let table = [
        "data: {\n\n".to_owned(),
        "data: []\n\n".to_owned(),
        "data: \0\n\n".to_owned(),
        "data: {\"type\":\"ping\",\"x\":\"\0\"}\n\n".to_owned(),
        event(&start(0)),
        event(&json!({ "type": "message_stop" })),
        begin.clone() + &begin,
        begin.clone() + &event(&start(1)),
        begin.clone() + &event(&start(0)) + &event(&start(1)),
        begin.clone() + &event(&start(0)) + &event(&stop) + &event(&stop),
        begin.clone() + &event(&start(0)) + &event(&json!({ "type": "message_stop" })),
        begin.clone() + &event(&json!({ "type": "content_block_start", "index": 0 })),
        begin.clone()
            + &event(&json!({ "type": "content_block_start", "index": 0, "content_block": { "no": 1 } })),
        begin.clone()
            + &event(
                &json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta" } }),
            ),
        begin.clone()
            + &event(&start(0))
            + &event(&json!({ "type": "content_block_delta", "index": 0, "delta": {} })),
        begin.clone()
            + &event(
                &json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use", "id": "a" } }),
            )
            + &event(
                &json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "x" } }),
            ),
    ];
    for text in table {
        let (events, error) = answer(&text).await;
        assert_eq!(error.map(|error| error.kind), Some(ModelErrorKind::Malformed), "{text}");
        assert_eq!(blocks(&events).iter().filter(|block| matches!(block, Block::ToolUse(_))).count(), 0);
    }
}

/// The body that goes over the wire, as JSON.
async fn body_of(request: Request) -> Value {
    serde_json::from_slice(&bytes_of(request).await).expect("a body is JSON")
}

async fn bytes_of(request: Request) -> Vec<u8> {
    let defers = request.tools.iter().any(|tool| tool.contains("defer_loading"));
    let betas = if defers { "b-1,b-2,advanced-tool-use-2025-11-20" } else { "b-1,b-2" };
    let betas = format!("anthropic-beta: {betas}");
    let played = Played::new([Answer::stream(&[])]);
    let posts = Arc::clone(&played.posts);
    let endpoint = Endpoint::new(env()).retry(Retry::never()).transport(played).key(Secret::new("k"));
    let model = Messages::new(endpoint, "m-1").expect("the usual address is fine").beta("b-1").beta("b-2");
    let model = model.option("temperature", json!(0.5)).option("stream", json!(false));
    events(&model, request).await;
    let posts = posts.lock().expect("nobody panicked");
    assert_eq!(posts[0].url, "https://api.anthropic.com/v1/messages");
    let headers: Vec<String> =
        posts[0].headers.iter().map(|(name, value)| format!("{name}: {}", value.expose())).collect();
    assert_eq!(
        headers,
        ["accept: text/event-stream", "anthropic-version: 2023-06-01", betas.as_str(), "x-api-key: k"]
    );
    posts[0].body.clone()
}

fn results(results: Vec<ToolResult>) -> Message {
    Message {
        role: Role::User,
        content: results.into_iter().map(Block::ToolResult).collect(),
        is_meta: false,
    }
}

#[tokio::test]
async fn a_request_is_written_in_one_order_with_its_marks() {
    let calls = vec![
        Block::Text(" ".to_owned()),
        Block::ToolUse(ToolUse::new("a", "Probe", "{ \"n\" : 1.0 }")),
        Block::ToolUse(ToolUse::new("b:1", "not a name", "{\"half")),
    ];
    let ok = ToolResult { tool_use_id: CallId::new("a"), content: Content::from("fine"), is_error: false };
    let messages = vec![
        Message::user("go"),
        Message { role: Role::Assistant, content: calls, is_meta: false },
        results(vec![ok, ToolResult::error(CallId::new("b:1"), "")]),
        Message::note("a note"),
    ];
    let tools = [
        r#"{"name":"A","description":"","input_schema":{ "type" :"object"}}"#,
        r#"{"name":"B","input_schema":{},"defer_loading":true}"#,
    ];
    let request = Request {
        tools: tools.iter().map(|tool| Arc::from(*tool)).collect(),
        system: Some("be kind".into()),
        messages: Arc::new(messages),
        output_tokens_max: NonZeroU32::new(99),
        model: None,
        cache: PromptCache::Short,
    };
    let mark = r#","cache_control":{"type":"ephemeral"}"#;
    let expected = [
        r#"{"tools":[{"name":"A","description":"","input_schema":{ "type" :"object"}"#,
        mark,
        r#"},{"name":"B","input_schema":{},"defer_loading":true}],"#,
        r#""system":[{"type":"text","text":"be kind""#,
        mark,
        r#"}],"#,
        r#""model":"m-1","max_tokens":99,"stream":true,"temperature":0.5,"#,
        r#""messages":[{"role":"user","content":[{"type":"text","text":"go""#,
        mark,
        r#"}]},"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Probe","input":{ "n" : 1.0 }},"#,
        r#"{"type":"tool_use","id":"ID","name":"not_a_name","input":{"not_an_object":"{\"half"}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"fine"},"#,
        r#"{"type":"tool_result","tool_use_id":"ID","content":"the tool failed and said nothing","is_error":true},"#,
        r#"{"type":"text","text":"a note""#,
        mark,
        r#"}]}]}"#,
    ];
    let body = String::from_utf8(bytes_of(request).await).expect("a body is text");
    let made = body
        .split("\"id\":\"b_1_")
        .nth(1)
        .and_then(|rest| rest.get(..16))
        .expect("the identifier is made plain");
    assert_eq!(body, expected.concat().replace("ID", &format!("b_1_{made}")));
}

#[tokio::test]
async fn without_marks_a_later_request_begins_as_the_one_before() {
    let mut messages = vec![Message::user("go")];
    let mut last = String::new();
    for turn in 0..4 {
        let request = Request {
            tools: vec![r#"{"name":"A","input_schema":{}}"#.into()],
            messages: Arc::new(messages.clone()),
            cache: PromptCache::Off,
            ..Request::default()
        };
        let body = String::from_utf8(bytes_of(request).await).expect("a body is text");
        assert!(!body.contains("cache_control"));
        let begins = last.strip_suffix("]}]}").unwrap_or(&last);
        assert!(body.starts_with(begins), "{body}\n{last}");
        last = body;
        let call = Block::ToolUse(ToolUse::new(format!("c{turn}"), "A", "{\"b\":1,\"a\":2}"));
        messages.push(Message { role: Role::Assistant, content: vec![call], is_meta: false });
        messages.push(results(vec![ToolResult::error(CallId::new(format!("c{turn}")), "no")]));
        messages.push(Message::note("note"));
    }
}

#[tokio::test]
async fn a_definition_that_is_no_object_is_refused_before_anything_is_sent() {
    let request = Request { tools: vec!["[".into()], ..go() };
    let endpoint = Endpoint::new(env()).transport(Played::new([]));
    let model = Messages::new(endpoint, "m-1").expect("the usual address is fine");
    let (_events, error) = events(&model, request).await;
    assert_eq!(error.map(|error| error.kind), Some(ModelErrorKind::InvalidRequest));
}
