//! What a server wants to know before it answers a call, in the newer era of the protocol.

use rmcp::model::{InputRequest, InputRequests, InputResponses};
use serde_json::{Value, json};

use super::link::LinkError;

/// The answers to what a server asks for. It is told the roots; a person's answers it does not get, and models it
/// cannot use.
pub(super) fn answers(
    requests: Option<InputRequests>,
    roots: &Value,
) -> Result<Option<InputResponses>, LinkError> {
    let Some(requests) = requests.filter(|requests| !requests.is_empty()) else { return Ok(None) };
    let answer = |(key, request)| match request {
        InputRequest::ListRoots(_) => Ok((key, roots.clone())),
        InputRequest::Elicitation(_) => Ok((key, json!({"action": "decline"}))),
        _other => {
            Err(LinkError::Refused("it wants something of this program that it does not offer".to_owned()))
        }
    };
    requests.into_iter().map(answer).collect::<Result<InputResponses, LinkError>>().map(Some)
}
