//! The logs of Inspect, as `inspect log dump` prints them: samples, each a conversation, with the events of its tools.

use std::collections::BTreeMap;

use super::format::{Particulars, Reader};
use super::gather::Gather;
use super::object::Object;
use super::shape::message;
use super::spoken::{Answered, Place};
use super::timing;
use crate::transcript::{Content, DeniedBy, Outcome, RepairKind, Repairs, Transcript};

pub(super) const FORMAT: Particulars = Particulars {
    word: "inspect",
    title: "Inspect log",
    tells: |log| log.kind().is_empty() && (log.has("samples") || (log.has("eval") && log.has("status"))),
    reader: Reader::Object(read),
};

/// Reads a log. Its samples become one session, one after another.
fn read(log: &Object<'_>, repairs: &mut Repairs) -> Transcript {
    let mut gather = Gather::new(FORMAT.word);
    let about = log.object("eval").unwrap_or_default();
    gather.source.session = about.word("run_id");
    gather.source.started_at = about.word("created");
    gather.source.tool_version = about.object("packages").and_then(|packages| packages.word("inspect_ai"));
    let samples = log.items("samples").unwrap_or_default();
    let mut number = 0;
    for (index, raw) in samples.into_iter().enumerate() {
        let Some(sample) = Object::parse(raw) else {
            let detail = format!("sample {} is no object and was left out", index + 1);
            repairs.note(None, RepairKind::UnreadableMessage, detail);
            continue;
        };
        if index > 0 {
            let detail = format!("sample {} was read as part of one session", index + 1);
            repairs.note(None, RepairKind::SeveralSessions, detail);
        }
        let times = times(&sample);
        for raw in sample.items("messages").unwrap_or_default() {
            number += 1;
            let place = Place { line: None, message: number };
            let Some(object) = Object::parse(raw) else {
                let detail = format!("message {number} is no object and was left out");
                repairs.note(None, RepairKind::UnreadableMessage, detail);
                continue;
            };
            let mut spoken = message(&object, place, repairs);
            for answered in &mut spoken.results {
                ended(&object, answered, &times, repairs);
            }
            gather.take(spoken, repairs);
        }
    }
    gather.finish(repairs)
}

/// How long each call took, by the events of a sample.
fn times(sample: &Object<'_>) -> BTreeMap<String, u64> {
    let events = sample.objects("events");
    let tools = events.iter().filter(|event| event.text("event").as_deref() == Some("tool"));
    let lasted = tools.filter_map(|event| {
        let time = |name| event.text(name).as_deref().and_then(timing::parse);
        let lasted = time("completed")?.checked_sub(time("timestamp")?)?;
        Some((event.word("id")?, u64::try_from(lasted).ok()?))
    });
    lasted.collect()
}

/// What a result tells beside its content: the error that the model was told, and how long the call took.
fn ended(object: &Object<'_>, answered: &mut Answered, times: &BTreeMap<String, u64>, repairs: &mut Repairs) {
    answered.took_ms = answered.id.as_ref().and_then(|id| times.get(id)).copied();
    let Some(error) = object.object("error") else { return };
    let said = error.text("message").unwrap_or_default();
    if error.text("type").as_deref() == Some("approval") {
        answered.outcome = Outcome::Denied { by: DeniedBy::Rule, text: said };
        return;
    }
    if let Outcome::Answered { content, is_error } = &mut answered.outcome {
        *is_error = true;
        if *content == Content::Text(String::new()) {
            *content = Content::Text(said);
        } else if !said.is_empty() {
            let detail = "the words of an error beside the content of its result were left out, first here";
            repairs.tally(None, RepairKind::UnknownField, detail);
        }
    }
}
