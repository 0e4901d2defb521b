//! Step ①: the tool is found and its input parsed. Also the seam where a recorded body is put in.

use std::sync::Arc;

use super::body::{Body, BodySource, Stand};
use super::guarded::guarded;
use super::run::Services;
use crate::contract::{Converted, ErasedCall, Flags, Origin, Parsed};
use crate::env::Env;
use crate::event::Refusal;
use crate::hooks::HookCall;
use crate::message::{CallId, RawInput, ToolUse};
use crate::mutant::Mutant;
use crate::registry::{Pool, Pooled};
use crate::session::SiblingPolicy;

/// A call whose tool was found and whose input was parsed.
pub(crate) struct ParsedCall {
    /// In a box, since all that a call becomes is moved with it, and it is needed when the call itself is used up.
    pub(super) known: Box<Known>,
    pub(super) call: Box<dyn ErasedCall>,
}

/// What is known of a call beside its typed input.
pub(super) struct Known {
    /// The call as hooks see it: its identifier, the name that the model wrote, and the input that it was parsed from,
    /// conversions made.
    pub(super) seen: HookCall,
    /// The input as the model wrote it, where it is another.
    written: Option<RawInput>,
    pub(super) tool: Arc<Pooled>,
    /// What is true of this input: flags are asked once for each input, when it is parsed.
    pub(super) flags: Flags,
    /// What runs instead of the tool's own body.
    pub(super) body: Option<Arc<dyn Body>>,
}

/// A call as it goes into the line: parsed, or refused with its result ready. Both take a place.
pub(crate) enum Planned {
    Parsed { call: ParsedCall, converted: Option<Box<Converted>> },
    Refused(Box<RefusedCall>),
}

/// A call that ends before its steps, at its place in line.
pub(crate) struct RefusedCall {
    pub(super) tool_use: ToolUse,
    label: Arc<str>,
    safe: bool,
    pub(super) refused: Refused,
}

/// Why a call ends before its body, and what the model reads.
pub(crate) struct Refused {
    pub(super) step: Refusal,
    pub(super) reason: String,
    pub(super) text: String,
}

impl Planned {
    /// Whether the call may run beside others that may. What did not parse may not.
    pub(crate) fn is_safe(&self) -> bool {
        match self {
            Planned::Parsed { call, .. } => call.known.flags.concurrency_safe,
            Planned::Refused(call) => call.safe,
        }
    }

    pub(crate) fn id(&self) -> &CallId {
        match self {
            Planned::Parsed { call, .. } => &call.known.seen.call,
            Planned::Refused(call) => &call.tool_use.id,
        }
    }

    /// The tool's name, as the model wrote it.
    pub(crate) fn tool(&self) -> &str {
        match self {
            Planned::Parsed { call, .. } => &call.known.seen.tool,
            Planned::Refused(call) => &call.tool_use.name,
        }
    }

    /// The input, as the model wrote it.
    pub(crate) fn written(&self) -> &RawInput {
        match self {
            Planned::Parsed { call, .. } => call.known.written(),
            Planned::Refused(call) => &call.tool_use.input,
        }
    }

    /// Whether anybody may name it: who is told of events, or other calls, when it is why they were cancelled.
    pub(crate) fn may_be_named(&self, services: &Services) -> bool {
        let fells = match (services.siblings, self) {
            (SiblingPolicy::None, _) => false,
            (SiblingPolicy::Marked, Planned::Parsed { call, .. }) => call.known.tool.form().cancels_siblings,
            (SiblingPolicy::Marked, Planned::Refused(_)) => false,
            (SiblingPolicy::Any, _) => true,
        };
        fells || services.env.is_heard()
    }

    /// How other calls name it when it is why they were cancelled.
    pub(crate) fn label(&self) -> Arc<str> {
        match self {
            Planned::Parsed { call, .. } => label(&call.known.seen.tool, call.call.as_ref()),
            Planned::Refused(call) => Arc::clone(&call.label),
        }
    }
}

/// How many characters of a call's description its label shows.
const LABEL_CHARS_MAX: usize = 60;

/// One line about a call; the tool's name when the tool cannot say.
fn description(name: &str, call: &dyn ErasedCall) -> String {
    guarded(|| call.description()).unwrap_or_else(|_panic| name.to_owned())
}

/// `Name(what it does)`: the description, without the name where it begins with it.
fn label(name: &str, call: &dyn ErasedCall) -> Arc<str> {
    let description = description(name, call);
    let rest = description.strip_prefix(name).unwrap_or(&description).trim();
    if rest.is_empty() {
        return name.into();
    }
    let mut chars = rest.chars();
    let mut short: String = chars.by_ref().take(LABEL_CHARS_MAX).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    format!("{name}({short})").into()
}

