//! The recording as the runtime meets it: the model that made the calls, and the bodies that answered them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::{self, StreamExt};
use serde_json::Value;
use toolwright::env::Env;
use toolwright::message::{Block, Content, ToolUse};
use toolwright::pipeline::{Body, BodyResult, BodySource, Stand};
use toolwright::query::{Model, ModelEvent, ModelStream, Request};

use super::options::Arrivals;
use crate::faults::{Fault, Faulty, broken_stream};
use crate::transcript::{self, Call, Outcome, Transcript, Turn};

/// Gives the recorded turns one after another, each after the model's recorded latency.
pub(super) struct RecordedModel {
    env: Env,
    transcript: Arc<Transcript>,
    given: AtomicUsize,
    arrivals: Arrivals,
    faulty: Arc<Faulty>,
}

impl RecordedModel {
    pub(super) fn new(
        env: Env,
        transcript: Arc<Transcript>,
        arrivals: Arrivals,
        faulty: Arc<Faulty>,
    ) -> RecordedModel {
        RecordedModel { env, transcript, given: AtomicUsize::new(0), arrivals, faulty }
    }

    /// How long after the message's beginning a call arrives.
    fn arrival(&self, call: &Call) -> Duration {
        match self.arrivals {
            Arrivals::Together => Duration::ZERO,
            Arrivals::AsRecorded => lasting(call.arrived_ms),
        }
    }
}

impl Model for RecordedModel {
    fn respond(&self, _request: Request) -> ModelStream {
        let given = self.given.fetch_add(1, Ordering::Relaxed);
        let Some(turn) = self.transcript.turns.get(given) else { return Box::pin(stream::empty()) };
        let began = self.env.now() + thinking(turn);
        let calls: Vec<_> = turn.calls.iter().map(|call| (self.arrival(call), tool_use(call))).collect();
        let calls = calls.into_iter().map(|(after, call)| (after, Block::ToolUse(call)));
        let text = turn.text.clone().map(|text| (Duration::ZERO, Block::Text(text)));
        let blocks: Vec<_> = text.into_iter().chain(calls).enumerate().collect();
        let breaks = self.faulty.strikes(Fault::StreamBreaks);
        let whole = if breaks {
            self.env.choose("fault: before which block the message breaks off", blocks.len() + 1)
        } else {
            blocks.len()
        };
        let blocks = stream::iter(blocks.into_iter().take(whole));
        let (own, thinks) = (self.env.clone(), thinking(turn));
        let thought =
            stream::once(async move { pass(&own, thinks).await }).filter_map(|()| std::future::ready(None));
        let env = self.env.clone();
        let spoken = blocks.then(move |(index, (after, block))| {
            let env = env.clone();
            async move {
                pass(&env, (began + after).since(env.now())).await;
                Ok(ModelEvent::Block { index, block })
            }
        });
        let end = stream::iter(breaks.then(|| Err(broken_stream())));
        Box::pin(thought.chain(spoken).chain(end))
    }
}

/// The call as the model made it.
pub(super) fn tool_use(call: &Call) -> ToolUse {
    let input = match &call.input {
        transcript::Input::Json(json) => json.get(),
        transcript::Input::Text(text) => text,
    };
    ToolUse::new(call.id.as_str(), call.name.as_str(), input)
}

/// What the recording shows of each call, by its identifier.
pub(super) type Calls = Arc<BTreeMap<String, Call>>;

/// Answers calls from the recording.
pub(super) struct RecordedBodies {
    pub(super) calls: Calls,
    pub(super) faulty: Arc<Faulty>,
}

impl BodySource for RecordedBodies {
    fn stand(&self, call: &ToolUse) -> Stand {
        // A call that is not in the recording must never run for real.
        let Some(recorded) = self.calls.get(call.id.as_str()) else {
            return Stand::Refuse("the recording does not have this call".to_owned());
        };
        let latency = latency(recorded);
        let (content, is_error) = match &recorded.outcome {
            Outcome::Cancelled { text } => return Stand::Refuse(text.clone()),
            Outcome::Answered { content, is_error } => (content_of(content), *is_error),
            // These two run only when the replay's rules or its person let through what the recording did not.
            Outcome::Denied { .. } | Outcome::Rejected { .. } => (
                Content::from(
                    "the recording does not show what this call would have given: it was not permitted",
                ),
                true,
            ),
            Outcome::Unanswered => (Content::from("the recording has no result for this call"), true),
        };
        Stand::Body(Arc::new(RecordedBody {
            latency,
            result: BodyResult { content, is_error },
            is_remote: call.name.starts_with("mcp__"),
            faulty: Arc::clone(&self.faulty),
        }))
    }
}

struct RecordedBody {
    latency: Duration,
    result: BodyResult,
    is_remote: bool,
    faulty: Arc<Faulty>,
}

#[async_trait]
impl Body for RecordedBody {
    async fn run(&self, env: &Env) -> BodyResult {
        if let Some(befallen) = self.faulty.befalls(self.is_remote, self.latency).await {
            return befallen;
        }
        pass(env, self.latency).await;
        self.result.clone()
    }
}

/// The longest that anything in a recording is taken to have lasted: a week. Broken clocks know no bounds.
const LATENCY_MS_MAX: u64 = 7 * 24 * 3_600_000;

/// How long a call took by itself. A time that was not recorded is taken as none.
pub(super) fn latency(call: &Call) -> Duration {
    lasting(call.service_ms)
}

/// Waits as long as was recorded. No time is no wait: whoever waits lets others go first.
pub(super) async fn pass(env: &Env, time: Duration) {
    if !time.is_zero() {
        env.sleep(time).await;
    }
}

/// How long the model thought before a turn.
pub(super) fn thinking(turn: &Turn) -> Duration {
    lasting(turn.think_ms)
}

fn lasting(ms: Option<u64>) -> Duration {
    Duration::from_millis(ms.unwrap_or(0).min(LATENCY_MS_MAX))
}

fn content_of(content: &transcript::Content) -> Content {
    match content {
        transcript::Content::Text(text) => Content::Text(text.clone()),
        transcript::Content::Blocks(blocks) => {
            let parsed = blocks.iter().map(|block| serde_json::from_str(block.get()).unwrap_or(Value::Null));
            Content::Blocks(parsed.collect())
        }
    }
}
