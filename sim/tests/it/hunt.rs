//! The implanted bugs as prey: how many runs each way of choosing takes to find them, and how small they become.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use toolwright::Mutant;
use toolwright::event::{Event, Stamped};
use toolwright_sim::check;
use toolwright_sim::explore::Explore;
use toolwright_sim::replay::{Conditions, RacerSays};
use toolwright_sim::shrink::{Shrunk, shrink, shrink_recording};
use toolwright_sim::strategy::{Aborts, Dpor, Family, Way};
use toolwright_sim::token::Token;

use super::prey::checks;
use super::suite::{Prey, one_question, suite};

/// How many runs a way may take for one bug.
const RUNS_MAX: u64 = 10_000;
/// How many runs each way by itself gets for the table, unless the environment says another number.
const TABLE_RUNS: u64 = 40;
const TABLE_RUNS_ASKED: &str = "TOOLWRIGHT_TABLE_RUNS";
/// How many runs chance alone gets, unless the environment says another number; 10,000 are what is promised.
const CHANCE_RUNS: u64 = 400;
const CHANCE_RUNS_ASKED: &str = "TOOLWRIGHT_CHANCE_RUNS";
/// How many bugs chance alone must miss in all the runs there are.
const MISSED_MIN: usize = 6;

/// A run that shows a bug.
struct Found {
    runs: u64,
    prey: Prey,
    token: Token,
}

fn explore() -> Explore<'static> {
    Explore::new().checkers(checks::checkers)
}

/// Goes through the suite, subject by subject under one seed after another.
fn hunt(mutant: Option<Mutant>, family: Family, runs_max: u64) -> Option<Found> {
    let mut suite = suite(mutant);
    let explore = explore();
    let mut runs = 0;
    for seed in 0.. {
        for at in 0..suite.len() {
            if runs == runs_max {
                return None;
            }
            runs += 1;
            let subject = suite[at].subject();
            let (way, conditions) = (family.way(seed), subject.conditions(seed));
            if !explore.one(subject, &way, &conditions).violations.is_empty() {
                let token = Token { identity: subject.identity(), way, conditions };
                return Some(Found { runs, prey: suite.swap_remove(at), token });
            }
        }
    }
    None
}

/// The names under which checkers report what a mutant breaks.
fn reported(breaks: &str) -> &'static [&'static str] {
    match breaks {
        "results complete" | "progress" => &["complete", "progress"],
        "results unique" => &["unique"],
        "results ordered" => &["order"],
        "barriers" => &["barrier", "order of the line"],
        "cap" => &["cap"],
        // The result of a later call is final before it is handed over.
        "no start after the result" => &["no start after the result", "one body"],
        "no call without permission" => &["permission", "hooks close"],
        "one claim" => &["one claim"],
        "decided input is run input" => &["decided input"],
        "killswitch" => &["killswitch"],
        "byte-stable tool list" => &["tool list"],
        "no deferred tool before it is loaded" => &["loaded first"],
        "child never wider" => &["child"],
        other => panic!("{other} is no invariant of the table"),
    }
}

fn calls(events: &[Stamped]) -> usize {
    events.iter().filter(|stamped| matches!(stamped.event, Event::Planned { .. })).count()
}

#[test]
fn the_mutants_are_of_kinds_that_were_fixed_beforehand() {
    assert!(Mutant::ALL.len() >= 30, "{}", Mutant::ALL.len());
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rooms: BTreeSet<&str> = BTreeSet::new();
    for mutant in Mutant::ALL {
        *kinds.entry(mutant.breaks()).or_default() += 1;
        rooms.insert(mutant.room());
        assert!(!reported(mutant.breaks()).is_empty());
    }
    println!("{kinds:#?}");
    assert_eq!(kinds.len(), 14);
    assert!(kinds.values().all(|count| *count >= 2), "{kinds:?}");
    assert_eq!(
        rooms.into_iter().collect::<Vec<_>>(),
        ["hooks", "permission", "pipeline", "scheduler", "session"]
    );
}

