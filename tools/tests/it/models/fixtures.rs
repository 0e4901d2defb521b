//! Streams of events of the same shape as recorded ones.

use serde_json::{Value, json};

/// An event of the Messages format.
pub(crate) fn event(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

/// A whole stream of the Messages format, of these blocks in pieces.
pub(crate) fn messages(events: &[Value], stop_reason: &str) -> String {
    let start = json!({
        "type": "message_start",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m-1", "content": [],
            "usage": { "input_tokens": 10, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 7, "output_tokens": 1 },
        },
    });
    let stop = json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop_reason, "stop_sequence": null },
        "usage": { "output_tokens": 42 },
    });
    let mut text = event(&start) + &event(&json!({ "type": "ping" }));
    events.iter().for_each(|value| text.push_str(&event(value)));
    text + &event(&stop) + &event(&json!({ "type": "message_stop" }))
}

/// A text block, one piece a word.
pub(crate) fn text_block(index: usize, words: &[&str]) -> Vec<Value> {
    let start = json!({ "type": "content_block_start", "index": index, "content_block": { "type": "text", "text": "" } });
    let pieces = words.iter().map(|word| {
        json!({ "type": "content_block_delta", "index": index, "delta": { "type": "text_delta", "text": word } })
    });
    let stop = json!({ "type": "content_block_stop", "index": index });
    [start].into_iter().chain(pieces).chain([stop]).collect()
}

/// A call, its arguments in these pieces.
pub(crate) fn call_block(index: usize, id: &str, name: &str, pieces: &[&str]) -> Vec<Value> {
    let start = json!({
        "type": "content_block_start", "index": index,
        "content_block": { "type": "tool_use", "id": id, "name": name, "input": {} },
    });
    let pieces = pieces.iter().map(|piece| {
        json!({
            "type": "content_block_delta", "index": index,
            "delta": { "type": "input_json_delta", "partial_json": piece },
        })
    });
    let stop = json!({ "type": "content_block_stop", "index": index });
    [start].into_iter().chain(pieces).chain([stop]).collect()
}

/// The usual answer: a text and two calls.
pub(crate) fn usual_messages() -> String {
    let blocks = [
        text_block(0, &["Let me ", "löök 😀."]),
        call_block(1, "toolu_1", "Probe", &["", "{\"n\" :", " 1.0, \"s\":\"é\\n\"}"]),
        call_block(2, "toolu_2", "Bare", &[]),
    ];
    messages(&blocks.concat(), "tool_use")
}

/// A chunk of the chat-completions format.
pub(crate) fn chunk(delta: &Value, finish_reason: Option<&str>) -> String {
    let chunk = json!({
        "id": "chat_1", "object": "chat.completion.chunk", "model": "m-1",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }],
    });
    format!("data: {chunk}\n\n")
}

/// A piece of a call of the chat-completions format.
pub(crate) fn call_piece(index: usize, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    json!({ "tool_calls": [{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }] })
}

/// A whole stream of the chat-completions format.
pub(crate) fn chat(deltas: &[Value], finish_reason: &str) -> String {
    let usage = json!({
        "id": "chat_1", "choices": [],
        "usage": { "prompt_tokens": 20, "completion_tokens": 5, "prompt_tokens_details": { "cached_tokens": 8 } },
    });
    let mut text = String::new();
    deltas.iter().for_each(|delta| text.push_str(&chunk(delta, None)));
    text + &chunk(&json!({}), Some(finish_reason)) + &format!("data: {usage}\n\ndata: [DONE]\n\n")
}

/// The usual answer: a text and two calls.
pub(crate) fn usual_chat() -> String {
    let deltas = [
        json!({ "role": "assistant", "content": "" }),
        json!({ "content": "Let me " }),
        json!({ "content": "löök 😀." }),
        call_piece(0, Some("call_1"), Some("Probe"), ""),
        call_piece(0, None, None, "{\"n\" :"),
        call_piece(0, None, None, " 1.0, \"s\":\"é\\n\"}"),
        call_piece(1, Some("call_2"), Some("Bare"), ""),
    ];
    chat(&deltas, "tool_calls")
}
