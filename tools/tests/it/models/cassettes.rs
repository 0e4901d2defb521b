//! Exchanges that people recorded: played by the server on the loopback, and asked for again by us.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::env::Env;
use toolwright::message::{Block, Message, Role};
use toolwright::query::{ModelEvent, PromptCache, Request};
use toolwright_tools::models::{Chat, Endpoint, Messages};

use crate::shared::shared;

use super::fixtures::{chat, messages};
use super::server::{Act, Server, blocks, events, stream, stream_head};

fn folder(name: &str) -> Option<PathBuf> {
    shared(&format!("data/transcripts/{name}"))
}

/// The exchanges of a recording: request and response, each as JSON.
fn exchanges(file: PathBuf) -> Vec<(Value, Value)> {
    let text = std::fs::read_to_string(file).expect("recordings are text");
    let json = toolwright_tools::yaml::to_json(&text).expect("recordings are YAML");
    let recording: Value = serde_json::from_str(&json).expect("it is JSON");
    let all = recording["interactions"].as_array().expect("a list").clone();
    all.into_iter().map(|exchange| (exchange["request"].clone(), exchange["response"].clone())).collect()
}

fn model(server: &Server) -> (Messages, Chat) {
    let endpoint = || Endpoint::new(Env::tokio().expect("tests run on tokio")).base_url(server.url());
    let messages = Messages::new(endpoint(), "m-1").expect("it is an address");
    (messages, Chat::new(endpoint(), "m-1").expect("it is an address"))
}

/// The events of a message that was recorded whole, with texts and arguments in pieces of seven characters.
fn as_stream(message: &Value) -> String {
    let mut all = Vec::new();
    for (index, block) in message["content"].as_array().expect("blocks").iter().enumerate() {
        let mut start = block.clone();
        let (field, piece, whole) = match block["type"].as_str() {
            Some("text") => ("text", "text_delta", block["text"].as_str().unwrap_or_default().to_owned()),
            Some("tool_use" | "server_tool_use") => ("input", "input_json_delta", block["input"].to_string()),
            _other => ("", "", String::new()),
        };
        if !field.is_empty() {
            start[field] = if field == "text" { json!("") } else { json!({}) };
        }
        all.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        let name = if field == "input" { "partial_json" } else { "text" };
        let chars: Vec<char> = whole.chars().collect();
        all.extend(chars.chunks(7).map(|chars| {
            let delta = json!({ "type": piece, name: chars.iter().collect::<String>() });
            json!({ "type": "content_block_delta", "index": index, "delta": delta })
        }));
        all.push(json!({ "type": "content_block_stop", "index": index }));
    }
    messages(&all, message["stop_reason"].as_str().unwrap_or_default())
}

/// A recorded request, as one of ours.
fn request(recorded: &Value) -> Request {
    let said = recorded["messages"].as_array().expect("messages").iter().map(|message| {
        serde_json::from_value::<Message>(message.clone()).expect("our messages read recorded ones")
    });
    Request {
        tools: recorded["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|tool| tool.to_string().into())
            .collect(),
        system: recorded["system"].as_str().map(Arc::from),
        messages: Arc::new(said.collect()),
        model: recorded["model"].as_str().map(str::to_owned),
        cache: PromptCache::Off,
        ..Request::default()
    }
}

/// Without what says nothing: a result that is no error, a system prompt as a list of one.
fn plain(mut body: Value) -> Value {
    for message in body["messages"].as_array_mut().into_iter().flatten() {
        for block in message["content"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut)
        {
            block.retain(|name, value| name != "is_error" || value != &json!(false));
        }
    }
    if let Some(text) = body["system"][0]["text"].as_str().map(str::to_owned) {
        body["system"] = json!(text);
    }
    json!({ "tools": body["tools"], "system": body["system"], "messages": body["messages"], "model": body["model"] })
}

#[tokio::test]
async fn recorded_exchanges_of_the_messages_format_are_asked_and_answered_the_same() {
    let Some(folder) = folder("anthropic-api") else { return };
    let mut calls = 0;
    for name in ["multiple_parallel_tool_calls.yaml", "native_tool_search_round_trip.yaml"] {
        let exchanges = exchanges(folder.join(name));
        let script = exchanges.iter().map(|(_, response)| stream(as_stream(&response["parsed_body"])));
        let server = Server::new(script.collect::<Vec<_>>()).await;
        let (model, _chat) = model(&server);
        for (index, (asked, response)) in exchanges.iter().enumerate() {
            let (events, error) = events(&model, request(&asked["parsed_body"])).await;
            assert_eq!(error, None, "{name} {index}");
            let body: Value = serde_json::from_slice(&server.came()[index].body).expect("it is JSON");
            assert_eq!(plain(body), plain(asked["parsed_body"].clone()), "{name} {index}");
            let recorded = response["parsed_body"]["content"].as_array().expect("blocks");
            let expected: Vec<Block> = recorded
                .iter()
                .map(|block| serde_json::from_value(block.clone()).expect("our blocks read recorded ones"))
                .collect();
            assert_eq!(blocks(&events), expected, "{name} {index}");
            calls += expected.iter().filter(|block| matches!(block, Block::ToolUse(_))).count();
        }
    }
    assert_eq!(calls, 5);
}

#[tokio::test]
async fn a_recorded_stream_is_read_byte_by_byte() {
    let Some(folder) = folder("anthropic-api") else { return };
    let exchanges = exchanges(folder.join("stream_events_tool_calls.yaml"));
    let packed = base64(exchanges[0].1["body"]["string"].as_str().expect("it was recorded packed"));
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut text).expect("it was packed whole");
    let acts = [stream_head()]
        .into_iter()
        .chain(text.chunks(1).map(|byte| Act::Chunk(byte.to_vec())))
        .chain([Act::End]);
    let server = Server::new([acts.collect()]).await;
    let (model, _chat) = model(&server);
    let asked: Value =
        serde_json::from_str(exchanges[0].0["body"].as_str().expect("text")).expect("it is JSON");
    let (events, error) = events(&model, request(&asked)).await;
    assert_eq!(error, None);
    let body: Value = serde_json::from_slice(&server.came()[0].body).expect("it is JSON");
    assert_eq!(plain(body), plain(asked));
    let calls: Vec<(String, String)> = blocks(&events)
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse(call) => Some((call.name.clone(), call.input.as_str().to_owned())),
            _other => None,
        })
        .collect();
    assert_eq!(calls, [("pelican_name_generator".to_owned(), "{}".to_owned())]);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, ModelEvent::Usage(usage) if usage.output > 1 && usage.input > 1))
    );
}