/// Finds the tool of a call and parses its input. Whatever goes wrong is a result for this call.
pub(crate) fn plan_call(
    env: &Env,
    pool: &Pool,
    bodies: Option<&dyn BodySource>,
    tool_use: ToolUse,
) -> Planned {
    let tool = match pool.find(&tool_use.name) {
        Ok(tool) => Arc::clone(tool),
        Err(unknown) => {
            let refused = Refused::new(Refusal::UnknownTool, unknown.to_string());
            return Planned::refused(tool_use, refused);
        }
    };
    if let Err(not_loaded) = pool.check_loaded(&tool)
        && !passes_unloaded(env, pool)
    {
        return Planned::refused(tool_use, Refused::new(Refusal::NotLoaded, not_loaded.to_string()));
    }
    match parse(&tool, &tool_use.name, &tool_use.input, Origin::Model) {
        Err(refused) => Planned::refused(tool_use, refused),
        Ok((parsed, flags)) => match stand(bodies, || tool_use.clone()) {
            Ok(body) => {
                let ToolUse { id, name, input } = tool_use;
                let (input, written) = match &parsed.converted {
                    Some(converted) => (converted.input.clone(), Some(input)),
                    None => (input, None),
                };
                let seen = HookCall { call: id, tool: name, input };
                let known = Box::new(Known { seen, written, tool, flags, body });
                let call = ParsedCall { known, call: parsed.call };
                Planned::Parsed { call, converted: parsed.converted }
            }
            Err(refused) => {
                let label = label(&tool_use.name, parsed.call.as_ref());
                let safe = flags.concurrency_safe;
                Planned::Refused(Box::new(RefusedCall { tool_use, label, safe, refused }))
            }
        },
    }
}

/// Whether a bug lets a tool pass that is not loaded.
fn passes_unloaded(env: &Env, pool: &Pool) -> bool {
    let was_refused = env.mutants().is_flagged(Mutant::RefusedOnce);
    env.mutants().flag(Mutant::RefusedOnce);
    was_refused || (env.mutants().has(Mutant::LoadedTogether) && !pool.loaded().is_empty())
}

impl Planned {
    /// A call that did not get as far as being judged: it runs alone.
    fn refused(tool_use: ToolUse, refused: Refused) -> Planned {
        let label = tool_use.name.as_str().into();
        Planned::Refused(Box::new(RefusedCall { tool_use, label, safe: false, refused }))
    }
}

impl ParsedCall {
    /// The same call with another input, and what had to be converted in it.
    pub(super) fn rewritten(
        self,
        input: &RawInput,
        origin: Origin,
        bodies: Option<&dyn BodySource>,
    ) -> Result<(ParsedCall, Option<Box<Converted>>), Refused> {
        let ParsedCall { mut known, .. } = self;
        let (parsed, flags) = parse(&known.tool, &known.seen.tool, input, origin)?;
        known.body = stand(bodies, || known.tool_use())?;
        let before = std::mem::replace(&mut known.seen.input, parsed.input(input).clone());
        known.written.get_or_insert(before);
        known.flags = flags;
        Ok((ParsedCall { known, call: parsed.call }, parsed.converted))
    }

    /// One line about the call; the tool's name when the tool cannot say.
    pub(super) fn description(&self) -> String {
        description(&self.known.seen.tool, self.call.as_ref())
    }

    /// The call as a person reads it: the tool's name for a person, and the line about the call.
    pub(super) fn headline(&self) -> String {
        let name = guarded(|| self.call.user_facing_name());
        let name = name.unwrap_or_else(|_panic| self.known.seen.tool.clone());
        format!("{name}: {}", self.description())
    }
}

impl Known {
    /// The call as the model made it.
    fn tool_use(&self) -> ToolUse {
        ToolUse { id: self.seen.call.clone(), name: self.seen.tool.clone(), input: self.written().clone() }
    }

    /// The texts of its input: as the model wrote it, and as it would run.
    pub(super) fn inputs(&self) -> [&RawInput; 2] {
        [self.written(), &self.seen.input]
    }

    /// The input as the model wrote it.
    fn written(&self) -> &RawInput {
        self.written.as_ref().unwrap_or(&self.seen.input)
    }
}

impl Refused {
    pub(super) fn new(step: Refusal, text: String) -> Refused {
        let reason = text.lines().next().unwrap_or_default().to_owned();
        Refused { step, reason, text }
    }
}

/// Parses an input and asks the call for its flags. Flags are the tool author's code, so a panic in it is caught:
/// the call is refused, and its siblings run.
fn parse(tool: &Pooled, name: &str, input: &RawInput, origin: Origin) -> Result<(Parsed, Flags), Refused> {
    let parsed = guarded(|| {
        let parsed = tool.parse(input, origin)?;
        let flags = parsed.call.flags();
        Ok((parsed, flags))
    });
    match parsed {
        Ok(Ok(parsed)) => Ok(parsed),
        Ok(Err(errors)) => {
            let errors: crate::schema::InputErrors = errors;
            let text = format!("the input of `{name}` does not fit:\n{errors}");
            let reason = errors.problems.first().map(ToString::to_string).unwrap_or_default();
            Err(Refused { reason, ..Refused::new(Refusal::Input, text) })
        }
        Err(panic) => {
            let text = format!("the tool `{name}` panicked while it read its input: {panic}");
            Err(Refused::new(Refusal::Input, text))
        }
    }
}

/// What runs in place of the tool's own body, if anything.
fn stand(
    bodies: Option<&dyn BodySource>,
    tool_use: impl Fn() -> ToolUse,
) -> Result<Option<Arc<dyn Body>>, Refused> {
    let Some(bodies) = bodies else { return Ok(None) };
    let tool_use = tool_use();
    match guarded(|| bodies.stand(&tool_use)) {
        Ok(Stand::Tool) => Ok(None),
        Ok(Stand::Body(body)) => Ok(Some(body)),
        Ok(Stand::Refuse(text)) => {
            let reason = "the recording shows that it never ran".to_owned();
            Err(Refused { reason, ..Refused::new(Refusal::Recorded, text) })
        }
        Err(panic) => {
            let text = format!("what stands in for the body of `{}` panicked: {panic}", tool_use.name);
            Err(Refused::new(Refusal::Recorded, text))
        }
    }
}
