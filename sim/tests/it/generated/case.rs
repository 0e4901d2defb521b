//! What a generated session consists of.

use proptest::prelude::*;
use proptest::sample::select;
use toolwright::session::SiblingPolicy;

use super::super::model::Close;
use super::super::world::Fate;

/// A session: turns, and what comes from outside.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) turns: Vec<TurnCase>,
    pub(super) siblings: SiblingPolicy,
    pub(super) cap: usize,
    pub(super) stops: Vec<Stop>,
    /// Of the schedule; without one, the run most like production.
    pub(super) seed: Option<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct TurnCase {
    pub(super) calls: Vec<Fate>,
    /// How long after the one before it each call arrives, where the turn streams.
    pub(super) gaps_ms: Vec<u64>,
    pub(super) way: Way,
}

/// How a turn is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As a whole.
    Whole,
    /// Call by call, as its message streams.
    Streamed,
    /// Call by call, until the message breaks off.
    Dropped { pause_ms: u64 },
    /// As a whole, by somebody who goes away.
    Abandoned { after_ms: u64 },
    /// By the query loop, with a model that ends like this.
    Spoken { close: Close },
}

/// Something that a person does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) when: When,
    pub(super) what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// So many milliseconds after the beginning.
    Ms(u64),
    /// Right after so many events, and so at any step of any call.
    Event(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Abort,
    Interrupt,
    NewMessage,
}

pub(super) fn cases() -> impl Strategy<Value = Case> {
    let policy = select(vec![SiblingPolicy::None, SiblingPolicy::Marked, SiblingPolicy::Any]);
    let stops = prop::collection::vec(stop(), 0..4);
    let parts =
        (prop::collection::vec(turn(), 1..3), policy, 1..5_usize, stops, prop::option::of(any::<u64>()));
    parts.prop_map(|(turns, siblings, cap, stops, seed)| Case { turns, siblings, cap, stops, seed })
}

fn turn() -> impl Strategy<Value = TurnCase> {
    let way = prop_oneof![
        2 => Just(Way::Whole),
        2 => Just(Way::Streamed),
        1 => (0..4_u64).prop_map(|n| Way::Dropped { pause_ms: n * 10 }),
        1 => (0..8_u64).prop_map(|n| Way::Abandoned { after_ms: n * 10 }),
        3 => select(vec![Close::Whole, Close::Whole, Close::Breaks]).prop_map(|close| Way::Spoken { close }),
    ];
    let call = (fate(), (0..4_u64).prop_map(|n| n * 5));
    (prop::collection::vec(call, 0..9), way).prop_map(|(calls, way)| {
        let (calls, gaps_ms) = calls.into_iter().unzip();
        TurnCase { calls, gaps_ms, way }
    })
}

fn stop() -> impl Strategy<Value = Stop> {
    let when = prop_oneof![
        1 => (0..12_u64).prop_map(|n| When::Ms(n * 10)),
        2 => (1..80_usize).prop_map(When::Event),
    ];
    let what = prop_oneof![3 => Just(What::Abort), 2 => Just(What::Interrupt), 1 => Just(What::NewMessage)];
    (when, what).prop_map(|(when, what)| Stop { when, what })
}

fn fate() -> impl Strategy<Value = Fate> {
    let tool = select(vec!["Work", "Work", "Work", "Shell", "Shell", "Limited", "Limited", "Unknown"]);
    let end = select(vec!["ok", "ok", "ok", "fail", "panic", "move", "say", "invalid"]);
    let hook = prop_oneof![
        6 => Just(""),
        3 => Just("rewrite"),
        1 => select(vec!["deny", "ask", "allow", "fail", "panic"]),
    ];
    let racer = select(vec!["", "", "allow", "deny", "rewrite", "panic"]);
    let person = select(vec!["", "allow", "allow", "allow", "deny", "rewrite", "panic"]);
    let does = (tool, prop::bool::weighted(0.75), prop::bool::weighted(0.3), 0..5_u64, end);
    let asked = ((hook, 0..3_u64), (racer, 0..3_u64), (person, 0..3_u64), 0..3_u64);
    (does, asked, prop::bool::weighted(0.05)).prop_map(
        |(
            (tool, safe, asks, ms, end),
            ((hook, hook_ms), (racer, racer_ms), (person, person_ms), post),
            garbled,
        )| {
            Fate {
                tool,
                safe,
                asks,
                ms: ms * 10,
                end,
                garbled,
                hook,
                hook_ms: hook_ms * 10,
                racer,
                racer_ms: racer_ms * 10,
                person,
                person_ms: person_ms * 10,
                post_ms: post * 10,
            }
        },
    )
}
