//! The events themselves. Their JSON form is public: tools outside this project read it.

use serde::Serialize;
use serde_json::Value;

use super::{Digest, SentTools};
use crate::hooks::HookStage;
use crate::message::{CallId, Content, TurnId};
use crate::permission::{Behavior, Destination, Mode, Source};
use crate::schema::Coercion;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A turn began: so many calls in so many batches, where the whole message has come.
    TurnStarted {
        /// The turn.
        turn: TurnId,
        /// How many calls it has; nothing while its message still streams.
        #[serde(skip_serializing_if = "Option::is_none")]
        calls: Option<usize>,
        /// How many batches they make; nothing while its message still streams.
        #[serde(skip_serializing_if = "Option::is_none")]
        batches: Option<usize>,
        /// The agent whose turn it is; nothing for the main one.
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
    },
    /// A session within another began: that of an agent.
    AgentStarted {
        /// The agent.
        agent: String,
        /// What kind of agent it is.
        kind: String,
        /// The call that started it, where a call did.
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// The agent that it is within; nothing for the main one.
        #[serde(skip_serializing_if = "Option::is_none")]
        above: Option<String>,
        /// Its mode.
        mode: Mode,
        /// The mode of the session above.
        mode_above: Mode,
        /// Its tools.
        tools: Vec<String>,
        /// The tools of the session above.
        tools_above: Vec<String>,
    },
    /// A session entered another mode.
    ModeChanged {
        /// The agent whose mode it is; nothing for the main one.
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        /// The mode.
        mode: Mode,
    },
    /// A model was asked.
    Requested {
        /// The agent for which; nothing for the main one.
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        /// The tools that it was told of.
        tools: SentTools,
    },
    /// A call was found, parsed and given its place.
    Planned {
        /// The turn.
        turn: TurnId,
        /// The call.
        call: CallId,
        /// Its place in the turn, from 0.
        index: usize,
        /// The batch it is in, from 0.
        batch: usize,
        /// The tool's name, as the model wrote it.
        tool: String,
        /// Whether it may run beside other safe calls.
        safe: bool,
        /// The call in a few words, such as `Bash(cargo test)`.
        label: String,
        /// The tool's own name, where it is a deferred one, loaded or not.
        #[serde(skip_serializing_if = "Option::is_none")]
        deferred: Option<String>,
    },
    /// An argument came in another JSON type than the schema's and was converted without loss.
    Coerced {
        /// The call.
        call: CallId,
        /// What was converted.
        #[serde(flatten)]
        coercion: Coercion,
    },
    /// The call ended before its body: it has its result, and no body will run.
    Refused {
        /// The call.
        call: CallId,
        /// At which step.
        step: Refusal,
        /// Why, for a person.
        reason: String,
    },
    /// A hook began.
    HookStarted {
        /// The call, where it is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// The hook's name.
        hook: String,
        /// What it is for.
        stage: HookStage,
    },
    /// A hook ended.
    HookFinished {
        /// The call, where it is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// The hook's name.
        hook: String,
        /// What it is for.
        stage: HookStage,
        /// What it said, in a word: `abstained`, `allowed`, `asked`, `blocked`, `denied`, `rewrote`, `stopped`; or how
        /// it ended without a word: `failed`, `timed out`, `cancelled`.
        answer: &'static str,
    },
    /// A hook has something to tell the person, or failed and was passed over.
    HookNotice {
        /// The call, where it is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// The hook's name.
        hook: String,
        /// What it is for.
        stage: HookStage,
        /// What it is.
        text: String,
    },
    /// The rules did not settle it: the question went to those who may claim it.
    Asked {
        /// The call.
        call: CallId,
        /// Why it asks.
        reason: String,
        /// Who may answer.
        racers: Vec<String>,
        /// The input that they are shown.
        input: Digest,
    },
    /// The killswitch speaks of the call as it is now: with this input it runs only if a person says yes to it.
    Killswitch {
        /// The call.
        call: CallId,
        /// The input.
        input: Digest,
        /// Why.
        reason: String,
    },
    /// A question was withdrawn before it was answered, since what it depends on has changed; the call is judged again.
    Withdrawn {
        /// The call.
        call: CallId,
        /// What has changed.
        reason: String,
    },
    /// A rule was granted with an answer, and is in force from now on.
    Remembered {
        /// The call whose question was answered.
        call: CallId,
        /// The rule.
        rule: String,
        /// What it says.
        behavior: Behavior,
        /// Where it is kept.
        destination: Destination,
    },
    /// A rule was granted with an answer and could not be kept, or not for as long as was wanted.
    NotRemembered {
        /// The call whose question was answered.
        call: CallId,
        /// The rule.
        rule: String,
        /// Why, and what that means.
        reason: String,
    },
    /// An answer that came after the question was claimed, or when it was another question already; it was dropped.
    LateAnswer {
        /// The call.
        call: CallId,
        /// Whose answer.
        by: String,
    },
    /// It was decided whether the call may run.
    Decided(Decided),
    /// A rewrite changed whether the call is safe beside others.
    Rejudged {
        /// The call.
        call: CallId,
        /// Whether it is safe now.
        safe: bool,
    },
    /// The body began.
    Started {
        /// The call.
        call: CallId,
        /// The input that runs, conversions made.
        input: Digest,
    },
    /// The body reported progress.
    Progress {
        /// The call.
        call: CallId,
        /// What it reported.
        data: Value,
        /// What a person sees of it, a line each, in place of what was reported before.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        lines: Vec<String>,
    },
    /// The body ended.
    Finished {
        /// The call.
        call: CallId,
        /// How.
        outcome: Outcome,
    },
    /// A result was too large for the conversation and was stored whole.
    Stored {
        /// The call.
        call: CallId,
        /// Where the whole result is.
        place: String,
        /// How many characters it has.
        chars: usize,
    },
    /// A call that was safe beside others wanted to change the context; the change was dropped.
    ContextChangeDropped {
        /// The call.
        call: CallId,
    },
    /// A call changed the context of later calls.
    ContextChanged {
        /// The call.
        call: CallId,
    },
    /// What a person sees of the call now that it has ended.
    Rendered {
        /// The call.
        call: CallId,
        /// The lines, as plain text.
        lines: Vec<String>,
    },
    /// A second result for a call that has one; it was dropped.
    ResultRefused {
        /// The call.
        call: CallId,
    },
    /// The one result, handed over in the order of the calls.
    Result {
        /// The turn.
        turn: TurnId,
        /// The call.
        call: CallId,
        /// Whether it is an error.
        is_error: bool,
        /// What the model reads.
        content: Content,
    },
    /// Deferred tools were loaded: from the next request on the model has their definitions.
    ToolsLoaded {
        /// The agent that loaded them; nothing for the main one.
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        /// Their names.
        tools: Vec<String>,
    },
    /// The session has other tools than before.
    ToolsChanged {
        /// Those that came.
        added: Vec<String>,
        /// Those that went.
        removed: Vec<String>,
        /// Those of which there is another version.
        renewed: Vec<String>,
        /// When: `arrival` while the session runs, behind the others; `compaction` anew.
        boundary: &'static str,
    },
    /// Every call of the turn has its result.
    TurnEnded {
        /// The turn.
        turn: TurnId,
    },
}