fn shrunk(found: &Found) -> Shrunk {
    let (explore, Token { way, conditions, .. }) = (explore(), &found.token);
    let small = match &found.prey {
        Prey::Recording(recording) => shrink_recording(&explore, recording, way, conditions),
        Prey::Scene(scene) => shrink(&explore, scene, way, conditions),
    };
    small.expect("it was found by failing")
}

/// What came out of shrinking shows the same, read anew.
fn shows_again(prey: &Prey, small: &Shrunk) -> Option<&'static str> {
    let token: Token = small.token.to_string().parse().expect("a token that was printed is read");
    let smaller;
    let subject = match (prey, &small.transcript) {
        (Prey::Recording(recording), Some(transcript)) => {
            smaller = Prey::Recording(Box::new(recording.with_transcript(transcript)));
            smaller.subject()
        }
        _scene => prey.subject(),
    };
    token.fits(&subject.identity()).expect("it names what was shrunk");
    let judged = explore().one(subject, &token.way, &token.conditions);
    judged.violations.first().map(|violation| violation.invariant)
}

#[test]
fn mutants_are_all_found_by_the_portfolio_and_shrunk_to_few_calls_and_deviations() {
    let mut took: Vec<Duration> = Vec::new();
    let mut lengths: Vec<usize> = Vec::new();
    let mut failed: Vec<String> = Vec::new();
    for &mutant in Mutant::ALL {
        let Some(found) = hunt(Some(mutant), Family::Portfolio, RUNS_MAX) else {
            failed.push(format!("{mutant:?} was not found"));
            continue;
        };
        let began = Instant::now();
        let small = shrunk(&found);
        took.push(began.elapsed());
        let (calls, deviations) = (calls(&small.judged.ran.events), small.deviations.len());
        let violation = small.violation.as_ref().expect("the same invariant is kept");
        println!(
            "{mutant:?}: {violation}; found in {} runs, shrunk in {} to {calls} calls",
            found.runs, small.runs
        );
        small.deviations.iter().for_each(|deviation| println!("    {deviation}"));
        let names: Vec<&str> = small.judged.violations.iter().map(|violation| violation.invariant).collect();
        if !names.iter().any(|name| reported(mutant.breaks()).contains(name)) {
            failed.push(format!("{mutant:?} breaks {names:?}"));
        }
        if calls > 3 || deviations > 5 {
            failed.push(format!("{mutant:?}: {calls} calls, {:#?}", small.deviations));
        }
        lengths.push(small.token.to_string().len());
        let again = shows_again(&found.prey, &small);
        if !again.is_some_and(|again| names.contains(&again)) {
            failed.push(format!("{mutant:?} shows {again:?} when it is read anew"));
        }
    }
    took.sort_unstable();
    lengths.sort_unstable();
    println!("median time of shrinking {:?}; tokens of {lengths:?} characters", took[took.len() / 2]);
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(lengths[lengths.len() * 95 / 100] <= 120, "{lengths:?}");
}

#[test]
fn without_a_mutant_the_suite_breaks_nothing_and_sees_what_it_should() {
    let declared = [
        "side by side",
        "the cap was saturated",
        "the person won",
        "a hook won",
        "an answer came too late",
        "a call was denied",
        "a body was stopped",
        "a call was cancelled before its body",
        "a body failed",
        "a sibling was cancelled",
        "a call became unsafe",
        "a hook failed",
        "a hook timed out",
    ];
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for prey in suite(None) {
        let witnessed = || [checks::checkers(), checks::witnesses()].into_iter().flatten().collect();
        let found = Explore::new().checkers(witnessed).seeds(prey.subject(), 0..120);
        assert!(found.findings.is_empty(), "{found}");
        seen.extend(found.coverage.0.iter().filter(|(_, runs)| **runs > 0).map(|(name, _)| *name));
    }
    let missing: Vec<_> = declared.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "never seen: {missing:?}");
}

