//! The recorded person, and the hook that gives recorded decisions.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use toolwright::env::Env;
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PreDecision, PreToolUse};
use toolwright::permission::{Answer, Prompter, Question};

use super::options::RacerSays;
use super::recorded::{Calls, latency, pass};
use crate::faults::Faulty;
use crate::transcript::{Allowed, Outcome};

/// Says yes wherever the recorded body ran, and no, at the recorded latency, where the recording shows it.
#[derive(Clone)]
pub(super) struct RecordedPerson {
    pub(super) env: Env,
    pub(super) calls: Calls,
    pub(super) faulty: Arc<Faulty>,
}

#[async_trait]
impl Prompter for RecordedPerson {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        if !self.faulty.answers().await {
            return None;
        }
        self.recorded(question).await
    }
}

impl RecordedPerson {
    /// What the recording shows of the person's answer.
    async fn recorded(&self, question: &Question) -> Option<Answer> {
        let call = self.calls.get(question.call.as_str())?;
        match &call.outcome {
            Outcome::Answered { .. } | Outcome::Unanswered | Outcome::Cancelled { .. } => {
                Some(Answer::Allow { input: None })
            }
            Outcome::Rejected { text, .. } => {
                pass(&self.env, latency(call)).await;
                Some(Answer::Deny { message: Some(text.clone()) })
            }
            Outcome::Denied { text, .. } => Some(Answer::Deny { message: Some(text.clone()) }),
        }
    }
}

/// Denies what the recording shows denied, naming who denied it; lets run what it shows that was let run without a
/// question; asks where a person said no.
pub(super) struct RecordedDenials {
    pub(super) env: Env,
    pub(super) calls: Calls,
}

#[async_trait]
impl Hook for RecordedDenials {
    fn name(&self) -> &str {
        "recording"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PreToolUse]
    }

    /// Recorded decisions may have taken longer than a hook may; virtual time costs nothing.
    fn timeout(&self) -> Duration {
        Duration::from_secs(u64::from(u32::MAX))
    }

    async fn pre_tool_use(&self, call: &HookCall) -> Result<PreToolUse, HookError> {
        let Some(recorded) = self.calls.get(call.call.as_str()) else { return Ok(PreToolUse::default()) };
        match &recorded.outcome {
            Outcome::Denied { by, text } => {
                pass(&self.env, latency(recorded)).await;
                let decision = Some(PreDecision::Deny(text.clone()));
                Ok(PreToolUse {
                    decision,
                    source: Some(format!("recorded {}", by.word())),
                    ..PreToolUse::default()
                })
            }
            Outcome::Rejected { .. } => {
                let reason = "the recording shows that a person was asked".to_owned();
                Ok(PreToolUse { decision: Some(PreDecision::Ask(reason)), ..PreToolUse::default() })
            }
            Outcome::Answered { .. } | Outcome::Cancelled { .. } | Outcome::Unanswered => {
                Ok(recorded.allowed.as_ref().and_then(let_run).unwrap_or_default())
            }
        }
    }
}

/// How the reason begins for which a call is let run as recorded.
pub(super) const LET_RUN: &str = "the recording shows that it was let run by ";

/// Lets a call run that a rule, a hook or the classifier let run, since they are not here. A mode is: the replay's own, or
/// the recorded one on request.
fn let_run(allowed: &Allowed) -> Option<PreToolUse> {
    let Allowed { by, rule, source } = allowed;
    if by == "mode" {
        return None;
    }
    let what = rule.as_ref().map_or_else(String::new, |rule| format!(" {rule}"));
    let from = source.as_ref().map_or_else(String::new, |source| format!(" of {source}"));
    let decision = Some(PreDecision::Allow(format!("{LET_RUN}{by}{what}{from}")));
    Some(PreToolUse { decision, ..PreToolUse::default() })
}

/// Answers every question beside the person, at the very time at which the person does.
pub(super) struct Racer {
    pub(super) says: RacerSays,
    pub(super) person: RecordedPerson,
}

#[async_trait]
impl Hook for Racer {
    fn name(&self) -> &str {
        "racer"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PermissionRequest]
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(u64::from(u32::MAX))
    }

    async fn permission_request(&self, question: &Question) -> Result<Option<Answer>, HookError> {
        let same = self.person.recorded(question).await;
        Ok(match self.says {
            RacerSays::Same => same,
            RacerSays::No => Some(Answer::Deny { message: Some("the racer says no".to_owned()) }),
            RacerSays::Nothing => None,
        })
    }
}
