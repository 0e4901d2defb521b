//! One request of a hook, and its answer within the limit.

use std::error::Error;

use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use toolwright::hooks::{HookFailure, HttpHook, HttpReply};

use super::OUTPUT_BYTES_MAX;

/// Sends a request and takes the answer.
pub(super) async fn send(client: &reqwest::Client, hook: &HttpHook) -> Result<HttpReply, HookFailure> {
    let mut request = client.post(&hook.url).header(CONTENT_TYPE, "application/json");
    for (name, value) in &hook.headers {
        let cannot = || HookFailure::NotStarted(format!("the header `{name}` cannot be sent"));
        let mut header = HeaderValue::from_str(value).map_err(|_error| cannot())?;
        // It may hold what was filled in from the environment.
        header.set_sensitive(true);
        request = request.header(HeaderName::try_from(name).map_err(|_error| cannot())?, header);
    }
    let mut response = request.body(hook.body.clone()).send().await.map_err(|error| {
        if error.is_builder() {
            HookFailure::NotStarted(in_words(error))
        } else {
            HookFailure::Broken(in_words(error))
        }
    })?;
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| HookFailure::Broken(in_words(error)))? {
        if body.len() + piece.len() > OUTPUT_BYTES_MAX {
            return Err(HookFailure::Broken(format!("its answer is longer than {OUTPUT_BYTES_MAX} bytes")));
        }
        body.extend_from_slice(&piece);
    }
    Ok(HttpReply { status, body: String::from_utf8_lossy(&body).into_owned() })
}

/// An error and its causes. The address is left out: it may hold a key.
fn in_words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words.push_str(": ");
        words.push_str(&error.to_string());
        cause = error.source();
    }
    words
}
