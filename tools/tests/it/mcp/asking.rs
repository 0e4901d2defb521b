//! Questions about calls in the newer era: they come in the answer to a call, which the client makes again with what its
//! person said.

use serde_json::{Value, json};

use super::serve::{Served, post, served};

const ERA: &str = "2026-07-28";

/// A call as a client of the newer era makes it.
async fn asks(served: &Served, can_be_asked: bool, more: Value) -> Value {
    let at = served.http.address();
    let capabilities = if can_be_asked { json!({"elicitation": {"form": {}}}) } else { json!({}) };
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": ERA,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let mut params = json!({"_meta": meta, "name": "Asks", "arguments": {}});
    params.as_object_mut().expect("it is one").extend(more.as_object().expect("it is one").clone());
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let headers =
        format!("Host: {at}\r\nMCP-Protocol-Version: {ERA}\r\nMcp-Method: tools/call\r\nMcp-Name: Asks\r\n");
    let answer = post(at, &headers, &body).await;
    let data = answer.lines().filter_map(|line| line.strip_prefix("data:").or(Some(line)));
    let mut answers = data.filter_map(|data| serde_json::from_str::<Value>(data.trim()).ok());
    answers.rfind(|answer| answer["id"] == 1).unwrap_or_else(|| panic!("no answer: {answer}"))
}

fn says(allow: bool) -> Value {
    json!({"permission": {"action": "accept", "content": {"allow": allow}}})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_comes_in_the_answer_and_is_answered_by_the_next_request() {
    let served = served().await;
    for (allow, is_error, words) in [(true, false, "it ran"), (false, true, "said no")] {
        let asked = asks(&served, true, json!({})).await;
        let result = &asked["result"];
        assert_eq!(result["resultType"], "input_required", "{asked}");
        let question = &result["inputRequests"]["permission"];
        assert!(question["params"]["message"].as_str().is_some_and(|text| text.contains("Asks")), "{asked}");
        let state = result["requestState"].clone();
        let again = json!({"requestState": state, "inputResponses": says(allow)});
        let done = asks(&served, true, again.clone()).await;
        assert_eq!(done["result"]["isError"], is_error, "{done}");
        assert!(done["result"]["content"][0]["text"].to_string().contains(words), "{done}");
        let twice = asks(&served, true, again).await;
        assert!(
            twice["error"]["message"].as_str().is_some_and(|why| why.contains("no such question")),
            "{twice}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_another_call_or_by_a_guess_runs_nothing() {
    let served = served().await;
    let state = || async { asks(&served, true, json!({})).await["result"]["requestState"].clone() };
    let other = json!({"requestState": state().await, "inputResponses": says(true), "arguments": {"a": 1}});
    let guess = json!({"requestState": "mcp-0", "inputResponses": says(true)});
    for wrong in [other, guess] {
        let answer = asks(&served, true, wrong).await;
        assert!(
            answer["error"]["message"].as_str().is_some_and(|why| why.contains("no such question")),
            "{answer}"
        );
    }
    let silent = asks(&served, true, json!({"requestState": state().await})).await;
    assert_eq!(silent["result"]["isError"], true, "no answer is no yes: {silent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_cannot_be_asked_is_told_so() {
    let denied = asks(&served().await, false, json!({})).await;
    assert_eq!(denied["result"]["isError"], true, "{denied}");
    assert!(denied["result"]["content"][0]["text"].to_string().contains("cannot ask"), "{denied}");
}
