//! Exhaustive search: with reduction it finds every outcome that plain depth-first search finds, in far fewer runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use toolwright::env::Object;
use toolwright::event::{Event, Stamped};
use toolwright_sim::engine::{ReadyTask, Simulation, Step};
use toolwright_sim::explore::Subject;
use toolwright_sim::import::read_path;
use toolwright_sim::replay::{Conditions, Options, replay};
use toolwright_sim::strategy::{Aborts, DepthFirst, Dpor, Family, Search, Steps, Tree};
use toolwright_sim::transcript::{Call, Outcome};

use super::minimal::{End, How, Racers, Shape, outcome, turn};
use super::shared::shared;

/// What a search found.
#[derive(Debug, Default)]
struct Found {
    outcomes: BTreeSet<Vec<String>>,
    runs: u64,
    given_up: u64,
    is_complete: bool,
}

fn search<T: Tree>(subject: &dyn Subject, tree: T, runs_max: u64) -> Found {
    let mut search = Search::new(tree);
    let mut found = Found::default();
    while found.runs + found.given_up < runs_max {
        let Some(strategy) = search.next_run() else {
            found.is_complete = true;
            break;
        };
        let ran = subject.run(&Simulation::with_boxed(strategy), &Conditions::default());
        match ran.ended {
            Ok(()) => {
                found.runs += 1;
                found.outcomes.insert(outcome(&ran.events));
            }
            Err(_given_up) => found.given_up += 1,
        }
    }
    found
}

/// Whether the environment asks for everything, however long it takes.
fn asks_for_all() -> bool {
    std::env::var_os("TOOLWRIGHT_EXHAUSTIVE").is_some()
}

/// How many runs plain search may take for one shape.
fn runs_max() -> u64 {
    if asks_for_all() { u64::MAX } else { 1_500 }
}

const SEEDS: u64 = 60;

/// Every outcome that some seeds show.
fn sampled(subject: &dyn Subject) -> BTreeSet<Vec<String>> {
    let run = |seed: u64| {
        let simulation = Simulation::with_boxed(Family::Portfolio.way(seed).strategy());
        outcome(&subject.run(&simulation, &Conditions::default()).events)
    };
    (0..SEEDS).map(run).collect()
}

/// Compares with plain search where it comes to its end, with search over announced steps where that does, and with
/// samples; says which it was.
pub(crate) fn compare(name: &str, subject: &dyn Subject) -> &'static str {
    let reduced = search(subject, Dpor::default(), 20_000);
    assert!(reduced.is_complete, "{name}: {} runs were not all", reduced.runs);
    let late = search(subject, Dpor::new(Aborts::Conflict), 50_000);
    assert!(late.is_complete, "{name}: {} runs were not all", late.runs);
    assert_eq!(reduced.outcomes, late.outcomes, "{name}: that aborts commute loses something");
    let sampled = sampled(subject);
    let missed: Vec<_> = sampled.difference(&reduced.outcomes).collect();
    assert!(missed.is_empty(), "{name}: seeds show what the search does not: {missed:#?}");
    let plain = search(subject, DepthFirst::default(), runs_max());
    let against = if plain.is_complete {
        assert_eq!(plain.outcomes, reduced.outcomes, "{name}");
        "plain"
    } else {
        assert!(plain.outcomes.is_subset(&reduced.outcomes), "{name}");
        let announced = search(subject, DepthFirst::new(Steps::Announced), runs_max());
        assert!(announced.outcomes.is_subset(&reduced.outcomes), "{name}");
        if announced.is_complete {
            assert_eq!(announced.outcomes, reduced.outcomes, "{name}");
            "announced steps"
        } else {
            "samples"
        }
    };
    println!(
        "{name}: {} outcomes in {} runs, {} given up; checked against {against} ({} runs)",
        reduced.outcomes.len(),
        reduced.runs,
        reduced.given_up,
        plain.runs
    );
    against
}

/// Every call that a shape can be made of.
fn every_shape() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for safe in [true, false] {
        for end in [End::Ok, End::Fails, End::Fells, End::Unknown] {
            for racers in [Racers::Nobody, Racers::No, Racers::Two] {
                // A call that never runs is not asked about.
                if end != End::Unknown || (!safe && racers == Racers::Nobody) {
                    shapes.push(Shape { safe, end, racers });
                }
            }
        }
    }
    shapes
}

#[test]
fn for_every_shape_of_one_call_reduction_finds_what_plain_search_finds() {
    let mut against: BTreeMap<&str, usize> = BTreeMap::new();
    for shape in every_shape() {
        *against.entry(compare(&format!("{shape:?}"), &turn(&[shape], How::default()))).or_default() += 1;
    }
    assert_eq!(against.keys().copied().collect::<Vec<_>>(), ["plain"], "{against:?}");
}

