//! Step ⑥: post-hooks, and the result as the model reads it.

use std::panic::AssertUnwindSafe;
use std::pin::pin;

use futures_util::FutureExt;
use serde_json::json;

use super::call::{BodyEnd, Output};
use super::completion::Ended;
use super::guarded::guarded;
use super::run::Running;
use super::seen::Seen;
use crate::contract::{ContextChange, ErasedOutput, ResultLimit};
use crate::env::{Access, Object, panic_message};
use crate::event::Event;
use crate::message::Content;
use crate::scheduler::Fells;
use crate::session::SiblingPolicy;

impl Output {
    /// Runs the hooks after the body, and maps what it gave to the one result. When the call is told to stop in the
    /// meantime, hooks are stopped; the result of a body that has ended stays what it is.
    #[expect(clippy::manual_async_fn, reason = "the state of an `async fn` would hold the output twice")]
    pub(super) fn map(self, running: &Running<'_>) -> impl Future<Output = Ended> + Send {
        async move {
            match self.end {
                BodyEnd::Tool(output) => mapped(running, &self.seen, output, self.was_safe).await,
                end @ (BodyEnd::Given(_)
                | BodyEnd::Failed(_)
                | BodyEnd::Panicked(_)
                | BodyEnd::Cancelled(_)) => Box::pin(other(running, &self.seen, end, self.was_safe)).await,
            }
        }
    }
}

/// The result of a body that ended in another way than with a tool's output.
async fn other(running: &Running<'_>, seen: &Seen, end: BodyEnd, was_safe: bool) -> Ended {
    match end {
        BodyEnd::Tool(output) => mapped(running, seen, output, was_safe).await,
        BodyEnd::Given(result) if result.is_error => {
            let content = result.content;
            seen.after_failure(running, &content.to_text()).await;
            failed(running, content)
        }
        BodyEnd::Given(result) => {
            let content = result.content;
            let output =
                seen.tells_of_success(running).then(|| serde_json::to_value(&content).unwrap_or_default());
            let instead = seen.after_success(running, output).await;
            Ended::good(instead.unwrap_or(content))
        }
        BodyEnd::Failed(mut error) => {
            if let Some(change) = error.take_context_change() {
                change_context(running, change, was_safe).await;
            }
            let content = error.into_content();
            seen.after_failure(running, &content.to_text()).await;
            failed(running, limited(running, content).await)
        }
        BodyEnd::Panicked(message) => {
            let text = format!("the tool panicked: {message}");
            seen.after_failure(running, &text).await;
            failed(running, limited(running, Content::Text(text)).await)
        }
        // Stopping a call is not its failure, so no hook runs.
        BodyEnd::Cancelled(cause) => {
            Ended::error(format!("the call was cancelled while it ran: {cause}"), Fells::Nobody)
        }
    }
}

async fn mapped(
    running: &Running<'_>,
    seen: &Seen,
    mut output: Box<dyn ErasedOutput>,
    was_safe: bool,
) -> Ended {
    let data = seen.tells_of_success(running).then(|| guarded(|| output.to_json()).unwrap_or_default());
    let instead = seen.after_success(running, data).await;
    let change = output.take_context_change();
    let content = instead.map_or_else(|| guarded(|| output.content()), Ok);
    // What few results need is boxed, so that the others need no room for it.
    if let Some(change) = change {
        Box::pin(change_context(running, change, was_safe)).await;
    }
    let content = match content {
        Ok(content) if running.is_too_long(&content) => Box::pin(limited(running, content)).await,
        Ok(content) => content,
        Err(panic) => {
            let text = format!("the tool ran, but panicked while its result was written: {panic}");
            return Ended::error(text, running.any_fells());
        }
    };
    let shown =
        || guarded(|| output.render()).unwrap_or_else(|panic| vec![format!("(cannot be shown: {panic})")]);
    if running.services.env.is_heard() {
        running.show(shown());
    }
    running.put_in(output.take_new_messages());
    Ended::good(content)
}

/// A body ran and failed.
fn failed(running: &Running<'_>, content: Content) -> Ended {
    let fells = match running.services.siblings {
        SiblingPolicy::Marked if running.cancels_siblings => Fells::Siblings,
        SiblingPolicy::Any => Fells::Siblings,
        SiblingPolicy::None | SiblingPolicy::Marked => Fells::Nobody,
    };
    Ended::error(content, fells)
}

/// Only a call that ran alone may change what later calls see; it is still alone here.
async fn change_context(running: &Running<'_>, change: ContextChange, was_safe: bool) {
    let env = &running.services.env;
    env.point(Object::Context, Access::Write).await;
    let call = || running.cx.call.clone();
    let change = || running.services.context.change(|context| change.apply(context));
    if !was_safe && guarded(change).is_ok() {
        env.emit(|| Event::ContextChanged { call: call() });
    } else {
        env.emit(|| Event::ContextChangeDropped { call: call() });
    }
}

/// How many characters of a stored result the model gets at once.
const PREVIEW_CHARS: usize = 2_000;

/// A result within its tool's limit: the text of a larger one is stored whole, and the model gets its beginning and its
/// place. Blocks that are not text stay.
async fn limited(running: &Running<'_>, content: Content) -> Content {
    match running.result_limit {
        ResultLimit::Chars(limit) if running.is_too_long(&content) => {
            Box::pin(shortened(running, content, limit)).await
        }
        ResultLimit::Chars(_) | ResultLimit::Unlimited => content,
    }
}

impl Running<'_> {
    /// Whether a result is over its tool's limit.
    fn is_too_long(&self, content: &Content) -> bool {
        match self.result_limit {
            ResultLimit::Chars(limit) => content.has_more_chars_than(limit),
            ResultLimit::Unlimited => false,
        }
    }
}

/// The beginning of a result, and where all of it is.
async fn shortened(running: &Running<'_>, content: Content, limit: usize) -> Content {
    let chars = content.chars();
    let text = content.to_text();
    let preview: String = text.chars().take(PREVIEW_CHARS.min(limit)).collect();
    let place = match stored(running, text).await {
        Ok(place) => {
            let call = &running.cx.call;
            running.services.env.emit(|| Event::Stored { call: call.clone(), place: place.clone(), chars });
            format!("all of it is in `{place}`")
        }
        Err(error) => format!("the rest is lost, since it could not be stored: {error}"),
    };
    let text =
        format!("the result has {chars} characters, more than {limit}; {place}; it begins:\n{preview}");
    match content {
        Content::Text(_) => Content::Text(text),
        Content::Blocks(blocks) => {
            let others = blocks.into_iter().filter(|block| block["type"] != "text");
            Content::Blocks(std::iter::once(json!({"type": "text", "text": text})).chain(others).collect())
        }
    }
}

/// Where the store keeps a text, or why it does not.
pub(super) async fn stored(running: &Running<'_>, text: String) -> Result<String, String> {
    let services = running.services;
    let keeping = pin!(services.store.keep(&services.env, &running.cx.call, text));
    let keeping = AssertUnwindSafe(keeping).catch_unwind();
    match running.unless_stopped(keeping).await {
        Some(Ok(kept)) => kept.map_err(|error| error.to_string()),
        Some(Err(panic)) => Err(format!("the store panicked: {}", panic_message(&*panic))),
        None => Err("the call was stopped".to_owned()),
    }
}
