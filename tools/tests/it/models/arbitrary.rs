//! Events in any order and of any shape: no panic, no block out of order, no identifier twice.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolwright::env::Env;
use toolwright::message::Block;
use toolwright::query::{Model, ModelEvent};
use toolwright_tools::models::{Chat, Endpoint, Messages, Retry};

use super::fixtures::{call_piece, chunk, event};
use super::server::{Answer, Played, events, go};

fn of_messages() -> impl Strategy<Value = String> {
    let block = prop_oneof![
        Just(json!({ "type": "text", "text": "a" })),
        Just(json!({ "type": "tool_use", "id": "a", "name": "A", "input": {} })),
        Just(json!({ "type": "tool_use", "name": "B", "input": { "x": 1 } })),
        Just(json!({ "type": "thinking" })),
        Just(json!({ "type": 3 })),
        Just(json!([])),
    ];
    let delta = prop_oneof![
        Just(json!({ "type": "text_delta", "text": "b" })),
        Just(json!({ "type": "input_json_delta", "partial_json": "{}" })),
        Just(json!({ "type": "input_json_delta", "partial_json": "{\"x\"" })),
        Just(json!({ "type": "signature_delta", "signature": "s" })),
        Just(json!({ "type": "citations_delta", "citation": {} })),
        Just(json!({ "stop_reason": "tool_use" })),
        Just(json!({ "stop_reason": "max_tokens" })),
        Just(json!(null)),
    ];
    // Mostly in the right order, for what is refused at once shows little.
    let index =
        prop_oneof![3 => Just(json!(0)), 2 => Just(json!(1)), 1 => Just(json!(-1)), 1 => Just(json!(null))];
    let kind = prop_oneof![
        1 => Just("message_start"), 4 => Just("content_block_start"), 6 => Just("content_block_delta"),
        4 => Just("content_block_stop"), 2 => Just("message_delta"), 1 => Just("message_stop"), 1 => Just("new"),
    ];
    (kind, index, block, delta).prop_map(|(kind, index, block, delta)| {
        event(&json!({ "type": kind, "index": index, "content_block": block, "delta": delta, "message": {} }))
    })
}

fn of_chat() -> impl Strategy<Value = String> {
    let id = prop_oneof![Just(None), Just(Some("a")), Just(Some("b")), Just(Some(""))];
    let name = prop_oneof![Just(None), Just(Some("A")), Just(Some("B"))];
    let arguments = prop_oneof![Just(""), Just("{}"), Just("{\"x\""), Just(":1}")];
    let call = (0..3_usize, id, name, arguments)
        .prop_map(|(index, id, name, more)| call_piece(index, id, name, more));
    let delta = prop_oneof![
        5 => call,
        1 => Just(json!({ "content": "text" })),
        1 => Just(json!({ "reasoning": "hm" })),
        1 => Just(json!({ "tool_calls": [{ "function": { "name": "C", "arguments": { "y": 2 } } }] })),
        1 => Just(json!(null)),
    ];
    let reason = prop_oneof![8 => Just(None), 1 => Just(Some("tool_calls")), 1 => Just(Some("length"))];
    (delta, reason).prop_map(|(delta, reason): (Value, _)| chunk(&delta, reason))
}

/// One for all cases: making one is slow.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().expect("a runtime can be made"))
}

fn check(model: &dyn Model) {
    let (events, _error) = runtime().block_on(events(model, go()));
    let (mut last, mut ids, mut begun) = (None, BTreeSet::new(), BTreeSet::new());
    for event in events {
        match event {
            ModelEvent::BlockStarted { index, .. } => {
                assert!(begun.insert(index), "block {index} begins twice")
            }
            ModelEvent::Delta { index, .. } => assert!(begun.contains(&index)),
            ModelEvent::Block { index, block } => {
                assert!(begun.contains(&index) && last < Some(index), "block {index} behind {last:?}");
                last = Some(index);
                if let Block::ToolUse(call) = block {
                    assert!(!call.id.as_str().is_empty() && ids.insert(call.id));
                }
            }
            _other => {}
        }
    }
}

fn endpoint(text: &str) -> Endpoint {
    let env = runtime().block_on(async { Env::tokio().expect("a runtime runs") });
    Endpoint::new(env).retry(Retry::never()).transport(Played::new([Answer::stream(&[text.as_bytes()])]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_events_of_the_messages_format(all in proptest::collection::vec(of_messages(), 0..14)) {
        let begin = event(&json!({ "type": "message_start", "message": {} }));
        check(&Messages::new(endpoint(&(begin + &all.concat())), "m-1").expect("the usual address is fine"));
    }

    #[test]
    fn any_chunks_of_chat_completions(all in proptest::collection::vec(of_chat(), 0..14)) {
        check(&Chat::new(endpoint(&all.concat()), "m-1").expect("the usual address is fine"));
    }
}
