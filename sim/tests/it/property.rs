//! Generated recordings: they replay whatever they are, and what proptest makes small is small.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use toolwright::registry::Catalogue;
use toolwright_sim::explore::{Explore, Recording};
use toolwright_sim::property;
use toolwright_sim::replay::{Arrivals, Options};
use toolwright_sim::transcript::{Outcome, Transcript};

use super::world::{Shell, Work};

const USES: [(&str, &str); 3] = [
    ("Work", r#"{"safe":true,"asks":false,"ms":0,"end":"ok"}"#),
    ("Work", r#"{"safe":false,"asks":true,"ms":0,"end":"ok"}"#),
    ("Shell", r#"{"safe":true,"asks":false,"ms":0,"end":"ok"}"#),
];

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

#[test]
fn every_generated_recording_keeps_every_invariant_under_every_seed_tried() {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>().add::<Shell>();
    let tried = runner(60).run(&(property::transcript(USES), 0..1_000_u64), |(transcript, seed)| {
        let options = Options { arrivals: Arrivals::AsRecorded, ..Options::default() };
        let recording = Recording::new(&transcript, &catalogue, &options);
        let found = Explore::new().seeds(&recording, seed..seed + 1);
        if found.is_ok() { Ok(()) } else { Err(TestCaseError::fail(found.to_string())) }
    });
    tried.expect("every invariant holds");
}

#[test]
fn a_generated_recording_that_breaks_a_property_is_made_as_small_as_it_can_be() {
    let has_failed = |transcript: &Transcript| {
        transcript.calls().any(|call| matches!(call.outcome, Outcome::Answered { is_error: true, .. }))
    };
    let tried = runner(500).run(&property::transcript(USES).prop_map(|it| it), |transcript| {
        if has_failed(&transcript) { Err(TestCaseError::fail("a call failed")) } else { Ok(()) }
    });
    let Err(TestError::Fail(_, small)) = tried else { panic!("some call fails") };
    assert_eq!((small.turns.len(), small.calls().count()), (1, 1), "{small:?}");
    assert_eq!(small.turns[0].calls[0].service_ms, Some(0));
}
