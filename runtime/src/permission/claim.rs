//! The claim on one permission question: whoever comes first decides, once.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::live::{Changes, ModeEpoch};
use super::race::PERSON;
use super::{DecidedPlaces, Grant, Permit, Source};
use crate::env::Env;
use crate::event::{Decided, Digest, Event, Verdict};
use crate::message::{CallId, RawInput};
use crate::mutant::Mutant;

/// Every source that a rule may name.
const SOURCES: [Source; 7] = [
    Source::CliArg,
    Source::Command,
    Source::Session,
    Source::LocalSettings,
    Source::ProjectSettings,
    Source::UserSettings,
    Source::PolicySettings,
];

/// Who decided what, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Whether the call may run.
    pub verdict: Verdict,
    /// Who decided: `rule`, `mode`, `hook`, `person`, `classifier`, `killswitch`, `tool`, `nobody`.
    pub by: Cow<'static, str>,
    /// The rule that was followed, as written, with its source.
    pub rule: Option<Arc<str>>,
    /// Why: for a person when allowed, for the model when denied.
    pub reason: Cow<'static, str>,
    /// Another input to run instead, which is checked again.
    pub input: Option<RawInput>,
    /// Rules to keep from now on.
    pub grants: Vec<Grant>,
}

impl Decision {
    /// A denial without a rule.
    #[must_use]
    pub fn deny(by: impl Into<Cow<'static, str>>, reason: impl Into<Cow<'static, str>>) -> Decision {
        Decision {
            verdict: Verdict::Deny,
            by: by.into(),
            rule: None,
            reason: reason.into(),
            input: None,
            grants: Vec::new(),
        }
    }

    /// An allowance without a rule.
    #[must_use]
    pub fn allow(by: impl Into<Cow<'static, str>>, reason: impl Into<Cow<'static, str>>) -> Decision {
        Decision { verdict: Verdict::Allow, ..Decision::deny(by, reason) }
    }

    /// The source of the rule that was followed; nothing where there is no rule, or it is none of a session's.
    #[must_use]
    pub fn source(&self) -> Option<Source> {
        let (_text, behind) = self.rule.as_deref()?.rsplit_once(" (")?;
        let name = behind.strip_suffix(')')?;
        SOURCES.into_iter().find(|source| source.to_string() == name)
    }

    /// The permit that this decision gives; nothing for a denial.
    pub(crate) fn permit(&self, call: &CallId, input: &RawInput, places: DecidedPlaces) -> Option<Permit> {
        (self.verdict == Verdict::Allow).then(|| Permit::new(call.clone(), input.clone(), places))
    }
}

/// What a question is about: an answer counts for this call with this very input in this mode, and for nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionKey {
    /// The call.
    pub call: CallId,
    /// The whole input that would run: no digest of it can be told from another's.
    pub input: RawInput,
    /// The mode, told by how often it had changed.
    pub epoch: ModeEpoch,
}

/// The claim on one question. Cheap to clone; clones share. Every decision goes through one, also those that no one
/// competes for, so that `decided` is emitted in one place.
#[derive(Clone, Debug)]
pub struct Claim(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    env: Env,
    key: QuestionKey,
    changes: Changes,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Who claimed it.
    taken_by: Option<Cow<'static, str>>,
    /// How many may still answer.
    waiting: usize,
    winner: Option<oneshot::Sender<Decision>>,
}

impl Claim {
    /// The claim on a question that `racers` may answer, and where the winning decision arrives.
    pub(crate) fn new(
        env: &Env,
        key: QuestionKey,
        changes: &Changes,
        racers: usize,
    ) -> (Claim, oneshot::Receiver<Decision>) {
        let (send, winner) = oneshot::channel();
        let state = Mutex::new(State { taken_by: None, waiting: racers, winner: Some(send) });
        (Claim(Arc::new(Inner { env: env.clone(), key, changes: changes.clone(), state })), winner)
    }

    /// Settles a question that nobody competes for; nothing when it was asked in a mode that has gone since.
    pub(crate) fn settle(
        env: &Env,
        key: &QuestionKey,
        changes: &Changes,
        decision: Decision,
    ) -> Option<Decision> {
        Claim::is_settled(env, (&key.call, &key.input), (key.epoch, changes), &decision).then_some(decision)
    }

    /// Settles a question that nobody competes for, about a call with an input, asked in a mode; says whether it is: not
    /// when that mode has gone since.
    pub(crate) fn is_settled(
        env: &Env,
        (call, input): (&CallId, &RawInput),
        (asked_in, changes): (ModeEpoch, &Changes),
        decision: &Decision,
    ) -> bool {
        let is_in_time = asked_in == changes.epoch();
        env.emit(|| match is_in_time {
            true => decided(call, Some(input), decision),
            false => Event::LateAnswer { call: call.clone(), by: decision.by.to_string() },
        });
        is_in_time
    }