/// The chunks of a message that was recorded whole, with texts and arguments in pieces of seven characters.
fn as_chunks(message: &Value, finish_reason: &str) -> String {
    let pieces = |text: &str| -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(7).map(|chars| chars.iter().collect()).collect()
    };
    let mut deltas = vec![json!({ "role": "assistant", "content": null })];
    let text = message["content"].as_str().unwrap_or_default();
    deltas.extend(pieces(text).into_iter().map(|text| json!({ "content": text })));
    for (index, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let name = &call["function"]["name"];
        let begin =
            json!({ "index": index, "id": call["id"], "function": { "name": name, "arguments": "" } });
        deltas.push(json!({ "tool_calls": [begin] }));
        for piece in pieces(call["function"]["arguments"].as_str().unwrap_or_default()) {
            deltas.push(json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }));
        }
    }
    chat(&deltas, finish_reason)
}

/// Name and arguments of the calls that a server of recorded messages makes, and how many things were mended.
async fn calls_of(recorded: &[Value]) -> (Vec<(String, String, String)>, usize) {
    let script = recorded.iter().map(|message| stream(as_chunks(message, "stop")));
    let server = Server::new(script.collect::<Vec<_>>()).await;
    let (_messages, model) = model(&server);
    let mut said = vec![Message::user("go")];
    let (mut calls, mut mended) = (Vec::new(), 0);
    for _message in recorded {
        let request = Request { messages: Arc::new(said.clone()), ..Request::default() };
        let (events, error) = events(&model, request).await;
        assert_eq!(error, None);
        let content = blocks(&events);
        for block in &content {
            if let Block::ToolUse(call) = block {
                calls.push((call.id.to_string(), call.name.clone(), call.input.as_str().to_owned()));
            }
        }
        said.push(Message { role: Role::Assistant, content, is_meta: false });
        mended += events.iter().filter(|event| matches!(event, ModelEvent::Mended(_))).count();
    }
    (calls, mended)
}

#[tokio::test]
async fn recorded_calls_without_identifiers_or_with_used_ones_are_told_apart() {
    let Some(folder) = folder("openai-chat") else { return };
    let without = exchanges(folder.join("tool_calls_without_id.yaml"));
    let recorded: Vec<Value> = without
        .iter()
        .map(|(_, response)| response["parsed_body"]["choices"][0]["message"].clone())
        .collect();
    let (calls, mended) = calls_of(&recorded).await;
    assert_eq!((calls.len(), mended), (1, 1));
    assert_eq!((calls[0].1.as_str(), calls[0].2.as_str()), ("get_current_time", "{}"));
    assert!(!calls[0].0.is_empty());

    // These were recorded in another format; what matters is that each response counts its calls from nought.
    let used = exchanges(folder.join("reused_tool_call_ids.yaml"));
    let recorded: Vec<Value> = used
        .iter()
        .filter_map(|(_, response)| {
            let output = response["parsed_body"]["output"].as_array()?;
            let calls = output.iter().filter(|item| item["type"] == "function_call").map(|item| {
                json!({ "id": item["call_id"], "function": { "name": item["name"], "arguments": item["arguments"] } })
            });
            Some(json!({ "tool_calls": calls.collect::<Vec<_>>() }))
        })
        .collect();
    let (calls, mended) = calls_of(&recorded).await;
    let names: Vec<&str> = calls.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!((names, mended), (vec!["first_tool", "second_tool"], 1));
    assert_eq!(calls[0].0, "call_0");
    assert_ne!(calls[1].0, "call_0");
}

#[tokio::test]
async fn recorded_conversations_keep_their_arguments_byte_for_byte() {
    let Some(folder) = folder("openai-chat") else { return };
    let text = std::fs::read_to_string(folder.join("tau-airline-20.json")).expect("recordings are text");
    let tasks: Vec<Value> = serde_json::from_str(&text).expect("it is JSON");
    let mut count = 0;
    for task in &tasks {
        let said = task["traj"].as_array().expect("a conversation");
        let recorded: Vec<Value> =
            said.iter().filter(|message| message["role"] == "assistant").cloned().collect();
        let expected: Vec<(String, String)> = recorded
            .iter()
            .flat_map(|message| message["tool_calls"].as_array().cloned().unwrap_or_default())
            .map(|call| {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                (text(&call["function"]["name"]), text(&call["function"]["arguments"]))
            })
            .collect();
        let (calls, _mended) = calls_of(&recorded).await;
        let got: Vec<(String, String)> = calls.into_iter().map(|(_, name, input)| (name, input)).collect();
        assert_eq!(got, expected);
        count += got.len();
    }
    println!("{} conversations, {count} calls", tasks.len());
    assert!(count > 50, "{count}");
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_usize, 0);
    for digit in digits {
        (held, bits) = (((held << 6) | digit) & 0xffff, bits + 6);
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).expect("it is a byte"));
        }
    }
    bytes
}
