//! A remote tool as one of ours. It asks before it runs, whatever its server says of it.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value};
use toolwright::contract::{CallContext, ErasedTool, Flags, ResultLimit, ToolError};
use toolwright::cut::start_of;
use toolwright::message::Content;

use super::config::ServerConfig;
use super::content::content;
use super::link::{Hints, LinkError, Progress, RemoteTool};
use super::supervised::Supervised;
use crate::described::{DescribedTool, SchemaError};
use crate::one_line::one_line;

/// How many bytes of a description the model reads.
const DESCRIPTION_BYTES_MAX: usize = 2 * 1024;
/// How many bytes of a title are searched in.
const TITLE_BYTES_MAX: usize = 200;
/// How large a schema may be, as text: it is sent with each request from when the tool is loaded.
const SCHEMA_BYTES_MAX: usize = 100_000;
/// How many reports of progress one call is heard for.
const REPORTS_MAX: usize = 1_000;
/// How many bytes of a report's text, or of an error's, are passed on.
const TEXT_BYTES_MAX: usize = 2 * 1024;
/// The largest limit of results that a server may choose for a tool.
const RESULT_CHARS_MAX: usize = 500_000;
/// The words at the root of a schema that providers refuse there.
const ROOT_CHOICES: &[&str] = &["anyOf", "oneOf", "allOf"];

/// A remote tool that cannot be one of ours.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unusable {
    /// Its schema is no schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Its schema is too large.
    #[error("its schema has {0} bytes, of which at most {SCHEMA_BYTES_MAX} are sent with each request")]
    Large(usize),
}

/// The tool that calls `remote` at its server by the name `name`.
pub(super) fn tool(
    name: String,
    remote: &RemoteTool,
    server: &Arc<Supervised>,
) -> Result<Arc<dyn ErasedTool>, Unusable> {
    let config = server.config();
    let hints = remote.annotations.clone().unwrap_or_default();
    let schema = schema_of(remote);
    let bytes = schema.to_string().len();
    if bytes > SCHEMA_BYTES_MAX {
        return Err(Unusable::Large(bytes));
    }
    let description = start_of(remote.description.as_deref().unwrap_or_default(), DESCRIPTION_BYTES_MAX);
    let (to, raw_name) = (Arc::clone(server), remote.name.clone());
    let run = move |input: Value, cx: Arc<CallContext>| {
        let (to, raw_name) = (Arc::clone(&to), raw_name.clone());
        async move { call(&to, &raw_name, input, cx).await }
    };
    let described = DescribedTool::new(name, description, schema, run)?;
    let tool = described.with_flags(flags(&hints)).with_form(|form| {
        let title = remote.title.clone().or(hints.title);
        form.search_hint = title.map(|title| Cow::Owned(start_of(&title, TITLE_BYTES_MAX).to_owned()));
        form.always_load = config.always_load || is_true(&remote.meta, "anthropic/alwaysLoad");
        form.needs_person = is_true(&remote.meta, "anthropic/requiresUserInteraction");
        form.max_result = ResultLimit::Chars(result_limit(config, &remote.meta));
        form.timeout = Some(config.call_timeout);
    });
    Ok(Arc::new(tool))
}

async fn call(
    server: &Supervised,
    tool: &str,
    input: Value,
    cx: Arc<CallContext>,
) -> Result<Content, ToolError> {
    let Value::Object(arguments) = input else {
        return Err(ToolError::new("the input is not an object"));
    };
    let (told, reports) = (Arc::clone(&cx), AtomicUsize::new(0));
    let progress = Arc::new(move |mut progress: Progress| {
        if reports.fetch_add(1, Ordering::Relaxed) >= REPORTS_MAX {
            return;
        }
        progress.message = progress.message.map(|message| start_of(&message, TEXT_BYTES_MAX).to_owned());
        let lines = progress.message.iter().map(|message| one_line(message)).collect();
        told.progress(serde_json::to_value(&progress).unwrap_or_default(), lines);
    });
    let answer = server.call(tool, arguments, progress).await.map_err(|error| {
        let name = &server.config().name;
        match error {
            LinkError::Gone(why) => ToolError::new(format!(
                "the server `{name}` did not answer: {}; it is started again, so the call can be tried once more, unless \
                 it may have had its effect",
                start_of(&why, TEXT_BYTES_MAX)
            )),
            LinkError::Refused(why) => ToolError::new(format!(
                "the server `{name}` refused the call: {}",
                start_of(&why, TEXT_BYTES_MAX)
            )),
        }
    })?;
    let is_error = answer.is_error == Some(true);
    let content = content(answer);
    if is_error { Err(ToolError::new(content)) } else { Ok(content) }
}

/// A server's word that a tool only reads opens concurrency and nothing else.
fn flags(hints: &Hints) -> Flags {
    let only_reads = hints.read_only_hint == Some(true);
    Flags {
        read_only: false,
        destructive: !only_reads && hints.destructive_hint.unwrap_or(true),
        concurrency_safe: only_reads,
    }
}

/// The schema of its input, of a shape that providers take: an object, without a choice at its root.
fn schema_of(remote: &RemoteTool) -> Value {
    let mut schema = remote.input_schema.clone();
    schema.insert("type".to_owned(), Value::from("object"));
    let choices: Vec<Value> = ROOT_CHOICES.iter().filter_map(|word| schema.remove(*word)).collect();
    let branches = choices.iter().filter_map(Value::as_array).flatten();
    let mut properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    for branch in branches {
        for (name, property) in branch.get("properties").and_then(Value::as_object).into_iter().flatten() {
            properties.entry(name.clone()).or_insert_with(|| property.clone());
        }
    }
    if !choices.is_empty() || !schema.contains_key("properties") {
        schema.insert("properties".to_owned(), Value::Object(properties));
    }
    Value::Object(schema)
}

fn is_true(meta: &Map<String, Value>, key: &str) -> bool {
    meta.get(key) == Some(&Value::Bool(true))
}

fn result_limit(config: &ServerConfig, meta: &Map<String, Value>) -> usize {
    let own = meta.get("anthropic/maxResultSizeChars").and_then(Value::as_u64);
    let own = own.and_then(|own| usize::try_from(own).ok()).map(|own| own.min(RESULT_CHARS_MAX));
    own.unwrap_or(config.output_chars_max)
}
