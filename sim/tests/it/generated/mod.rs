//! Generated sessions: whatever is in a turn, however its calls arrive and whenever somebody stops it, the invariants
//! hold, each call is accounted for, and nothing waits for ever.
//!
//! `PROPTEST_CASES` sets how many; a failing one is shrunk and printed with its seed. The large run is
//! `PROPTEST_CASES=100000 cargo test --profile sweep -p toolwright-sim --no-default-features --test it generated -- --nocapture`.

mod case;
mod drive;
mod mix;

use std::sync::Mutex;

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use toolwright_sim::check;

use self::case::{Case, Way};
use self::drive::{Ran, drive};
use self::mix::Mix;
use super::conversation::unpaired;
use super::world::{number, silence_written_panics};

/// How many cases run unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 1_500;

/// In how many parts they run, side by side: always the same, so that every machine runs the same cases.
const SWEEPS: u32 = 4;

fn cases() -> u32 {
    let said = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    said.unwrap_or(CASES)
}

#[test]
fn every_invariant_holds_in_every_generated_session() {
    silence_written_panics();
    let share = cases().div_ceil(SWEEPS).max(1);
    let mix = Mutex::new(Mix::default());
    std::thread::scope(|scope| {
        let sweeps: Vec<_> = (0..SWEEPS).map(|number| scope.spawn(move || sweep(number, share))).collect();
        for sweep in sweeps {
            match sweep.join().expect("the sweep itself does not panic") {
                Ok(seen) => mix.lock().expect("no other thread panicked").add(&seen),
                Err(failure) => panic!("{failure}"),
            }
        }
    });
    let mix = mix.into_inner().expect("no thread panicked");
    println!("{mix}");
    assert_eq!(mix.missing(), [""; 0], "a sweep without these proves little:\n{mix}");
}

/// Runs so many cases from a source of chance of its own; gives what was seen, or the smallest case that fails.
fn sweep(number: u32, cases: u32) -> Result<Mix, String> {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&number.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let seen = Mutex::new(Mix::default());
    let ran = runner.run(&case::cases(), |case| {
        let ran = drive(&case);
        judge(&case, &ran).map_err(TestCaseError::fail)?;
        seen.lock().expect("a case that panics is caught outside").see(&case, &ran);
        Ok(())
    });
    match ran {
        Ok(()) => Ok(seen.into_inner().expect("no case panicked")),
        Err(TestError::Fail(reason, case)) => Err(format!("{reason}\n{case:#?}")),
        Err(TestError::Abort(reason)) => Err(reason.to_string()),
    }
}

fn judge(case: &Case, ran: &Ran) -> Result<(), String> {
    let shown = || ran.lines();
    let ends = ran.ends.as_ref().map_err(|stuck| format!("{stuck}\n{}", shown()))?;
    let broken = check::all(&ran.events, number(case.cap));
    if !broken.is_empty() {
        return Err(format!("{broken:#?}\n{}", shown()));
    }
    for (turn, &results) in case.turns.iter().zip(ends) {
        let wanted = match turn.way {
            Way::Whole | Way::Streamed => Some(turn.calls.len()),
            Way::Dropped { .. } | Way::Abandoned { .. } | Way::Spoken { .. } => None,
        };
        if wanted.is_some_and(|wanted| wanted != results) {
            return Err(format!("{results} results for {} calls\n{}", turn.calls.len(), shown()));
        }
    }
    if ran.lost() > 0 {
        return Err(format!("a call ended without words of its own\n{}", shown()));
    }
    match unpaired(&ran.conversation) {
        Some(unpaired) => Err(format!("{unpaired}\n{}", shown())),
        None => Ok(()),
    }
}
