//! The implanted bugs as prey: how many runs each way of choosing takes to find them, and how small they become.

use std::time::{Duration, Instant};

use toolwright::Mutant;
use toolwright_sim::explore::{Explore, Recording, Subject};
use toolwright_sim::replay::{Conditions, RacerSays};
use toolwright_sim::shrink::shrink_recording;
use toolwright_sim::strategy::{Aborts, Dpor, Family, Way};
use toolwright_sim::token::Token;

use super::suite::{one_question, suite};

/// How many runs the portfolio may take for one bug.
const RUNS_MAX: u64 = 10_000;
/// How many runs each way by itself gets for the table, unless the environment says another number.
const TABLE_RUNS: u64 = 300;
const TABLE_RUNS_ASKED: &str = "TOOLWRIGHT_TABLE_RUNS";

/// A run that shows a bug.
struct Found {
    runs: u64,
    recording: Recording,
    token: Token,
}

/// Goes through the suite, recording by recording under one seed after another.
fn hunt(mutant: Option<Mutant>, family: Family, runs_max: u64) -> Option<Found> {
    let suite = suite(mutant);
    let explore = Explore::new();
    let mut runs = 0;
    for seed in 0.. {
        for recording in &suite {
            if runs == runs_max {
                return None;
            }
            runs += 1;
            let (way, conditions) = (family.way(seed), recording.conditions(seed));
            if !explore.one(recording, &way, &conditions).violations.is_empty() {
                let token = Token { identity: recording.identity(), way, conditions };
                return Some(Found { runs, recording: recording.clone(), token });
            }
        }
    }
    None
}

#[test]
fn mutants_are_all_found_by_the_portfolio_and_shrunk_to_few_calls_and_deviations() {
    let mut took: Vec<Duration> = Vec::new();
    let mut lengths: Vec<usize> = Vec::new();
    for &mutant in Mutant::ALL {
        let found = hunt(Some(mutant), Family::Portfolio, RUNS_MAX);
        let Found { runs, recording, token } = found.unwrap_or_else(|| panic!("{mutant:?} was not found"));
        let began = Instant::now();
        let small = shrink_recording(&Explore::new(), &recording, &token.way, &token.conditions)
            .expect("it was found by failing");
        took.push(began.elapsed());
        let (calls, deviations) = (small.calls(), small.deviations.len());
        let violation = small.violation.as_ref().expect("the same invariant is kept");
        println!("{mutant:?}: {violation}; found in {runs} runs, shrunk in {} to {calls} calls", small.runs);
        small.deviations.iter().for_each(|deviation| println!("    {deviation}"));
        assert!(calls <= 3 && deviations <= 5, "{mutant:?}: {calls} calls, {:#?}", small.deviations);
        lengths.push(small.token.to_string().len());
        // What came out shows the same, read anew.
        let transcript = small.transcript.expect("it is a recording");
        let again = recording.with_transcript(&transcript);
        let token: Token = small.token.to_string().parse().expect("a token that was printed is read");
        token.fits(&again.identity()).expect("it names the smaller recording");
        let judged = Explore::new().one(&again, &token.way, &token.conditions);
        assert_eq!(judged.violations.first().map(|v| v.invariant), Some(violation.invariant), "{mutant:?}");
    }
    took.sort_unstable();
    lengths.sort_unstable();
    println!("median time of shrinking {:?}; tokens of {lengths:?} characters", took[took.len() / 2]);
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
    ];
    let mut seen: std::collections::BTreeSet<&str> = std::collections::BTreeSet::new();
    for recording in suite(None) {
        let found = Explore::new().seeds(&recording, 0..120);
        assert!(found.findings.is_empty(), "{found}");
        seen.extend(found.coverage.0.iter().filter(|(_, runs)| **runs > 0).map(|(name, _)| *name));
    }
    let missing: Vec<_> = declared.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "never seen: {missing:?}");
}

/// How many runs each way takes for each mutant: printed, and judged only in that the mixed one misses none.
#[test]
fn mutants_by_strategy() {
    let runs_max: u64 =
        std::env::var(TABLE_RUNS_ASKED).map_or(TABLE_RUNS, |text| text.parse().expect("it is a number"));
    let families: Vec<Family> = Family::PLAIN.into_iter().chain([Family::Portfolio]).collect();
    let head: Vec<String> = families.iter().map(|family| format!("{:>9}", family.to_string())).collect();
    println!("{:<32}{}", "runs until found", head.concat());
    for &mutant in Mutant::ALL {
        let cell = |family: &Family| match hunt(Some(mutant), *family, runs_max) {
            Some(found) => format!("{:>9}", found.runs),
            None => format!("{:>9}", format!(">{runs_max}")),
        };
        let cells: Vec<String> = families.iter().map(cell).collect();
        println!("{:<32}{}", format!("{mutant:?}"), cells.concat());
    }
}

#[test]
fn the_run_most_like_production_finds_fewer_mutants_than_seeds_do() {
    let found = |way: &Way| {
        let shows = |mutant: &&Mutant| {
            suite(Some(**mutant)).iter().any(|recording| {
                let judged = Explore::new().one(recording, way, &Conditions::default());
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
