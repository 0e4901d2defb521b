//! Step ①: the tool is found and its input parsed. Also the seam where a recorded body is put in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::body::{Body, BodySource, Stand};
use crate::contract::{ErasedCall, Origin, Parsed};
use crate::env::panic_message;
use crate::event::Refusal;
use crate::message::{RawInput, ToolResult, ToolUse};
use crate::registry::{Pool, Pooled};
use crate::schema::Coercion;

/// A call whose tool was found and whose input was parsed.
pub(crate) struct ParsedCall {
    pub(super) tool_use: ToolUse,
    pub(super) tool: Arc<Pooled>,
    pub(super) call: Box<dyn ErasedCall>,
    /// What runs instead of the tool's own body.
    pub(super) body: Option<Arc<dyn Body>>,
}

/// A call as it goes into the line: parsed, or refused with its result ready. Both take a place.
pub(crate) enum Planned {
    Parsed { call: ParsedCall, safe: bool, coercions: Vec<Coercion> },
    Refused { tool_use: ToolUse, safe: bool, refused: Refused },
}

/// Why a call ends before its body, and what the model reads.
pub(crate) struct Refused {
    pub(super) step: Refusal,
    pub(super) reason: String,
    pub(super) result: ToolResult,
}

impl Planned {
    /// Whether the call may run beside others that may. What did not parse may not.
    pub(crate) fn is_safe(&self) -> bool {
        match self {
            Planned::Parsed { safe, .. } | Planned::Refused { safe, .. } => *safe,
        }
    }

    pub(crate) fn tool_use(&self) -> &ToolUse {
        match self {
            Planned::Parsed { call, .. } => &call.tool_use,
            Planned::Refused { tool_use, .. } => tool_use,
        }
    }

    /// How other calls name it when it is why they were cancelled.
    pub(crate) fn label(&self) -> Arc<str> {
        match self {
            Planned::Parsed { call, .. } => label(call),
            Planned::Refused { tool_use, .. } => tool_use.name.as_str().into(),
        }
    }
}

/// How many characters of a call's description its label shows.
const LABEL_CHARS_MAX: usize = 40;

fn label(call: &ParsedCall) -> Arc<str> {
    let name = &call.tool_use.name;
    let description = call.call.description();
    if description == *name {
        return name.as_str().into();
    }
    let mut chars = description.chars();
    let mut short: String = chars.by_ref().take(LABEL_CHARS_MAX).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    format!("{name}({short})").into()
}

/// Finds the tool of a call and parses its input. Whatever goes wrong is a result for this call.
pub(crate) fn plan_call(pool: &Pool, bodies: Option<&dyn BodySource>, tool_use: ToolUse) -> Planned {
    let tool = match pool.find(&tool_use.name) {
        Ok(tool) => Arc::clone(tool),
        Err(unknown) => {
            let refused = Refused::new(&tool_use, Refusal::UnknownTool, unknown.to_string());
            return Planned::Refused { tool_use, safe: false, refused };
        }
    };
    match parse(&tool, &tool_use, &tool_use.input, Origin::Model) {
        Err(refused) => Planned::Refused { tool_use, safe: false, refused },
        Ok((parsed, safe)) => match stand(bodies, &tool_use) {
            Stand::Refuse(text) => {
                let mut refused = Refused::new(&tool_use, Refusal::Recorded, text);
                refused.reason = "the recording shows that it never ran".to_owned();
                Planned::Refused { tool_use, safe, refused }
            }
            Stand::Tool => Planned::parsed(tool_use, tool, parsed, safe, None),
            Stand::Body(body) => Planned::parsed(tool_use, tool, parsed, safe, Some(body)),
        },
    }
}

impl Planned {
    fn parsed(
        tool_use: ToolUse,
        tool: Arc<Pooled>,
        parsed: Parsed,
        safe: bool,
        body: Option<Arc<dyn Body>>,
    ) -> Planned {
        let call = ParsedCall { tool_use, tool, call: parsed.call, body };
        Planned::Parsed { call, safe, coercions: parsed.coercions }
    }
}

impl ParsedCall {
    /// The same call with another input. Says whether it is safe now.
    pub(super) fn rewritten(
        self,
        input: &RawInput,
        origin: Origin,
        bodies: Option<&dyn BodySource>,
    ) -> Result<(ParsedCall, bool), Refused> {
        let (parsed, safe) = parse(&self.tool, &self.tool_use, input, origin)?;
        let body = match stand(bodies, &self.tool_use) {
            Stand::Tool => None,
            Stand::Body(body) => Some(body),
            Stand::Refuse(text) => return Err(Refused::new(&self.tool_use, Refusal::Recorded, text)),
        };
        Ok((ParsedCall { call: parsed.call, body, ..self }, safe))
    }
}

impl Refused {
    pub(super) fn new(tool_use: &ToolUse, step: Refusal, text: String) -> Refused {
        let reason = text.lines().next().unwrap_or_default().to_owned();
        Refused { step, reason, result: ToolResult::error(tool_use.id.clone(), text) }
    }
}

/// Parses an input and judges whether the call is safe. Flags are the tool author's code, so a panic in it is caught:
/// the call is refused, and its siblings run.
fn parse(
    tool: &Pooled,
    tool_use: &ToolUse,
    input: &RawInput,
    origin: Origin,
) -> Result<(Parsed, bool), Refused> {
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let parsed = tool.parse(input, origin)?;
        let safe = parsed.call.flags().concurrency_safe;
        Ok((parsed, safe))
    }));
    match parsed {
        Ok(Ok(parsed)) => Ok(parsed),
        Ok(Err(errors)) => {
            let errors: crate::schema::InputErrors = errors;
            let text = format!("the input of `{}` does not fit:\n{errors}", tool_use.name);
            Err(Refused::new(tool_use, Refusal::Input, text))
        }
        Err(panic) => {
            let text = format!(
                "the tool `{}` panicked while it read its input: {}",
                tool_use.name,
                panic_message(&*panic)
            );
            Err(Refused::new(tool_use, Refusal::Input, text))
        }
    }
}

fn stand(bodies: Option<&dyn BodySource>, tool_use: &ToolUse) -> Stand {
    bodies.map_or(Stand::Tool, |bodies| bodies.stand(tool_use))
}
