//! Every checker finds what it is there for, in events made by hand.

use toolwright::env::Tick;
use toolwright::event::{Decided, Digest, Event, Outcome, Refusal, Stamped, Verdict};
use toolwright::message::{CallId, Content, TurnId};
use toolwright_sim::check;

use super::world::number;

fn id(call: usize) -> CallId {
    CallId::new(format!("c{call}"))
}

fn planned(index: usize, safe: bool) -> Event {
    let (turn, tool, label) = (TurnId(0), "T".to_owned(), "T".to_owned());
    Event::Planned { turn, call: id(index), index, batch: index, tool, safe, label, deferred: None }
}

fn decided(call: usize, decision: Verdict) -> Event {
    Event::Decided(Decided {
        call: id(call),
        decision,
        by: "rule".to_owned(),
        rule: None,
        source: None,
        reason: String::new(),
        input: Some(Digest::of("{}")),
        is_rewritten: false,
    })
}

fn started(call: usize) -> Event {
    Event::Started { call: id(call), input: Digest::of("{}") }
}

fn finished(call: usize, outcome: Outcome) -> Event {
    Event::Finished { call: id(call), outcome }
}

fn refused(call: usize) -> Event {
    Event::Refused { call: id(call), step: Refusal::Input, reason: String::new() }
}

fn result(call: usize, is_error: bool) -> Event {
    Event::Result { turn: TurnId(0), call: id(call), is_error, content: Content::from("") }
}

/// All of a call that ran by itself.
fn ran(call: usize) -> Vec<Event> {
    vec![decided(call, Verdict::Allow), started(call), finished(call, Outcome::Ok), result(call, false)]
}

fn found(events: Vec<Event>) -> Vec<&'static str> {
    let stamp = |(at, event)| Stamped { at: Tick(at), event };
    let events: Vec<Stamped> = (0..).zip(events).map(stamp).collect();
    let mut found: Vec<_> =
        check::all(&events, number(2)).into_iter().map(|broken| broken.invariant).collect();
    found.dedup();
    found
}

fn joined(parts: impl IntoIterator<Item = Vec<Event>>) -> Vec<Event> {
    parts.into_iter().flatten().collect()
}

#[test]
fn a_good_run_breaks_nothing() {
    let two = vec![planned(0, true), planned(1, false)];
    assert_eq!(found(joined([two.clone(), ran(0), ran(1)])), [""; 0]);
    let none = vec![refused(0), decided(1, Verdict::Deny), result(0, true), result(1, true)];
    assert_eq!(found(joined([two, none])), [""; 0]);
    assert_eq!(found(Vec::new()), [""; 0]);
}

#[test]
fn each_broken_invariant_is_found_by_its_name() {
    let one = || vec![planned(0, false)];
    let two = |safe| vec![planned(0, safe), planned(1, safe)];
    let three = || vec![planned(0, true), planned(1, true), planned(2, true)];
    let allowed = |calls: usize| (0..calls).map(|call| decided(call, Verdict::Allow)).collect::<Vec<_>>();
    let begun = |calls: usize| (0..calls).map(started).collect::<Vec<_>>();
    let ended = |calls: usize| {
        let all = (0..calls).map(|call| finished(call, Outcome::Ok));
        all.chain((0..calls).map(|call| result(call, false))).collect::<Vec<_>>()
    };
    let cases = [
        ("complete", joined([two(true), ran(0), allowed(0), vec![refused(1)]])),
        ("unique", joined([one(), one(), ran(0)])),
        ("unique", joined([one(), ran(0), vec![result(0, true)]])),
        ("unique", joined([one(), ran(0), vec![Event::ResultRefused { call: id(0) }]])),
        ("order", vec![planned(1, true)]),
        ("order", joined([two(true), vec![refused(0), refused(1), result(1, true), result(0, true)]])),
        ("barrier", joined([two(false), allowed(2), begun(2), ended(2)])),
        (
            "barrier",
            joined([
                two(true),
                vec![Event::Rejudged { call: id(1), safe: false }],
                allowed(2),
                begun(2),
                ended(2),
            ]),
        ),
        ("cap", joined([three(), allowed(3), begun(3), ended(3)])),
        (
            "order of the line",
            joined([
                two(false),
                allowed(2),
                ran(1)[1..3].to_vec(),
                begun(1),
                ended(1),
                vec![result(1, false)],
            ]),
        ),
        ("permission", joined([one(), begun(1), ended(1)])),
        ("permission", joined([one(), vec![decided(0, Verdict::Deny)], begun(1), ended(1)])),
        ("one claim", joined([one(), allowed(1), ran(0)])),
        ("one body", joined([one(), allowed(1), vec![finished(0, Outcome::Ok), result(0, false)]])),
        ("one body", joined([one(), allowed(1), vec![refused(0)], begun(1), ended(1)])),
        ("one body", joined([one(), allowed(1), begun(1), begun(1), ended(1)])),
        ("one body", joined([one(), allowed(1), begun(1)])),
        (
            "no start after the result",
            joined([one(), allowed(1), vec![refused(0), result(0, true)], begun(1)]),
        ),
        ("backed", joined([one(), vec![result(0, true)]])),
        ("backed", joined([one(), allowed(1), begun(1), vec![result(0, true), finished(0, Outcome::Error)]])),
        (
            "backed",
            joined([one(), allowed(1), begun(1), vec![finished(0, Outcome::Error), result(0, false)]]),
        ),
    ];
    for (number, (invariant, events)) in cases.into_iter().enumerate() {
        let found = found(events);
        assert!(found.contains(&invariant), "case {number}: {found:?} lacks `{invariant}`");
    }
}

#[test]
fn a_turn_that_begins_before_the_one_before_is_answered_is_found() {
    let (turn, tool, label) = (TurnId(1), "T".to_owned(), "T".to_owned());
    let next =
        Event::Planned { turn, call: id(9), index: 0, batch: 0, tool, safe: true, label, deferred: None };
    assert!(found(vec![planned(0, true), next]).contains(&"complete"));
}

#[test]
fn time_that_runs_backwards_is_found() {
    let stamp = |(at, event)| Stamped { at: Tick(at), event };
    let events: Vec<Stamped> =
        [(5, planned(0, true)), (4, refused(0)), (6, result(0, true))].map(stamp).to_vec();
    let found: Vec<_> = check::all(&events, number(1)).into_iter().map(|broken| broken.invariant).collect();
    assert_eq!(found, ["time"]);
}