    /// Claims the question with an answer to `key`; says whether it came first. An answer to another question, or to
    /// one that was asked in another mode, claims nothing.
    pub(crate) fn offer(&self, key: &QuestionKey, decision: Decision) -> bool {
        let inner = &self.0;
        let mut state = inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = *key != inner.key || key.epoch != inner.changes.epoch();
        // Nobody waits for the answer any more when the call was cancelled meanwhile.
        let is_late =
            state.taken_by.is_some() || state.winner.as_ref().is_some_and(oneshot::Sender::is_closed);
        let is_by_another = state.taken_by.as_ref().is_some_and(|by| by != PERSON);
        let may_again = is_by_another && inner.env.mutants().has(Mutant::DoubleClaim);
        if is_other || (is_late && !may_again) {
            let by = decision.by.into_owned();
            inner.env.emit(|| Event::LateAnswer { call: inner.key.call.clone(), by });
            return false;
        }
        state.taken_by = Some(decision.by.clone());
        inner.env.emit(|| decided(&inner.key.call, Some(&inner.key.input), &decision));
        if let Some(winner) = state.winner.take() {
            // It was there a moment ago; if it has gone since, nothing runs.
            drop(winner.send(decision));
        }
        true
    }

    /// What implanted bugs do: takes an answer without telling anybody.
    pub(crate) fn slip(&self, decision: Decision) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(winner) = state.winner.take() {
            drop(winner.send(decision));
        }
    }

    /// What implanted bugs do: lets the question be claimed once more.
    pub(crate) fn reopen(&self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).taken_by = None;
    }

    /// One of those who may answer has nothing to say. When all are silent, the answer is no.
    pub(crate) fn abstain(&self) {
        let nobody = {
            let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.waiting = state.waiting.saturating_sub(1);
            state.waiting == 0 && state.taken_by.is_none()
        };
        let is_yes = || self.0.env.mutants().has(Mutant::SilenceIsYes);
        if nobody && self.0.key.epoch == self.0.changes.epoch() && is_yes() {
            self.slip(Decision::allow("nobody", "nobody objected"));
        } else if nobody {
            let reason = "permission denied: nobody answered the question whether it may run";
            self.offer(&self.0.key.clone(), Decision::deny("nobody", reason));
        }
    }
}

fn decided(call: &CallId, asked: Option<&RawInput>, decision: &Decision) -> Event {
    Event::Decided(Decided {
        call: call.clone(),
        decision: decision.verdict,
        by: decision.by.to_string(),
        rule: decision.rule.as_deref().map(str::to_owned),
        source: decision.source(),
        reason: decision.reason.to_string(),
        input: decision.input.as_ref().or(asked).map(|input| Digest::of(input.as_str())),
        is_rewritten: decision.input.is_some(),
    })
}

/// Says what was decided; also what was no question: a hook's denial, before anything was judged.
pub(crate) fn announce(env: &Env, call: &CallId, decision: &Decision) {
    env.emit(|| decided(call, None, decision));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Recorder;

    fn key(call: &str, input: &str, changes: &Changes) -> QuestionKey {
        QuestionKey { call: CallId::new(call), input: RawInput::new(input), epoch: changes.epoch() }
    }

    #[test]
    fn the_source_of_a_rule_is_told_by_itself() {
        for source in SOURCES {
            let rule = Some(format!("Bash(echo (userSettings)) ({source})").into());
            let decision = Decision { rule, ..Decision::deny("rule", "no") };
            assert_eq!(decision.source(), Some(source));
        }
        for rule in [None, Some("recorded rule".into()), Some("x (y)".into())] {
            assert_eq!(Decision { rule, ..Decision::deny("hook", "no") }.source(), None);
        }
    }

    #[tokio::test]
    async fn only_an_answer_to_this_very_question_claims_it() {
        let recorder = Arc::new(Recorder::default());
        let env = Env::tokio().expect("tests run on tokio").with_sink(recorder.clone());
        let changes = Changes::default();
        let asked = key("a", r#"{"x":1}"#, &changes);
        let (claim, mut winner) = Claim::new(&env, asked.clone(), &changes, 2);
        let yes = || Decision::allow("person", "yes");
        assert!(!claim.offer(&key("b", r#"{"x":1}"#, &changes), yes()), "another call");
        assert!(!claim.offer(&key("a", r#"{"x":2}"#, &changes), yes()), "another input");
        assert!(winner.try_recv().is_err(), "nothing was decided");
        assert!(claim.offer(&asked, yes()));
        assert!(!claim.offer(&asked, yes()), "it was claimed");
        assert_eq!(winner.try_recv().expect("it was decided"), yes());
        assert_eq!(recorder.events().len(), 4, "three late answers and a decision");
    }

    #[tokio::test]
    async fn an_answer_that_was_asked_for_in_another_mode_claims_nothing() {
        let env = Env::tokio().expect("tests run on tokio");
        let changes = Changes::default();
        let asked = key("a", "{}", &changes);
        let (claim, mut winner) = Claim::new(&env, asked.clone(), &changes, 1);
        changes.next_mode();
        assert!(!claim.offer(&asked, Decision::allow("person", "yes")));
        let settled = Claim::settle(&env, &asked, &changes, Decision::allow("rule", "yes"));
        assert_eq!(settled, None);
        claim.abstain();
        assert!(winner.try_recv().is_err());
    }
}
