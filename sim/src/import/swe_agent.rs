//! The trajectories of SWE-agent: `history` is the conversation, `trajectory` the actions with their times.
//!
//! Actions that are not calls of tools, as of the agents that write commands into their text, stand only in
//! `trajectory`; they become calls of the tool `action`.

use std::time::Duration;

use super::format::{Particulars, Reader};
use super::gather::Gather;
use super::object::Object;
use super::shape::message;
use super::spoken::{Answered, Asked, Place, Speaker, Spoken};
use crate::transcript::{Content, Input, Json, Outcome, RepairKind, Repairs, Transcript};

pub(super) const FORMAT: Particulars = Particulars {
    word: "swe-agent",
    title: "SWE-agent trajectory",
    tells: |file| file.kind().is_empty() && (file.has("trajectory") || file.has("history")),
    reader: Reader::Object(read),
};

/// The name of a call that is an action in words.
const ACTION: &str = "action";

/// Reads a trajectory.
fn read(file: &Object<'_>, repairs: &mut Repairs) -> Transcript {
    let mut gather = Gather::new(FORMAT.word);
    gather.source.session = file.word("environment");
    let mut said = Vec::new();
    for (index, raw) in file.items("history").unwrap_or_default().into_iter().enumerate() {
        let place = Place { line: None, message: index + 1 };
        match Object::parse(raw) {
            // A demonstration is shown to the model; it is nothing that happened.
            Some(object) if object.is_true("is_demo") => {
                let detail = format!("message {} is a demonstration and was left out", place.message);
                repairs.note(None, RepairKind::UnknownLine, detail);
            }
            Some(object) => said.push(message(&object, place, repairs)),
            None => {
                let detail = format!("message {} is no object and was left out", place.message);
                repairs.note(None, RepairKind::UnreadableMessage, detail);
            }
        }
    }
    let steps = file.objects("trajectory");
    if said.iter().all(|spoken| spoken.calls.is_empty() && spoken.results.is_empty()) {
        said = if steps.is_empty() { said } else { actions(&steps, said) };
    } else {
        time(&mut said, &steps, repairs);
    }
    for spoken in said {
        gather.take(spoken, repairs);
    }
    gather.finish(repairs)
}

/// Gives results the times of the steps, where there are as many.
fn time(said: &mut [Spoken], steps: &[Object<'_>], repairs: &mut Repairs) {
    let mut results: Vec<&mut Answered> = said.iter_mut().flat_map(|spoken| &mut spoken.results).collect();
    if results.len() != steps.len() {
        let detail = "the times of the steps are unknown: there are not as many results as steps";
        repairs.note(None, RepairKind::MissingTime, detail);
        return;
    }
    for (answered, step) in results.iter_mut().zip(steps) {
        answered.took_ms = took_ms(step);
    }
}

fn took_ms(step: &Object<'_>) -> Option<u64> {
    let lasted = Duration::try_from_secs_f64(step.number("execution_time")?).ok()?;
    u64::try_from(lasted.as_millis()).ok()
}

/// Actions in words, as calls, after what was said before the first of them.
fn actions(steps: &[Object<'_>], said: Vec<Spoken>) -> Vec<Spoken> {
    let before = said.into_iter().take_while(|spoken| spoken.speaker != Speaker::Assistant);
    let steps = steps.iter().enumerate().flat_map(|(index, step)| {
        let place = Place { line: None, message: index + 1 };
        let id = format!("step-{}", index + 1);
        let action = step.text("action").unwrap_or_default();
        let object = serde_json::json!({ "command": action }).to_string();
        let input = Json::parse(&object).map_or(Input::Text(action), Input::Json);
        let asked = Asked { id: Some(id.clone()), name: Some(ACTION.to_owned()), input };
        let content = Content::Text(step.text("observation").unwrap_or_default());
        let answered = Answered {
            id: Some(id),
            name: None,
            at: None,
            took_ms: took_ms(step),
            outcome: Outcome::Answered { content, is_error: false },
        };
        let texts = step.text("thought").into_iter().collect();
        [
            Spoken { texts, calls: vec![asked], ..Spoken::new(place, Speaker::Assistant) },
            Spoken { results: vec![answered], ..Spoken::new(place, Speaker::User) },
        ]
    });
    before.chain(steps).collect()
}