/// The library tells these invariants from facts that the runtime tells; the tools, the person and the model of the prey
/// say themselves what they ran, approved and were given.
#[test]
fn what_the_checkers_find_is_what_witnesses_saw() {
    for &mutant in Mutant::ALL {
        let names = reported(mutant.breaks());
        if !names.iter().any(|name| checks::WITNESSED.contains(name)) {
            continue;
        }
        let found = hunt(Some(mutant), Family::Portfolio, RUNS_MAX).expect("every bug is found");
        let Token { way, conditions, .. } = &found.token;
        let ran = Explore::new().one(found.prey.subject(), way, conditions).ran;
        let seen = check::run(checks::witnesses(), &ran.events);
        let told = check::all(&ran.events, ran.cap);
        for violations in [&seen, &told] {
            let is_told = violations.iter().any(|violation| names.contains(&violation.invariant));
            assert!(is_told, "{mutant:?}: {seen:#?} {told:#?}");
        }
    }
}

fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("it is a number"))
}

/// How many runs each way takes for each mutant: printed, and judged in that there is a way for each where the
/// environment asks for as many runs as there are.
#[test]
fn mutants_by_strategy() {
    let runs_max = asked(TABLE_RUNS_ASKED).unwrap_or(TABLE_RUNS);
    let families: Vec<Family> = Family::PLAIN.into_iter().chain([Family::Portfolio]).collect();
    let head: Vec<String> = families.iter().map(|family| format!("{:>10}", family.to_string())).collect();
    println!("{:<28}{:<12}{}", "runs until found", "in", head.concat());
    let mut missed = Vec::new();
    for &mutant in Mutant::ALL {
        let runs =
            families.iter().map(|family| hunt(Some(mutant), *family, runs_max).map(|found| found.runs));
        let runs: Vec<Option<u64>> = runs.collect();
        let cell = |runs: &Option<u64>| match runs {
            Some(runs) => format!("{runs:>10}"),
            None => format!("{:>10}", format!(">{runs_max}")),
        };
        let cells: Vec<String> = runs.iter().map(cell).collect();
        println!("{:<28}{:<12}{}", format!("{mutant:?}"), mutant.room(), cells.concat());
        missed.extend(runs.iter().all(Option::is_none).then_some(mutant));
    }
    if runs_max >= RUNS_MAX {
        assert_eq!(missed, []);
    }
}

/// Some bugs need one task to wait while others do much: chance hardly ever makes it wait, priorities often do.
#[test]
fn some_mutants_are_missed_by_chance_alone_in_all_the_runs_there_are() {
    let runs_max = asked(CHANCE_RUNS_ASKED).unwrap_or(CHANCE_RUNS);
    let is_missed = |mutant: &Mutant| hunt(Some(*mutant), Family::Random, runs_max).is_none();
    let missed: Vec<Mutant> = Mutant::ALL.iter().copied().filter(is_missed).collect();
    println!("missed by chance alone in {runs_max} runs: {missed:?}");
    assert!(missed.len() >= MISSED_MIN, "{missed:?}");
}

#[test]
fn the_run_most_like_production_finds_fewer_mutants_than_seeds_do() {
    let found = |way: &Way| {
        let shows = |mutant: &&Mutant| {
            suite(Some(**mutant)).iter().any(|prey| {
                let judged = explore().one(prey.subject(), way, &Conditions::default());
                !judged.violations.is_empty()
            })
        };
        Mutant::ALL.iter().filter(shows).count()
    };
    assert!(found(&Way::First) < Mutant::ALL.len());
}

#[test]
fn the_mutant_that_claims_twice_is_found_by_an_exhaustive_search() {
    let conditions = Conditions { racer: Some(RacerSays::Same), ..Conditions::default() };
    let subject = one_question(Some(Mutant::DoubleClaim));
    let found = Explore::new().search(&subject, Dpor::new(Aborts::Conflict), &conditions, 2_000);
    assert!(found.is_complete, "{found}");
    assert_eq!(found.findings[0].violation.invariant, "one claim");
    let held = Explore::new().search(&one_question(None), Dpor::new(Aborts::Conflict), &conditions, 2_000);
    assert!(held.is_complete && held.is_ok(), "{held}");
}
