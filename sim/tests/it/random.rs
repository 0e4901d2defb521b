//! Random sessions: whatever happens in a turn, under any schedule, the invariants hold.

use std::collections::BTreeMap;

use toolwright::event::{Event, Stamped};
use toolwright::message::CallId;
use toolwright::scheduler::plan;
use toolwright_sim::check;

use super::world::{Draw, Fate, Script, number, run};

const SESSIONS: u64 = 1_000;

/// What was seen in some run: a sweep in which these never happen proves nothing.
#[derive(Debug, Default)]
struct Seen(BTreeMap<&'static str, usize>);

impl Seen {
    fn look(&mut self, events: &[Stamped]) {
        let mut running = 0_usize;
        for stamped in events {
            let name = match &stamped.event {
                Event::Started { .. } => {
                    running += 1;
                    if running > 1 { "side by side" } else { "started" }
                }
                Event::Finished { outcome, .. } => {
                    running -= 1;
                    match outcome {
                        toolwright::event::Outcome::Ok => "ok",
                        toolwright::event::Outcome::Error => "error",
                        toolwright::event::Outcome::Cancelled => "cancelled in its body",
                        toolwright::event::Outcome::Panicked => "panicked",
                    }
                }
                Event::Refused { step, .. } => match step {
                    toolwright::event::Refusal::Cancelled => "cancelled before its body",
                    toolwright::event::Refusal::UnknownTool => "unknown",
                    toolwright::event::Refusal::Validation => "invalid",
                    toolwright::event::Refusal::Lost => "lost",
                    _other => "refused",
                },
                Event::Rejudged { safe: false, .. } => "became unsafe",
                Event::Rejudged { safe: true, .. } => "became safe",
                Event::LateAnswer { .. } => "late answer",
                Event::ContextChanged { .. } => "context changed",
                Event::ContextChangeDropped { .. } => "context change dropped",
                _other => continue,
            };
            *self.0.entry(name).or_default() += 1;
        }
    }
}

#[test]
fn every_invariant_holds_whatever_happens_in_a_session() {
    let mut seen = Seen::default();
    for seed in 0..SESSIONS {
        let script = Draw::new(seed).script();
        let ran = run(&script, Some(seed));
        let broken = check::all(&ran.events, number(script.cap));
        assert!(broken.is_empty(), "seed {seed}: {broken:#?}\n{script:#?}\n{}", ran.lines());
        let outcomes = ran.outcomes.as_ref();
        let outcomes =
            outcomes.unwrap_or_else(|stuck| panic!("seed {seed}: {stuck}\n{script:#?}\n{}", ran.lines()));
        let calls: Vec<usize> = script.turns.iter().map(Vec::len).collect();
        let results: Vec<usize> = outcomes.iter().map(|(results, _)| results.len()).collect();
        assert_eq!(results, calls, "seed {seed}");
        seen.look(&ran.events);
    }
    assert!(
        seen.0.len() == 15 && seen.0.values().all(|&count| count >= 20),
        "too little was seen: {seen:#?}"
    );
    assert!(
        !seen.0.contains_key("lost"),
        "a call of these sessions always ends in words of its own: {seen:#?}"
    );
}

#[test]
fn each_call_is_rendered_once() {
    for seed in 0..200 {
        let ran = run(&Draw::new(seed).script(), Some(seed));
        let mut rendered: BTreeMap<&CallId, usize> = BTreeMap::new();
        let mut planned = 0;
        for stamped in &ran.events {
            match &stamped.event {
                Event::Planned { .. } => planned += 1,
                Event::Rendered { call, .. } => *rendered.entry(call).or_default() += 1,
                _other => {}
            }
        }
        assert_eq!(rendered.len(), planned, "seed {seed}");
        assert!(rendered.values().all(|&times| times == 1), "seed {seed}: {rendered:?}");
    }
}

/// Where nothing is rewritten, cancelled or refused, the calls that run at the same time are those of a batch.
#[test]
fn admissions_are_those_of_the_plan() {
    for seed in 0..300 {
        let mut draw = Draw::new(seed);
        let fate = |draw: &mut Draw| {
            let ms = 10 + draw.below(4) * 10;
            if draw.below(3) > 0 { Fate::safe(ms) } else { Fate::alone(ms) }
        };
        let calls: Vec<Fate> = (0..draw.below(12) + 1).map(|_| fate(&mut draw)).collect();
        let safe: Vec<bool> = calls.iter().map(|fate| fate.safe).collect();
        let script = Script { cap: 20, ..Script::new(vec![calls]) };
        let ran = run(&script, Some(seed));
        assert_eq!(
            waves(&ran.events),
            plan(&safe).into_iter().map(|batch| batch.calls.len()).collect::<Vec<_>>()
        );
    }
}

/// How many bodies began between two moments at which none ran.
fn waves(events: &[Stamped]) -> Vec<usize> {
    let (mut waves, mut running) = (Vec::new(), 0_usize);
    for stamped in events {
        match &stamped.event {
            Event::Started { .. } => {
                if running == 0 {
                    waves.push(0);
                }
                *waves.last_mut().expect("one was pushed") += 1;
                running += 1;
            }
            Event::Finished { .. } => running -= 1,
            _other => {}
        }
    }
    waves
}
