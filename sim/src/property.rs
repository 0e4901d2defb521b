//! Recordings for property tests: turns of calls to any tools, with how they ended and how long they took.
//!
//! ```
//! use proptest::prelude::*;
//! use toolwright_sim::explore::{Explore, Recording};
//! use toolwright_sim::{property, replay::Options};
//!
//! let uses = [("Glob", r#"{"pattern":"*.rs"}"#), ("Bash", r#"{"command":"make"}"#)];
//! proptest!(ProptestConfig::with_cases(16), |(transcript in property::transcript(uses), seed in 0..1_000_u64)| {
//!     let recording = Recording::new(&transcript, &toolwright_tools::catalogue(), &Options::default());
//!     let found = Explore::new().seeds(&recording, seed..seed + 1);
//!     prop_assert!(found.is_ok(), "{found}");
//! });
//! ```
//!
//! What proptest finds is small already: it leaves out turns and calls, and makes latencies shorter. The run itself is
//! made small by [`shrink`](crate::shrink).

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::transcript::{Call, Content, Input, Json, Outcome, Transcript, Turn};

/// How many turns a recording has at the most.
const TURNS_MAX: usize = 4;
/// How many calls a turn has at the most.
const CALLS_MAX: usize = 6;

/// How long something takes, in milliseconds: often no time at all, mostly little, and now and then minutes.
pub fn latency_ms() -> impl Strategy<Value = u64> {
    prop_oneof![3 => Just(0_u64), 6 => 1_u64..60, 2 => 60_u64..3_000, 1 => 3_000_u64..600_000]
}

/// How a recorded call ended: mostly well, else badly, or with a person's no, or without a result.
pub fn outcome() -> impl Strategy<Value = Outcome> {
    let answered = |is_error| Outcome::Answered { content: Content::Text("done".to_owned()), is_error };
    prop_oneof![
        6 => Just(answered(false)),
        2 => Just(answered(true)),
        1 => Just(Outcome::Rejected { text: "no".to_owned(), feedback: None }),
        1 => Just(Outcome::Unanswered),
    ]
}

/// A turn of calls, each of one of these tools with this input.
///
/// # Panics
/// Without any tool, and when an input is no JSON.
pub fn turn<N: Into<String>, I: AsRef<str>>(
    uses: impl IntoIterator<Item = (N, I)>,
) -> impl Strategy<Value = Turn> {
    let parsed = |(name, input): (N, I)| {
        let input = Json::parse(input.as_ref()).expect("the inputs of a property are JSON");
        (name.into(), input)
    };
    let uses: Vec<(String, Json)> = uses.into_iter().map(parsed).collect();
    let call = (select(uses), outcome(), latency_ms(), latency_ms());
    let call = call.prop_map(|((name, input), outcome, service_ms, arrived_ms)| Call {
        allowed: None,
        id: String::new(),
        name,
        input: Input::Json(input),
        arrived_ms: Some(arrived_ms),
        service_ms: Some(service_ms),
        ended_ms: None,
        outcome,
    });
    (vec(call, 1..=CALLS_MAX), latency_ms()).prop_map(|(calls, think_ms)| Turn {
        calls,
        think_ms: Some(think_ms),
        ..Turn::default()
    })
}

/// A recording of such turns, its turns and calls numbered.
///
/// # Panics
/// As [`turn`] does.
pub fn transcript<N: Into<String>, I: AsRef<str>>(
    uses: impl IntoIterator<Item = (N, I)>,
) -> impl Strategy<Value = Transcript> {
    vec(turn(uses), 1..=TURNS_MAX).prop_map(|mut turns| {
        for (at, turn) in turns.iter_mut().enumerate() {
            turn.id = format!("t{at}");
            for (index, call) in turn.calls.iter_mut().enumerate() {
                call.id = format!("t{at}c{index}");
            }
        }
        Transcript { turns, ..Transcript::default() }
    })
}
