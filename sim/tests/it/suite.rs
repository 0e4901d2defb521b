//! A few small recordings in which much can go wrong, each explored with everything that a seed may change.

use toolwright::Mutant;
use toolwright::registry::Catalogue;
use toolwright::session::SiblingPolicy;
use toolwright_sim::explore::{Recording, Scene, Subject, Swarm};
use toolwright_sim::faults::Fault;
use toolwright_sim::replay::Options;
use toolwright_sim::transcript::{Call, Content, Input, Json, Outcome, Transcript, Turn};

use super::prey::scenes;
use super::world::{Shell, Work};

/// One recorded call.
#[derive(Clone, Copy)]
struct Recorded {
    safe: bool,
    asks: bool,
    ms: u64,
    end: Ended,
}

/// How a recorded call ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Well,
    Badly,
    Rejected,
}

const SAFE: Recorded = Recorded { safe: true, asks: false, ms: 30, end: Ended::Well };
const ALONE: Recorded = Recorded { safe: false, ms: 10, ..SAFE };
const ASKED: Recorded = Recorded { asks: true, ms: 20, ..SAFE };
const FAILS: Recorded = Recorded { end: Ended::Badly, ms: 10, ..SAFE };
const NO: Recorded = Recorded { end: Ended::Rejected, ms: 10, ..ASKED };

/// The turns of each recording.
const SUITE: &[&[&[Recorded]]] = &[
    &[&[SAFE, SAFE, ALONE, SAFE]],
    &[&[ALONE, SAFE, SAFE], &[SAFE, ALONE]],
    &[&[ASKED, ASKED, ALONE, ASKED]],
    &[&[SAFE, FAILS, ASKED, ALONE], &[ASKED, SAFE]],
    &[&[NO, SAFE, ASKED, SAFE, ALONE, SAFE]],
    &[&[FAILS, FAILS, SAFE]],
];

/// What goes wrong around one of the recordings.
const FAULTS: [Fault; 4] = [Fault::ToolHangs, Fault::HookPanics, Fault::HookHangs, Fault::PersonSilent];

/// Something in which bugs are hunted.
pub(crate) enum Prey {
    Recording(Box<Recording>),
    Scene(Scene),
}

impl Prey {
    pub(crate) fn subject(&self) -> &dyn Subject {
        match self {
            Prey::Recording(recording) => recording.as_ref(),
            Prey::Scene(scene) => scene,
        }
    }
}

fn call(id: String, recorded: Recorded) -> Call {
    let Recorded { safe, asks, ms, end } = recorded;
    let input = format!(r#"{{"safe":{safe},"asks":{asks},"ms":0,"end":"ok"}}"#);
    let content = Content::Text("done".to_owned());
    Call {
        id,
        name: if end == Ended::Badly { "Shell" } else { "Work" }.to_owned(),
        input: Input::Json(Json::parse(&input).expect("it is JSON")),
        arrived_ms: Some(0),
        service_ms: Some(ms),
        ended_ms: None,
        outcome: match end {
            Ended::Well => Outcome::Answered { content, is_error: false },
            Ended::Badly => Outcome::Answered { content, is_error: true },
            Ended::Rejected => Outcome::Rejected { text: "no".to_owned(), feedback: None },
        },
        allowed: None,
    }
}

/// A recording of these turns.
fn transcript(turns: &[&[Recorded]]) -> Transcript {
    let turn = |(index, calls): (usize, &&[Recorded])| Turn {
        id: format!("t{index}"),
        calls: calls.iter().enumerate().map(|(at, of)| call(format!("t{index}c{at}"), *of)).collect(),
        ..Turn::default()
    };
    Transcript { turns: turns.iter().enumerate().map(turn).collect(), ..Transcript::default() }
}

fn recording(turns: &[&[Recorded]], mutant: Option<Mutant>) -> Recording {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>().add::<Shell>();
    let options = Options { siblings: SiblingPolicy::Marked, mutant, ..Options::default() };
    Recording::new(&transcript(turns), &catalogue, &options)
}

/// Every recording of the suite and every scene, with a bug put in or none.
pub(crate) fn suite(mutant: Option<Mutant>) -> Vec<Prey> {
    let recordings = SUITE.iter().map(|turns| recording(turns, mutant).swarm(Swarm::On));
    let troubled = recording(&[&[ASKED, SAFE, ALONE]], mutant).swarm(Swarm::On).faults(FAULTS);
    let recordings = recordings.chain([troubled]).map(Box::new).map(Prey::Recording);
    recordings.chain(scenes(mutant).into_iter().map(Prey::Scene)).collect()
}

/// One call that somebody is asked about.
pub(crate) fn one_question(mutant: Option<Mutant>) -> Recording {
    recording(&[&[ASKED]], mutant)
}
