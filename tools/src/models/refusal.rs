//! What a provider says when it does not answer: the kind of it, and when to come again.

use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::Value;
use toolwright::query::{ModelError, ModelErrorKind};

use super::limits::ERROR_CHARS_MAX;
use super::transport::Response;

/// An error as providers write it, in a body or in the stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Said {
    #[serde(rename = "type")]
    kind: Value,
    code: Value,
    message: Value,
}

/// The error that a response with this body means.
pub(super) fn error(response: &Response, body: &str, now: SystemTime) -> ModelError {
    let said = said(body);
    let kind = match said.as_ref().and_then(narrowed) {
        Some(narrower) if response.status >= 400 => narrower,
        _status_alone => of_status(response.status),
    };
    let detail = match said.as_ref().and_then(words) {
        Some(words) => words,
        None if response.status == 200 => {
            let kind = response.header("content-type").unwrap_or("nothing that is named");
            format!("the answer is not a stream of events but `{kind}`, which begins: {}", excerpt(body))
        }
        None if body.trim().is_empty() => "the provider refused without a word".to_owned(),
        None => format!("the provider refused with what is no error of its format: {}", excerpt(body)),
    };
    ModelError::new(kind, detail)
        .with_status(response.status)
        .with_request_id(request_id(response))
        .with_retry_after(retry_after(response, now))
}

/// The error that an `error` object in a stream means.
pub(super) fn in_stream(said: &Said) -> ModelError {
    let kind = narrowed(said).or_else(|| named(said)).unwrap_or(ModelErrorKind::Other);
    let detail = words(said).unwrap_or_else(|| "the provider broke its answer off without a word".to_owned());
    ModelError::new(kind, detail)
}

/// The provider's identifier of the request.
pub(super) fn request_id(response: &Response) -> Option<String> {
    let id = response.header("request-id").or_else(|| response.header("x-request-id"))?;
    Some(id.chars().take(200).collect())
}

fn of_status(status: u16) -> ModelErrorKind {
    match status {
        400 | 422 => ModelErrorKind::InvalidRequest,
        401..=403 => ModelErrorKind::Unauthorised,
        404 => ModelErrorKind::NotFound,
        408 => ModelErrorKind::TimedOut,
        413 => ModelErrorKind::TooLarge,
        409 | 503 | 529 => ModelErrorKind::Overloaded,
        429 => ModelErrorKind::RateLimited,
        500.. => ModelErrorKind::Server,
        200 => ModelErrorKind::Malformed,
        _other => ModelErrorKind::Other,
    }
}

/// What the provider's words say better than a status: that waiting will not help, or that there is too much.
fn narrowed(said: &Said) -> Option<ModelErrorKind> {
    let message = said.message.as_str().unwrap_or_default();
    let is = |name: &str| said.kind == *name || said.code == *name;
    if is("insufficient_quota") || is("billing_error") {
        return Some(ModelErrorKind::Unauthorised);
    }
    let too_long = ["prompt is too long", "maximum context length", "exceed context limit"];
    let is_too_long = too_long.iter().any(|words| message.contains(words));
    let is_too_large = is("context_length_exceeded") || is("request_too_large") || is_too_long;
    is_too_large.then_some(ModelErrorKind::TooLarge)
}

/// The kind by its name, where there is no status.
fn named(said: &Said) -> Option<ModelErrorKind> {
    if let Some(status) = said.code.as_u64().and_then(|code| u16::try_from(code).ok()) {
        return Some(of_status(status)).filter(|_kind| (400..600).contains(&status));
    }
    [&said.kind, &said.code].into_iter().find_map(|name| match name.as_str()? {
        "overloaded_error" | "overloaded" => Some(ModelErrorKind::Overloaded),
        "rate_limit_error" | "rate_limit_exceeded" => Some(ModelErrorKind::RateLimited),
        "authentication_error" | "permission_error" | "invalid_api_key" => Some(ModelErrorKind::Unauthorised),
        "not_found_error" | "model_not_found" => Some(ModelErrorKind::NotFound),
        "invalid_request_error" => Some(ModelErrorKind::InvalidRequest),
        "timeout_error" => Some(ModelErrorKind::TimedOut),
        "api_error" | "server_error" | "internal_server_error" => Some(ModelErrorKind::Server),
        _unknown => None,
    })
}

