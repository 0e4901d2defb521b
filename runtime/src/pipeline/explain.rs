//! What would be decided about a call, without running it: the pipeline's own parse, and the gate's own judgement.

use std::sync::{Arc, OnceLock};

use super::guarded::guarded;
use super::parsed::{Planned, plan_call};
use super::run::Services;
use crate::contract::{CallContext, Opinion, TurnFacts};
use crate::env::Cancellation;
use crate::message::{Message, ToolUse};
use crate::permission::{self, Explained, Present, Ready, Subject};
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
    let parsed = match plan_call(&services.env, pool, None, tool_use) {
        Planned::Parsed { call, .. } => call,
        Planned::Refused(call) => return Err(NotExplained(call.refused.text)),
    };
    let cx = CallContext {
        call: parsed.known.seen.call.clone(),
        turn: Arc::new(TurnFacts { conversation, ..services.facts_of_turn() }),
        context: services.context.now(),
        cancellation: Cancellation::new(),
        places: OnceLock::new(),
    };
    let opinion: Opinion = parsed.call.check_permissions(&cx).await;
    // What a tool says of itself is its author's code.
    let told = guarded(|| parsed.call.effects(&cx.context.for_effects()));
    let effects =
        told.map_err(|panic| NotExplained(format!("the tool panicked while it told its effects: {panic}")))?;
    let files = services.files.as_ref();
    let form = parsed.known.tool.form();
    let subject = Subject::new(form, parsed.known.flags, effects, parsed.known.inputs(), &cx.context, files);
    let rules = services.rules.now();
    let hooks = services.askable.hooks.for_call(&parsed.known.seen, &subject, files);
    let present = Present {
        hooks: hooks.answer(&parsed.known.seen.tool),
        // It only denies, and is not asked here.
        classifier: Ready::No,
        person: services.facts.has_person,
    };
    let hooks = hooks.before(&parsed.known.seen.tool);
    let explained = permission::explain(
        &subject,
        rules.in_mode(cx.context.mode),
        services.profile,
        &opinion,
        present,
        files,
    );
    Ok(Explained { hooks, ..explained })
}
