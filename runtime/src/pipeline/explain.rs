//! What would be decided about a call, without running it: the pipeline's own parse, and the gate's own judgement.

use std::sync::Arc;

use super::guarded::guarded;
use super::parsed::{Planned, plan_call};
use super::run::Services;
use crate::contract::{CallContext, Opinion};
use crate::env::Cancellation;
use crate::hooks::HookCall;
use crate::message::{Message, ToolUse, TurnId};
use crate::permission::{self, Explained, Subject};
use crate::registry::Pool;

/// Why nothing can be said of a call: it would get no further than its parse. The text is what the model would read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotExplained(pub String);

/// Parses a call and asks the gate about it.
pub(crate) async fn explain(
    services: &Services,
    pool: &Pool,
    tool_use: ToolUse,
    conversation: Arc<Vec<Message>>,
) -> Result<Explained, NotExplained> {
    let parsed = match plan_call(pool, None, tool_use) {
        Planned::Parsed { call, .. } => call,
        Planned::Refused { refused, .. } => return Err(NotExplained(refused.text)),
    };
    let cx = CallContext {
        env: services.env.clone(),
        call: parsed.tool_use.id.clone(),
        turn: TurnId(0),
        message: None,
        context: services.context.now(),
        context_tokens: None,
        places: None,
        within: None,
        facts: Arc::clone(&services.facts),
        cancellation: Cancellation::new(),
        files: services.files_seen.clone(),
        conversation,
    };
    let opinion: Opinion = parsed.call.check_permissions(&cx).await;
    // What a tool says of itself is its author's code.
    let told = guarded(|| parsed.call.effects(&cx.context.for_effects()));
    let effects =
        told.map_err(|panic| NotExplained(format!("the tool panicked while it told its effects: {panic}")))?;
    let files = services.files.as_ref();
    let inputs = [&parsed.tool_use.input, &parsed.input];
    let subject = Subject::new(parsed.tool.form(), parsed.flags, effects, inputs, &cx.context, files);
    let rules = services.rules.now();
    let has_person = cx.facts.has_person;
    let call = HookCall {
        call: parsed.tool_use.id.clone(),
        tool: parsed.tool_use.name.clone(),
        input: parsed.input.clone(),
    };
    let hooks = services.askable.hooks.for_call(&call, &subject, files).before(&call.tool);
    let explained = permission::explain(
        &subject,
        rules.in_mode(cx.context.mode),
        services.profile,
        &opinion,
        has_person,
        files,
    );
    Ok(Explained { hooks, ..explained })
}