#[test]
fn for_shapes_of_two_calls_reduction_finds_what_plain_search_finds() {
    let mut against: BTreeMap<&str, usize> = BTreeMap::new();
    for turns in recorded_shapes().unwrap_or_else(own_shapes) {
        *against.entry(compare(&format!("{turns:?}"), &turn(&turns, How::default()))).or_default() += 1;
    }
    println!("{against:?}");
    assert!(against.contains_key("plain"), "{against:?}");
}

/// Pairs that stand for those of recordings, where there are none at hand.
fn own_shapes() -> BTreeSet<Vec<Shape>> {
    let fails = Shape { end: End::Fells, ..Shape::SAFE };
    let refused = Shape { racers: Racers::No, ..Shape::SAFE };
    let unknown = Shape { end: End::Unknown, ..Shape::ALONE };
    let pairs = [
        [Shape::SAFE, Shape::SAFE],
        [Shape::ALONE, Shape::SAFE],
        [Shape::SAFE, Shape::ALONE],
        [Shape::ALONE, Shape::ALONE],
        [Shape::SAFE, fails],
        [fails, fails],
        [refused, Shape::SAFE],
        [unknown, Shape::SAFE],
        [Shape::RACED, Shape::ALONE],
        [Shape::RACED, Shape::RACED],
    ];
    pairs.into_iter().map(Vec::from).collect()
}

/// Every shape of a turn of at most two calls in the recordings at hand: whether each call is safe, how it ended, and
/// whom a replay asks about it. Where somebody is asked, a second one races with them.
fn recorded_shapes() -> Option<BTreeSet<Vec<Shape>>> {
    let files = std::fs::read_dir(shared("data/transcripts/claude-code")?).expect("the folder can be listed");
    let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    paths.sort();
    // The large ones are of the same shapes, and take minutes to replay in a test.
    paths.retain(|path| asks_for_all() || path.metadata().is_ok_and(|meta| meta.len() < 400_000));
    let catalogue = toolwright_tools::catalogue();
    let mut shapes = BTreeSet::new();
    for path in paths {
        let Ok(imported) = read_path(&path) else { continue };
        let few = |turn: &&toolwright_sim::transcript::Turn| turn.calls.len() <= 2;
        let turns = imported.transcript.turns.iter().filter(few).cloned().collect();
        let transcript = toolwright_sim::transcript::Transcript { turns, ..imported.transcript.clone() };
        let report = replay(&transcript, &catalogue, &Options::default());
        for turn in &transcript.turns {
            shapes.insert(turn.calls.iter().map(|call| shape(call, &report.events)).collect());
        }
    }
    Some(shapes)
}

fn shape(call: &Call, events: &[Stamped]) -> Shape {
    let of = |stamped: &&Stamped| match &stamped.event {
        Event::Planned { call: id, .. } | Event::Asked { call: id, .. } | Event::Started { call: id, .. } => {
            id.as_str() == call.id
        }
        _other => false,
    };
    let (mut safe, mut is_asked, mut has_started) = (false, false, false);
    for stamped in events.iter().filter(of) {
        match &stamped.event {
            Event::Planned { safe: is_safe, .. } => safe = *is_safe,
            Event::Asked { .. } => is_asked = true,
            _started => has_started = true,
        }
    }
    let end = match &call.outcome {
        Outcome::Answered { is_error: true, .. } => End::Fails,
        _other if !has_started && !is_asked => End::Unknown,
        _other => End::Ok,
    };
    let racers = match (&call.outcome, is_asked) {
        (_, false) => Racers::Nobody,
        (Outcome::Rejected { .. } | Outcome::Denied { .. }, true) => Racers::No,
        (Outcome::Answered { .. } | Outcome::Cancelled { .. } | Outcome::Unanswered, true) => Racers::Two,
    };
    Shape { safe, end, racers }
}

#[test]
fn eight_calls_side_by_side_with_two_racers_each_take_256_runs() {
    for (calls, runs) in [(1, 2), (2, 4), (4, 16), (8, 256)] {
        let found = search(&turn(&vec![Shape::RACED; calls], How::default()), Dpor::default(), 300);
        let Found { outcomes, runs: made, given_up, is_complete } = found;
        assert!(is_complete, "{calls} calls: {made} runs were not all");
        assert_eq!((outcomes.len() as u64, made, given_up), (runs, runs, 0), "{calls} calls");
    }
}

