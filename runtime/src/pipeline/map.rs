//! Step ⑥: post-hooks, and the result as the model reads it.

use super::call::{BodyEnd, Output};
use super::completion::Completion;
use super::run::Running;
use crate::contract::{ErasedOutput, ResultLimit};
use crate::event::Event;
use crate::message::{CallId, Content, Message, ToolResult};
use crate::scheduler::Fells;
use crate::session::SiblingPolicy;

impl Output {
    /// Runs the hooks after the body, and maps what it gave to the one result.
    pub(super) async fn map(mut self, running: &Running<'_>) -> (Completion, Fells) {
        let services = running.services;
        let hooks = &services.askable.hooks;
        let call = self.hook_call.call.clone();
        let mut new_messages = Vec::new();
        let (content, is_error, shown) = match self.end {
            BodyEnd::Tool(mut output) => {
                self.context
                    .extend(hooks.post_tool_use(&services.env, &self.hook_call, &output.to_json()).await);
                new_messages = output.take_new_messages();
                change_context(running, &call, output.as_mut(), self.was_safe);
                let shown = output.render();
                (limited(running, &call, output.content()).await, false, shown)
            }
            BodyEnd::Given(given) if given.is_error => {
                self.context.extend(
                    hooks
                        .post_tool_use_failure(&services.env, &self.hook_call, &given.content.to_text())
                        .await,
                );
                (given.content, true, Vec::new())
            }
            BodyEnd::Given(given) => {
                let output = serde_json::to_value(&given.content).unwrap_or_default();
                self.context.extend(hooks.post_tool_use(&services.env, &self.hook_call, &output).await);
                (given.content, false, Vec::new())
            }
            BodyEnd::Failed(content) => {
                self.context.extend(
                    hooks.post_tool_use_failure(&services.env, &self.hook_call, &content.to_text()).await,
                );
                (limited(running, &call, content).await, true, Vec::new())
            }
            BodyEnd::Panicked(message) => {
                let text = format!("the tool panicked: {message}");
                self.context.extend(hooks.post_tool_use_failure(&services.env, &self.hook_call, &text).await);
                (Content::Text(text), true, Vec::new())
            }
            // Stopping a call is not its failure, so no hook runs.
            BodyEnd::Cancelled(cause) => {
                let text = format!("the call was cancelled while it ran: {cause}");
                let completion = Completion::error(&call, text);
                return (completion, Fells::Nobody);
            }
        };
        new_messages.extend(self.context.into_iter().map(note));
        running.render(shown);
        let fells = match running.services.siblings {
            SiblingPolicy::Marked if is_error && running.cancels_siblings => Fells::Siblings,
            SiblingPolicy::Any if is_error => Fells::Siblings,
            SiblingPolicy::None | SiblingPolicy::Marked | SiblingPolicy::Any => Fells::Nobody,
        };
        (Completion { result: ToolResult { tool_use_id: call, content, is_error }, new_messages }, fells)
    }
}

/// A note of a hook, for the model.
pub(super) fn note(context: String) -> Message {
    Message { is_meta: true, ..Message::user(context) }
}

/// Only a call that ran alone may change what later calls see; it is still alone here.
fn change_context(running: &Running<'_>, call: &CallId, output: &mut dyn ErasedOutput, was_safe: bool) {
    let Some(change) = output.take_context_change() else { return };
    let env = &running.services.env;
    if was_safe {
        env.emit(|| Event::ContextChangeDropped { call: call.clone() });
    } else {
        running.services.context.change(|context| change.apply(context));
        env.emit(|| Event::ContextChanged { call: call.clone() });
    }
}

/// How many characters of a stored result the model gets at once.
const PREVIEW_CHARS: usize = 2_000;

/// A result within its tool's limit: a larger one is stored whole, and the model gets its beginning and its place.
async fn limited(running: &Running<'_>, call: &CallId, content: Content) -> Content {
    let ResultLimit::Chars(limit) = running.result_limit else { return content };
    let chars = content.chars();
    if chars <= limit {
        return content;
    }
    let services = running.services;
    let text = content.to_text();
    let preview: String = text.chars().take(PREVIEW_CHARS.min(limit)).collect();
    let place = match services.store.keep(&services.env, call, text).await {
        Ok(place) => {
            services.env.emit(|| Event::Stored { call: call.clone(), place: place.clone(), chars });
            format!("the whole result is in `{place}`")
        }
        Err(error) => format!("the rest is lost, since it could not be stored: {error}"),
    };
    Content::Text(format!(
        "the result has {chars} characters, more than {limit}; {place}; it begins:\n{preview}"
    ))
}