/// The error in a body: `{"error": {…}}`, `{"error": "…"}`, or the error itself.
fn said(body: &str) -> Option<Said> {
    let Value::Object(mut body) = serde_json::from_str(body).ok()? else { return None };
    match body.remove("error") {
        Some(Value::String(message)) => Some(Said { message: message.into(), ..Said::default() }),
        Some(error) => serde_json::from_value(error).ok(),
        None => serde_json::from_value(Value::Object(body)).ok(),
    }
}

fn words(said: &Said) -> Option<String> {
    let message = said.message.as_str().map(str::trim).filter(|message| !message.is_empty());
    let name = said.kind.as_str().or(said.code.as_str());
    let words = match (name, message) {
        (Some(name), Some(message)) => format!("{name}: {message}"),
        (None, Some(message)) => message.to_owned(),
        (Some(name), None) => name.to_owned(),
        (None, None) => return None,
    };
    Some(words.chars().take(ERROR_CHARS_MAX).collect())
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    let words: Vec<&str> = text.split_whitespace().take(CHARS_MAX).collect();
    let mut line: String = words.join(" ").chars().take(CHARS_MAX).collect();
    line.retain(|char| !char.is_control());
    format!("`{line}`")
}

/// The wait that a provider asks for: in milliseconds, in seconds, or until a date.
fn retry_after(response: &Response, now: SystemTime) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let ms = response.header("retry-after-ms").and_then(number);
    if let Some(wait) = ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1_000.0).ok()) {
        return Some(wait);
    }
    let text = response.header("retry-after")?;
    match number(text) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => {
            let until = httpdate::parse_http_date(text.trim()).ok()?;
            Some(until.duration_since(now).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, headers: &[(&str, &str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Response { status, headers, body: Box::pin(futures_util::stream::empty()) }
    }

    #[test]
    fn the_kind_follows_the_status_and_narrows_by_the_words() {
        use ModelErrorKind::*;
        let quota = r#"{"error":{"type":"insufficient_quota","message":"pay"}}"#;
        let long =
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9"}}"#;
        let table = [
            (400, "{}", InvalidRequest, false),
            (400, long, TooLarge, false),
            (401, r#"{"error":{"type":"invalid_request_error"}}"#, Unauthorised, false),
            (404, "<html>", NotFound, false),
            (408, "", TimedOut, true),
            (409, "", Overloaded, true),
            (413, "", TooLarge, false),
            (429, r#"{"error":"slow down"}"#, RateLimited, true),
            (429, quota, Unauthorised, false),
            (500, "", Server, true),
            (503, "", Overloaded, true),
            (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#, Overloaded, true),
            (302, "", Other, false),
            (204, "", Other, false),
            (200, "<html>", Malformed, false),
        ];
        for (status, body, kind, is_retryable) in table {
            let error = error(&response(status, &[]), body, SystemTime::UNIX_EPOCH);
            assert_eq!((error.kind, error.is_retryable()), (kind, is_retryable), "{status} {body}");
            assert_eq!(error.status, Some(status));
            assert!(!error.detail.is_empty());
        }
    }

    #[test]
    fn the_wait_is_read_in_every_form_that_providers_write() {
        let now = httpdate::parse_http_date("Wed, 21 Oct 2015 07:28:00 GMT").expect("it is a date");
        let table = [
            (("retry-after", "7"), Some(7_000)),
            (("retry-after", " 1.5 "), Some(1_500)),
            (("retry-after-ms", "250"), Some(250)),
            (("retry-after", "Wed, 21 Oct 2015 07:28:09 GMT"), Some(9_000)),
            (("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT"), Some(0)),
            (("retry-after", "-3"), None),
            (("retry-after", "NaN"), None),
            (("retry-after", "inf"), None),
            (("retry-after", "soon"), None),
        ];
        for (header, expected) in table {
            let wait = retry_after(&response(429, &[header]), now);
            assert_eq!(wait, expected.map(Duration::from_millis), "{header:?}");
        }
    }
}