/// Who decided whether a call may run, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decided {
    /// The call.
    pub call: CallId,
    /// The answer.
    pub decision: Verdict,
    /// Who gave it: `rule`, `mode`, `hook`, `person`, `classifier`, `killswitch`, `tool`, ….
    pub by: String,
    /// The rule it follows, as written, with its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The source of that rule, by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Why, for a person.
    pub reason: String,
    /// The input that it is about; nothing where it was no question yet, as when a hook denied the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Digest>,
    /// Whether the answer put this input in the place of the one that was asked about.
    #[serde(skip_serializing_if = "is_false")]
    pub is_rewritten: bool,
}

/// Whether a flag need not be written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Whether a call may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}

/// The step at which a call ended without a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No tool of that name is in the pool.
    UnknownTool,
    /// The model has never seen the schema of the tool, which is deferred.
    NotLoaded,
    /// The input does not fit the schema.
    Input,
    /// The tool refused the input.
    Validation,
    /// It was allowed with another input, which a rule closed again.
    Closed,
    /// It was cancelled while it waited.
    Cancelled,
    /// The recording shows that it never ran.
    Recorded,
    /// The call's task ended without a result of its own.
    Lost,
}

/// How a body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With a result.
    Ok,
    /// With an error.
    Error,
    /// It was stopped.
    Cancelled,
    /// It panicked.
    Panicked,
}
