//! Spans for `tracing`: one around each call, one around each of its steps. The only place that knows the names of the
//! semantic conventions for generative AI.

use std::borrow::Borrow;
use std::future::{Future, poll_fn};
use std::pin::Pin;

use tracing::Span;

use crate::message::{CallId, TurnId};

/// The span of one call, from its place in line to its result.
pub(crate) fn of_call(turn: TurnId, call: &CallId, tool: &str) -> Span {
    tracing::info_span!(
        "execute_tool",
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = tool,
        gen_ai.tool.call.id = call.as_str(),
        toolwright.turn = turn.0,
    )
}

/// A step of a call after its input was parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Validate,
    PreHooks,
    Permission,
    Call,
    Map,
}

/// Takes one step within its span.
pub(crate) fn within<F: Future>(step: Step, work: Pin<&mut F>) -> impl Future<Output = F::Output> {
    inside(of_step(step), work)
}

/// Does some work within a span, where it is: what a call does is large.
pub(crate) fn inside<F: Future>(
    span: impl Borrow<Span>,
    mut work: Pin<&mut F>,
) -> impl Future<Output = F::Output> {
    poll_fn(move |cx| span.borrow().in_scope(|| work.as_mut().poll(cx)))
}

/// The span of one step, inside that of its call.
fn of_step(step: Step) -> Span {
    match step {
        Step::Validate => tracing::debug_span!("validate"),
        Step::PreHooks => tracing::debug_span!("pre_hooks"),
        Step::Permission => tracing::debug_span!("permission"),
        Step::Call => tracing::debug_span!("call"),
        Step::Map => tracing::debug_span!("map"),
    }
}