#[test]
fn no_seed_shows_an_outcome_of_a_larger_turn_that_the_search_does_not() {
    let fells = Shape { end: End::Fells, ..Shape::SAFE };
    let turns = [
        (vec![Shape::SAFE, Shape::RACED, Shape::ALONE], How::default()),
        (vec![Shape::RACED; 3], How { cap: 1, ..How::default() }),
        (vec![Shape::SAFE, fells, Shape::RACED], How { cap: 2, ..How::default() }),
        (vec![Shape::SAFE, Shape::ALONE], How { abort_ms: Some(10), ..How::default() }),
        (vec![Shape::SAFE], How { abort_ms: Some(0), ..How::default() }),
        (vec![Shape::RACED], How { abort_ms: Some(0), ms: 0, ..How::default() }),
    ];
    for (shapes, how) in turns {
        let subject = turn(&shapes, how);
        let reduced = search(&subject, Dpor::default(), 20_000);
        println!("{shapes:?} {how:?}: {reduced:?}", reduced = (reduced.runs, reduced.given_up));
        assert!(reduced.is_complete, "{shapes:?} {how:?}");
        let missed: Vec<_> = sampled(&subject).difference(&reduced.outcomes).cloned().collect();
        assert!(missed.is_empty(), "{shapes:?} {how:?}: {missed:#?}");
    }
}

/// A search that is not told of some accesses, as if nobody had announced them.
#[derive(Default)]
struct Untold(Dpor);

impl Untold {
    fn strip(task: &ReadyTask) -> ReadyTask {
        let announced = task.announced.filter(|announced| !matches!(announced.object, Object::Claim(_)));
        ReadyTask { announced, ..*task }
    }
}

impl Tree for Untold {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        self.0.task(&ready.iter().map(Untold::strip).collect::<Vec<_>>())
    }

    fn value(&mut self, options: usize) -> usize {
        self.0.value(options)
    }

    fn ran(&mut self, step: Step<'_>) {
        self.0.ran(Step { task: Untold::strip(&step.task), ..step });
    }

    fn quiet(&mut self) {
        self.0.quiet();
    }

    fn mattered(&mut self, value: usize) {
        self.0.mattered(value);
    }

    fn turn(&mut self) -> bool {
        self.0.turn()
    }
}

#[test]
fn an_access_that_nobody_announced_is_noticed() {
    let subject = turn(&[Shape::RACED], How::default());
    let plain = search(&subject, DepthFirst::default(), 10_000);
    let told = search(&subject, Dpor::default(), 10_000);
    let untold = search(&subject, Untold::default(), 10_000);
    assert!(plain.is_complete && told.is_complete && untold.is_complete);
    assert_eq!(plain.outcomes, told.outcomes);
    assert_ne!(plain.outcomes, untold.outcomes, "the comparison would not notice a missing announcement");
}

/// Plain search in which every race is looked at from both sides, whether or not that can make a difference.
#[derive(Default)]
struct EveryRace {
    plain: DepthFirst,
    values: usize,
}

impl Tree for EveryRace {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        self.plain.task(ready)
    }

    fn value(&mut self, options: usize) -> usize {
        let picked = self.plain.value(options);
        self.plain.mattered(self.values);
        self.values += 1;
        picked
    }

    fn ran(&mut self, _step: Step<'_>) {}

    fn quiet(&mut self) {}

    fn mattered(&mut self, _value: usize) {}

    fn turn(&mut self) -> bool {
        self.values = 0;
        self.plain.turn()
    }
}

#[test]
fn races_that_are_not_looked_at_from_both_sides_would_show_nothing_else() {
    let aborted = |ms, abort_ms| How { ms, abort_ms: Some(abort_ms), ..How::default() };
    for (shape, how) in [
        (Shape::SAFE, How::default()),
        (Shape::ALONE, aborted(10, 10)),
        (Shape::SAFE, aborted(10, 0)),
        (Shape::SAFE, aborted(10, 10)),
        (Shape::SAFE, aborted(0, 0)),
        (Shape { racers: Racers::No, ..Shape::SAFE }, How::default()),
    ] {
        let subject = turn(&[shape], how);
        let every = search(&subject, EveryRace::default(), 10_000);
        let plain = search(&subject, DepthFirst::default(), 10_000);
        let reduced = search(&subject, Dpor::default(), 10_000);
        println!("{shape:?} {how:?}: {} runs, {}, {}", every.runs, plain.runs, reduced.runs);
        assert!(every.is_complete && plain.is_complete && reduced.is_complete, "{shape:?} {how:?}");
        assert_eq!(every.outcomes, plain.outcomes, "{shape:?} {how:?}");
        assert_eq!(every.outcomes, reduced.outcomes, "{shape:?} {how:?}");
    }
}
