//! A call of a live session between its beginning and its result, and what the transcript says came of it.

use toolwright::env::Tick;
use toolwright::event::{Decided, Refusal};
use toolwright::message;

use super::{Allowed, Call, Content, DeniedBy, Json, Outcome};

/// A call that has no result yet.
pub(super) struct Open {
    pub(super) call: Call,
    turn_began: Tick,
    began: Option<Tick>,
    pub(super) ended: Option<Tick>,
    pub(super) refused: Option<Refusal>,
    pub(super) denied: Option<Decided>,
}

impl Open {
    pub(super) fn new(call: Call, turn_began: Tick) -> Open {
        Open { call, turn_began, began: None, ended: None, refused: None, denied: None }
    }

    /// Something happened to it, so it is no longer in line.
    pub(super) fn begin(&mut self, at: Tick) {
        self.began.get_or_insert(at);
    }

    /// It may run. What a person said, or what was never in question, a replay finds out by itself.
    pub(super) fn allowed(&mut self, decided: &Decided) {
        let by = decided.by.as_str();
        let is_settled =
            decided.rule.is_some() || matches!(by, "rule" | "classifier" | "mode") || by.starts_with("hook");
        let source = decided.source.map(|source| source.to_string());
        // Events tell a rule with its source; here it stands by itself.
        let told = source.as_ref().map_or_else(String::new, |source| format!(" ({source})"));
        let rule = decided.rule.as_ref().map(|rule| rule.strip_suffix(&told).unwrap_or(rule).to_owned());
        let allowed = Allowed { by: decided.by.clone(), rule, source };
        self.call.allowed = is_settled.then_some(allowed);
    }

    /// The call as it is written once it has its result. How long it took is from its first sign behind the line on: hooks
    /// and people are counted, and waiting in line is not.
    pub(super) fn answered(self, is_error: bool, content: &message::Content, at: Tick) -> Call {
        let ended = self.ended.unwrap_or(at);
        let service_ms = Some(self.began.map_or(0, |began| millis(began, ended)));
        let ended_ms = Some(millis(self.turn_began, ended));
        let outcome = self.outcome(is_error, content);
        Call { service_ms, ended_ms, outcome, ..self.call }
    }

    fn outcome(&self, is_error: bool, content: &message::Content) -> Outcome {
        match (self.refused, &self.denied) {
            (Some(Refusal::Cancelled | Refusal::Lost | Refusal::Recorded), _) => {
                Outcome::Cancelled { text: content.to_text() }
            }
            (_, Some(denied)) => denied_by(denied, content.to_text()),
            (
                None
                | Some(
                    Refusal::UnknownTool
                    | Refusal::NotLoaded
                    | Refusal::Input
                    | Refusal::Validation
                    | Refusal::Closed,
                ),
                None,
            ) => Outcome::Answered { content: recorded(content), is_error },
        }
    }
}

fn denied_by(denied: &Decided, text: String) -> Outcome {
    let by = match denied.by.as_str() {
        "person" => return Outcome::Rejected { text, feedback: None },
        "rule" => DeniedBy::Rule,
        "hook" => DeniedBy::Hook,
        "classifier" => DeniedBy::Classifier,
        _mode_or_nobody => DeniedBy::Mode,
    };
    Outcome::Denied { by, text }
}

fn recorded(content: &message::Content) -> Content {
    match content {
        message::Content::Text(text) => Content::Text(text.clone()),
        message::Content::Blocks(blocks) => {
            let json = |block: &serde_json::Value| Json::parse(&block.to_string());
            match blocks.iter().map(json).collect() {
                Ok(blocks) => Content::Blocks(blocks),
                // Deeper than a reader goes.
                Err(_unreadable) => Content::Text(content.to_text()),
            }
        }
    }
}

pub(super) fn millis(from: Tick, to: Tick) -> u64 {
    u64::try_from(to.since(from).as_millis()).unwrap_or(u64::MAX)
}
