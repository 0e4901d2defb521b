//! The parts of a transcript.
//!
//! Times are whole milliseconds. A time that is not known is `None`: that is an ordinary state of a
//! recording, and whoever replays it draws from a distribution instead.

use super::Json;

/// The version of the format that this crate writes, and the highest it reads.
pub const VERSION: u32 = 1;

/// The name of a tool that the recording does not name.
pub(crate) const UNNAMED: &str = "unnamed";

/// A recorded session, as far as a replay needs it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    /// What is known of the session as a whole.
    pub header: Header,
    /// The turns in which the model called tools, in the order of the recording.
    // INVARIANT: turn ids are unique, and so are call ids over all turns (the readers see to it).
    pub turns: Vec<Turn>,
}

/// What is known of the session as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Version of the transcript format; see [`VERSION`].
    pub version: u32,
    /// Where the session was recorded.
    pub source: Source,
    /// The folder the session ran in, as recorded.
    pub cwd: Option<String>,
    /// What the source file held beside the turns.
    pub counts: FileCounts,
}

/// Where a session was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Name of the format it was read from: `claude-code`, `toolwright`, …
    pub format: String,
    /// Version of the program that recorded it.
    pub tool_version: Option<String>,
    /// The session's id; the first, when the file holds several.
    pub session: Option<String>,
    /// When it began, as recorded (RFC 3339 in the formats read so far).
    pub started_at: Option<String>,
}

/// What the source file held. The replay does not run sidechains, so a report says how many it left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileCounts {
    /// Messages of sub-agents that called a tool.
    pub sidechain_turns: usize,
    /// Distinct call ids in them.
    pub sidechain_calls: usize,
    /// Distinct calls, those of sub-agents included, to which the file has no result.
    pub calls_without_result: usize,
    /// Distinct ids of results, those of sub-agents included, of which the file has no call.
    pub results_without_call: usize,
}

/// One response of the model that called at least one tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// Id of the message.
    pub id: String,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The permission mode in force, as recorded.
    pub mode: Option<String>,
    /// What the user wrote since the turn before.
    pub prompt: Option<String>,
    /// What the model wrote beside its calls.
    pub text: Option<String>,
    /// The model's latency: from the last line of input (user text or result) to the message's first line.
    pub think_ms: Option<u64>,
    /// The calls in the order the model made them.
    pub calls: Vec<Call>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Id of the call; made up by the reader when the recording has none.
    pub id: String,
    /// Name of the tool, as the model wrote it.
    pub name: String,
    /// The arguments.
    pub input: Input,
    /// When the call arrived, after the turn's first call did.
    pub arrived_ms: Option<u64>,
    /// How long the call took by itself: its end minus the later of its arrival and the last end, not
    /// after its own, among the calls before it in the turn. Waiting in line is so taken out; waiting for
    /// a person is not. A lower bound where calls ran side by side.
    pub service_ms: Option<u64>,
    /// When its result was written, after the turn's first call arrived.
    pub ended_ms: Option<u64>,
    /// What came of it.
    pub outcome: Outcome,
    /// Who let it run, where the recording says so and it was no person.
    pub allowed: Option<Allowed>,
}

/// Who let a call run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// Who: `rule`, `hook`, `classifier`, `mode`, ….
    pub by: String,
    /// The rule, as it was written.
    pub rule: Option<String>,
    /// Where the rule came from, such as `cliArg` or `projectSettings`.
    pub source: Option<String>,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// JSON, byte for byte as recorded.
    Json(Json),
    /// Arguments that are not JSON (or not readable as JSON), as text.
    Text(String),
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The tool, or the program around it, answered.
    Answered {
        /// What it answered.
        content: Content,
        /// Whether the answer was marked as an error.
        is_error: bool,
    },
    /// It was not permitted, without a person being asked.
    Denied {
        /// Who denied it.
        by: DeniedBy,
        /// The recorded words.
        text: String,
    },
    /// A person said no.
    Rejected {
        /// The recorded words.
        text: String,
        /// What the person said should be done instead.
        feedback: Option<String>,
    },
    /// It never ran: a sibling failed, or the turn was interrupted first.
    Cancelled {
        /// The recorded words.
        text: String,
    },
    /// The recording has no result.
    Unanswered,
}

/// Who denied a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeniedBy {
    /// A permission rule.
    Rule,
    /// A hook.
    Hook,
    /// The classifier of auto mode.
    Classifier,
    /// The permission mode: it would have had to ask and there was nobody to ask.
    Mode,
}

/// The content of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// A list of content blocks, each as recorded.
    Blocks(Vec<Json>),
}

impl Transcript {
    /// Every call, in the order of the turns.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.turns.iter().flat_map(|turn| &turn.calls)
    }
}

impl Default for Header {
    fn default() -> Header {
        Header { version: VERSION, source: Source::default(), cwd: None, counts: FileCounts::default() }
    }
}

impl Default for Source {
    fn default() -> Source {
        Source { format: "toolwright".to_owned(), tool_version: None, session: None, started_at: None }
    }
}

impl Outcome {
    /// Whether the model was told of an error, or, for want of a result, has to be.
    pub fn is_error(&self) -> bool {
        match self {
            Outcome::Answered { is_error, .. } => *is_error,
            Outcome::Denied { .. }
            | Outcome::Rejected { .. }
            | Outcome::Cancelled { .. }
            | Outcome::Unanswered => true,
        }
    }
}

impl DeniedBy {
    /// Everyone who can deny, in the order of declaration.
    pub const ALL: [DeniedBy; 4] = [DeniedBy::Rule, DeniedBy::Hook, DeniedBy::Classifier, DeniedBy::Mode];

    /// The word for it in a transcript file.
    pub fn word(self) -> &'static str {
        match self {
            DeniedBy::Rule => "rule",
            DeniedBy::Hook => "hook",
            DeniedBy::Classifier => "classifier",
            DeniedBy::Mode => "mode",
        }
    }
}
