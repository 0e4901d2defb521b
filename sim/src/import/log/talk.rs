//! The conversation that the exchanges of a log add up to.
//!
//! A request that begins with all that was said before goes on with the conversation; any other begins a new one. What
//! is compared is what a person said, the calls and the results: ids and wording of the model differ between an answer
//! and its repetition.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Log;
use crate::import::gather::Gather;
use crate::import::object::Object;
use crate::import::shape::Stream;
use crate::import::spoken::{Api, Place, Speaker, Spoken};
use crate::transcript::{Content, Input, Outcome, RepairKind, Repairs};

/// What a request says.
pub(super) struct History {
    pub(super) said: Vec<Spoken>,
    /// The answer that it follows, whose conversation it does not repeat.
    pub(super) follows: Option<String>,
}

/// What was said so far.
#[derive(Default)]
pub(super) struct Talk {
    said: Vec<Spoken>,
    /// The id of the last answer.
    answered: Option<String>,
    /// Events of an answer that stand as values of their own.
    stream: Option<Stream>,
    /// Conversations that ended before this one.
    ended: Vec<Vec<Spoken>>,
}

/// What two tellings of one conversation share.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
enum Fact {
    Said(String),
    Called(String, String),
    Result(String),
}

impl Talk {
    /// Takes in a request, which may be unknown, and what was answered.
    pub(super) fn exchange(
        &mut self,
        request: Option<History>,
        answered: Vec<Spoken>,
        repairs: &mut Repairs,
    ) {
        self.end_stream(repairs);
        if let Some(History { said, follows }) = request {
            if follows.is_some() && follows == self.answered {
                self.said.extend(said);
            } else if facts(&said).starts_with(&facts(&self.said)) {
                self.said = retold(std::mem::take(&mut self.said), said);
            } else {
                self.conversation(Vec::new(), repairs);
                self.said = said;
            }
        }
        self.answered = answered.iter().rev().find_map(|spoken| spoken.id.clone());
        self.said.extend(answered);
    }

    /// Takes in a conversation that is complete.
    pub(super) fn conversation(&mut self, said: Vec<Spoken>, repairs: &mut Repairs) {
        self.end_stream(repairs);
        let before = std::mem::take(&mut self.said);
        self.ended.extend([before, said].into_iter().filter(|said| !said.is_empty()));
    }

    /// Takes in one message.
    pub(super) fn said(&mut self, spoken: Spoken) {
        self.said.push(spoken);
    }

    /// Takes in one event of an answer; whether it is one.
    pub(super) fn event(&mut self, event: &Object<'_>, place: Place, repairs: &mut Repairs) -> bool {
        let mut stream = self.stream.take().unwrap_or_else(|| Stream::new(place));
        let is_event = stream.event(event, repairs);
        self.stream = Some(stream);
        is_event
    }

    fn end_stream(&mut self, repairs: &mut Repairs) {
        if let Some(stream) = self.stream.take() {
            self.said.extend(stream.finish(repairs));
        }
    }

    /// The log as a transcript.
    pub(super) fn finish(mut self, repairs: &mut Repairs) -> Log {
        self.conversation(Vec::new(), repairs);
        let apis: BTreeSet<Api> = self.ended.iter().flatten().filter_map(|spoken| spoken.api).collect();
        let name = super::format(&apis).map_or("model-log", |format| format.word());
        let mut gather = Gather::new(name);
        let mut told: BTreeSet<(Option<Fact>, String, Fact)> = BTreeSet::new();
        for (number, said) in std::mem::take(&mut self.ended).into_iter().enumerate() {
            let first = facts(&said).into_iter().next();
            if number > 0 {
                let place = said.first().map(|spoken| spoken.place).unwrap_or_default();
                let detail =
                    format!("conversation {} of the file was read as part of one session", number + 1);
                repairs.note(place.line, RepairKind::SeveralSessions, detail);
            }
            let mut here = Vec::new();
            for mut spoken in said {
                let place = spoken.place;
                spoken.calls.retain(|asked| {
                    let Some(id) = asked.id.clone() else { return true };
                    let key = (first.clone(), id, called(asked.name.as_deref(), &asked.input));
                    let is_new = !told.contains(&key);
                    if !is_new {
                        let detail = format!("call `{}` is told again by another request; kept once", key.1);
                        repairs.note(place.line, RepairKind::RepeatedHistory, detail);
                    }
                    here.push(key);
                    is_new
                });
                gather.take(spoken, repairs);
            }
            told.extend(here);
        }
        Log { transcript: gather.finish(repairs), apis }
    }
}

/// The conversation as its later telling has it, with what only the earlier one knew of the answers.
fn retold(earlier: Vec<Spoken>, mut later: Vec<Spoken>) -> Vec<Spoken> {
    let said = earlier.into_iter().filter(|spoken| spoken.speaker == Speaker::Assistant);
    // Of each call the message that made it; only the first call of a message has it.
    let mut known = said.flat_map(|mut spoken| {
        let calls = spoken.calls.len();
        spoken.calls.clear();
        let first = (calls > 0).then_some(spoken);
        first.into_iter().map(Some).chain((1..calls).map(|_| None))
    });
    for spoken in later.iter_mut().filter(|spoken| spoken.speaker == Speaker::Assistant) {
        for number in 0..spoken.calls.len() {
            let Some(known) = known.next() else { return later };
            let Some(known) = known.filter(|_| number == 0) else { continue };
            spoken.id = known.id.or(spoken.id.take());
            spoken.model = known.model.or(spoken.model.take());
            spoken.at = known.at.or(spoken.at);
            spoken.joins = known.joins;
            if spoken.texts.is_empty() {
                spoken.texts = known.texts;
            }
        }
    }
    later
}

fn facts(said: &[Spoken]) -> Vec<Fact> {
    let mut facts = Vec::new();
    for spoken in said.iter().filter(|spoken| spoken.speaker != Speaker::System) {
        facts.extend(spoken.calls.iter().map(|asked| called(asked.name.as_deref(), &asked.input)));
        facts.extend(spoken.results.iter().map(|answered| Fact::Result(answer(&answered.outcome))));
        if spoken.speaker == Speaker::User {
            facts.extend(spoken.texts.iter().map(|text| Fact::Said(text.trim().to_owned())));
        }
    }
    facts
}

fn called(name: Option<&str>, input: &Input) -> Fact {
    let input = match input {
        Input::Json(json) => serde_json::from_str::<Value>(json.get())
            .map_or_else(|_| json.get().to_owned(), |value| value.to_string()),
        Input::Text(text) => text.clone(),
    };
    Fact::Called(name.unwrap_or_default().to_owned(), input)
}

fn answer(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answered { content: Content::Text(text), .. }
        | Outcome::Denied { text, .. }
        | Outcome::Rejected { text, .. }
        | Outcome::Cancelled { text } => text.clone(),
        Outcome::Answered { content: Content::Blocks(blocks), .. } => {
            blocks.iter().map(|block| block.get()).collect::<Vec<_>>().join(",")
        }
        Outcome::Unanswered => String::new(),
    }
}
