//! What shrinking came to, in forms that last: a token, a transcript, a test, and words.

use std::sync::PoisonError;

use super::attempt::{Attempts, Failing};
use crate::check::Violation;
use crate::explore::{Judged, NEVER, Subject};
use crate::replay::refused;
use crate::strategy::{Told, Way};
use crate::token::Token;
use crate::transcript::Transcript;

/// A failure made small.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// What is broken.
    pub violation: Option<Violation>,
    /// What shows it again.
    pub token: Token,
    /// What is run, where it is a recording.
    pub transcript: Option<Transcript>,
    /// How the run differs from the least surprising one, in words.
    pub deviations: Vec<String>,
    /// How many runs it took.
    pub runs: u64,
    /// The run itself.
    pub judged: Judged,
}

impl Shrunk {
    pub(super) fn new(
        attempts: &mut Attempts<'_>,
        subject: &dyn Subject,
        failing: Failing,
        transcript: Option<Transcript>,
    ) -> Shrunk {
        let Failing { invariant, deviations, conditions } = failing;
        let way = if deviations.is_empty() && deviations.chance == 0 {
            Way::First
        } else {
            Way::Choices(deviations)
        };
        let (told, notes) = Told::new(way.strategy());
        let judged = attempts.explore().judged(subject, Box::new(told), &conditions);
        let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
        let mut deviations: Vec<String> = (1..)
            .zip(&notes)
            .filter(|(_, note)| note.picked > 0)
            .map(|(step, note)| format!("choice {step} of {}: {note}", notes.len()))
            .collect();
        if !conditions.is_empty() {
            deviations.insert(0, format!("changed from the recording: {}", conditions.in_words().join("; ")));
        }
        let violation = judged.violations.iter().find(|violation| violation.invariant == invariant).cloned();
        let token = Token { identity: subject.identity(), way, conditions };
        Shrunk { violation, token, transcript, deviations, runs: attempts.runs, judged }
    }

    /// How many calls the shrunk recording has.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.transcript.as_ref().map_or(0, |transcript| transcript.calls().count())
    }

    /// How the run differs from the least surprising one, in words, also where it does not.
    #[must_use]
    pub fn surprises(&self) -> Vec<String> {
        if self.deviations.is_empty() {
            return vec!["no surprise is needed: the run most like production fails".to_owned()];
        }
        self.deviations.clone()
    }

    /// A test that fails until the fault is mended; `file` is where the shrunk transcript is kept.
    #[must_use]
    pub fn test(&self, name: &str, file: &str) -> String {
        let what = self.violation.as_ref().map_or_else(String::new, |violation| format!("// {violation}\n"));
        let never = self.violation.iter().filter(|violation| violation.invariant == NEVER);
        let never: String = never.map(|violation| format!(", never = {:?}", violation.detail)).collect();
        let is_refused = |transcript| !refused(transcript, &self.judged.ran.events).is_empty();
        let allow = if self.transcript.as_ref().is_some_and(is_refused) { ", allow = [Refused]" } else { "" };
        format!(
            "{what}toolwright_sim::sim_test!({name}, replay = {:?}, transcript = {file:?}{never}{allow});\n",
            self.token.to_string()
        )
    }
}
