//! The implanted bugs: both judges find each of them, and without one they find nothing.

use toolwright::Mutant;
use toolwright::event::Stamped;
use toolwright::registry::Catalogue;
use toolwright_sim::check;
use toolwright_sim::replay::{Abort, Options, replay};
use toolwright_sim::transcript::{Call, Content, Input, Json, Outcome, Transcript, Turn};

use super::judge::judge;
use super::world::{Fate, Script, Shell, Work, number, run_in};

const SEEDS: u64 = 50;

/// Those that a recording of three calls shows within few seeds.
const PLAIN: [Mutant; 4] =
    [Mutant::SafeBesideUnsafe, Mutant::OvertakingReader, Mutant::LostResultOnAbort, Mutant::DoubleClaim];

/// A recorded turn: whether each call is safe, and how long it took.
fn transcript(calls: &[(bool, u64)]) -> Transcript {
    let call = |(index, &(safe, service_ms)): (usize, &(bool, u64))| {
        let input = format!(r#"{{"safe":{safe},"asks":false,"ms":0,"end":"ok"}}"#);
        Call {
            id: format!("c{index}"),
            name: if safe { "Work" } else { "Shell" }.to_owned(),
            input: Input::Json(Json::parse(&input).expect("it is JSON")),
            arrived_ms: Some(0),
            service_ms: Some(service_ms),
            ended_ms: None,
            outcome: Outcome::Answered { content: Content::Text("done".to_owned()), is_error: false },
            allowed: None,
        }
    };
    let calls = calls.iter().enumerate().map(call).collect();
    Transcript {
        turns: vec![Turn { id: "t0".to_owned(), calls, ..Turn::default() }],
        ..Transcript::default()
    }
}

/// The events of the session that shows a mutant best, under a seed.
fn events(shows: Mutant, mutant: Option<Mutant>, seed: u64) -> Vec<Stamped> {
    let (calls, abort) = match shows {
        Mutant::SafeBesideUnsafe => (vec![(false, 30), (true, 30), (true, 10)], None),
        Mutant::OvertakingReader => (vec![(true, 30), (false, 10), (true, 10)], None),
        Mutant::LostResultOnAbort => {
            (vec![(true, 30), (true, 40), (false, 10)], Some(Abort { turn: 0, after_ms: 10 }))
        }
        Mutant::DoubleClaim => return race(mutant, seed),
        other => panic!("{other:?} has no session here"),
    };
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>().add::<Shell>();
    let options = Options { seed: Some(seed), abort, mutant, ..Options::default() };
    replay(&transcript(&calls), &catalogue, &options).events
}

/// A hook and a person answer the same question at the same instant.
fn race(mutant: Option<Mutant>, seed: u64) -> Vec<Stamped> {
    let asked =
        Fate { asks: true, person: "allow", person_ms: 10, racer: "allow", racer_ms: 10, ..Fate::safe(10) };
    let adjust = |env: toolwright::env::Env| match mutant {
        Some(mutant) => env.with_mutant(mutant),
        None => env,
    };
    run_in(&Script::new(vec![vec![asked.clone(), asked]]), Some(seed), adjust).events
}

fn lines(events: &[Stamped]) -> String {
    events.iter().map(|event| serde_json::to_string(event).expect("events serialise") + "\n").collect()
}

#[test]
fn both_judges_find_the_plain_mutants_within_fifty_seeds() {
    for mutant in PLAIN {
        let broken = (0..SEEDS).map(|seed| events(mutant, Some(mutant), seed));
        let found: Vec<Vec<Stamped>> =
            broken.filter(|events| !check::all(events, number(10)).is_empty()).collect();
        println!("{mutant:?}: found under {} of {SEEDS} seeds", found.len());
        let first = found.first().unwrap_or_else(|| panic!("{mutant:?} was not found"));
        if let Some(said) = judge(&lines(first)) {
            assert!(said.is_err(), "the second judge does not find {mutant:?}:\n{}", lines(first));
        }
    }
}

#[test]
fn without_a_mutant_neither_judge_finds_anything() {
    for mutant in PLAIN {
        for seed in 0..SEEDS {
            let events = events(mutant, None, seed);
            assert_eq!(check::all(&events, number(10)), [], "{mutant:?}, seed {seed}:\n{}", lines(&events));
            if seed < 10
                && let Some(said) = judge(&lines(&events))
            {
                assert_eq!(said, Ok(()), "{mutant:?}, seed {seed}:\n{}", lines(&events));
            }
        }
    }
}
