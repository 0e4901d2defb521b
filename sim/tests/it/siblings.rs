//! Whose failure cancels whom: a function of the turn and of when its calls end, and of nothing else.

use proptest::prelude::*;
use toolwright::event::{Event, Refusal};
use toolwright::session::SiblingPolicy;
use toolwright_sim::check;

use super::streaming::{Arriving, planned_starts};
use super::world::{Fate, Script, number, run};

/// A call of a turn without hooks and questions: whether it is safe and marked, how long it takes, whether it fails.
#[derive(Clone, Copy, Debug)]
struct Sibling {
    safe: bool,
    marked: bool,
    ms: u64,
    fails: bool,
}

impl Sibling {
    fn fate(self) -> Fate {
        let end = if self.fails { "fail" } else { "ok" };
        let tool = if self.marked { "Shell" } else { "Work" };
        Fate { tool, safe: self.safe, ms: self.ms, end, ..Fate::default() }
    }

    fn fells(self, policy: SiblingPolicy) -> bool {
        self.fails
            && match policy {
                SiblingPolicy::None => false,
                SiblingPolicy::Marked => self.marked,
                SiblingPolicy::Any => true,
            }
    }
}

/// The results, worked out from the plan and the times alone: the first instant at which a call ends that fells the
/// others is the last at which any ends by itself.
fn wanted(calls: &[Sibling], cap: usize, policy: SiblingPolicy) -> Vec<String> {
    let arriving: Vec<_> =
        calls.iter().map(|call| Arriving { safe: call.safe, ms: call.ms, after_ms: 0 }).collect();
    let starts = planned_starts(&arriving, cap);
    let end = |index: usize| starts[index] + calls[index].ms;
    let felling = (0..calls.len()).filter(|&index| calls[index].fells(policy));
    let first = felling.map(|index| (end(index), index)).min();
    // Those that fell others hold their places until it is known whom; what else becomes free at that instant is taken.
    let hold = |(index, call): (usize, &Arriving)| match first {
        Some((at, _)) if calls[index].fells(policy) && end(index) == at => Arriving { ms: FOR_EVER, ..*call },
        _other => *call,
    };
    let held: Vec<_> = arriving.iter().enumerate().map(hold).collect();
    let starts_held = planned_starts(&held, cap);
    let text = |index: usize| {
        let own = if calls[index].fails { "! t0cN failed" } else { "t0cN in /" };
        let own = own.replace('N', &index.to_string());
        let Some((at, cause)) = first else { return own };
        let tool = if calls[cause].marked { "Shell" } else { "Work" };
        let cancelled = |when| format!("! the call was cancelled {when}: the parallel call {tool} failed");
        match (end(index) <= at, starts_held[index] <= at) {
            (true, _) => own,
            (false, true) => cancelled("while it ran"),
            (false, false) => cancelled("before it ran"),
        }
    };
    (0..calls.len()).map(text).collect()
}

/// Longer than any turn here.
const FOR_EVER: u64 = 1_000_000;

fn sibling() -> impl Strategy<Value = Sibling> {
    let parts = (prop::bool::weighted(0.8), any::<bool>(), 1..9_u64, prop::bool::weighted(0.25));
    parts.prop_map(|(safe, marked, ms, fails)| Sibling { safe, marked, ms: ms * 10, fails })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_failure_cancels_exactly_the_calls_that_the_policy_says_whatever_the_latencies(
        calls in prop::collection::vec(sibling(), 1..10),
        cap in 1..6_usize,
        policy in prop::sample::select(vec![SiblingPolicy::None, SiblingPolicy::Marked, SiblingPolicy::Any]),
        seeds in prop::array::uniform3(any::<u64>()),
    ) {
        let fates: Vec<Fate> = calls.iter().map(|call| call.fate()).collect();
        let script = Script { siblings: policy, cap, ..Script::new(vec![fates]) };
        let wanted = wanted(&calls, cap, policy);
        for seed in std::iter::once(None).chain(seeds.map(Some)) {
            let ran = run(&script, seed);
            let broken = check::all(&ran.events, number(cap));
            prop_assert!(broken.is_empty(), "{:?}: {:#?}\n{}", seed, broken, ran.lines());
            prop_assert_eq!(ran.results(), wanted.clone(), "{:?}\n{}", seed, ran.lines());
        }
    }
}

/// The results of a turn under a policy, which are the same under every schedule.
fn results(policy: SiblingPolicy, turn: Vec<Fate>) -> Vec<String> {
    let script = Script { siblings: policy, ..Script::new(vec![turn]) };
    let first = run(&script, None).results();
    for seed in 0..50 {
        assert_eq!(run(&script, Some(seed)).results(), first, "seed {seed}");
    }
    first
}

#[test]
fn of_three_edits_one_of_which_fails_the_others_finish() {
    let edit = |end| Fate { end, ..Fate::alone(10) };
    for policy in [SiblingPolicy::None, SiblingPolicy::Marked] {
        let results = results(policy, vec![edit("ok"), edit("fail"), edit("ok")]);
        assert_eq!(results, ["t0c0 in /", "! t0c1 failed", "t0c2 in /"]);
    }
}

#[test]
fn a_failing_read_cancels_nobody() {
    let mut turn = vec![Fate::safe(30); 6];
    turn.push(Fate::alone(5));
    turn[2] = Fate { end: "fail", ..Fate::safe(10) };
    turn[3] = Fate { end: "panic", ..Fate::safe(5) };
    for policy in [SiblingPolicy::None, SiblingPolicy::Marked] {
        let failed: Vec<bool> =
            results(policy, turn.clone()).iter().map(|text| text.starts_with('!')).collect();
        assert_eq!(failed, [false, false, true, true, false, false, false]);
    }
}

#[test]
fn every_error_result_cancels_the_others_under_any_also_one_without_a_body() {
    let slow = Fate { hook_ms: 50, ..Fate::safe(50) };
    let denied = Fate { hook: "deny", ..Fate::safe(0) };
    let invalid = Fate { end: "invalid", ..Fate::safe(0) };
    let refused = Fate { asks: true, person: "deny", ..Fate::safe(0) };
    for (failing, name) in [(denied, "Work"), (invalid, "Work"), (refused, "Work")] {
        let results = results(SiblingPolicy::Any, vec![slow.clone(), failing, slow.clone(), Fate::alone(0)]);
        let cancelled = format!("! the call was cancelled before it ran: the parallel call {name} failed");
        assert_eq!([&results[0], &results[2], &results[3]], [&cancelled; 3], "{results:#?}");
        assert!(results[1].starts_with('!') && results[1] != cancelled);
    }
}

/// A call that is slow and must run alone, as one that runs a skill or an agent is.
#[test]
fn a_skill_in_a_batch_goes_on_whatever_its_siblings_do_unless_a_marked_one_fails_under_marked() {
    let skill = || Fate { end: "say", ..Fate::alone(500) };
    let shell = |end| Fate::shell(10, end);
    let read = Fate { end: "fail", ..Fate::safe(10) };
    for (policy, failing, cancels) in [
        (SiblingPolicy::None, shell("fail"), false),
        (SiblingPolicy::Marked, read, false),
        (SiblingPolicy::Marked, Fate { hook: "deny", ..shell("ok") }, false),
        (SiblingPolicy::Marked, shell("fail"), true),
    ] {
        let results = results(policy, vec![failing, skill(), skill()]);
        let cancelled = "! the call was cancelled before it ran: the parallel call Shell failed";
        let wanted = if cancels { [cancelled; 2] } else { ["t0c1 in /", "t0c2 in /"] };
        assert_eq!(results[1..], wanted);
    }
}

#[test]
fn calls_of_later_batches_are_cancelled_too_and_those_that_ended_keep_their_results() {
    let turn = vec![Fate::alone(5), Fate::shell(10, "fail"), Fate::safe(5), Fate::alone(5), Fate::safe(5)];
    let script = Script { siblings: SiblingPolicy::Marked, ..Script::new(vec![turn]) };
    for seed in 0..100 {
        let ran = run(&script, Some(seed));
        let results = ran.results();
        assert_eq!((results[0].as_str(), results[2].as_str()), ("t0c0 in /", "t0c2 in /"));
        let never = "! the call was cancelled before it ran: the parallel call Shell failed";
        assert_eq!(results[3..], [never, never]);
        let cancelled = |event: &Event| matches!(event, Event::Refused { step: Refusal::Cancelled, .. });
        assert_eq!(ran.events.iter().filter(|stamped| cancelled(&stamped.event)).count(), 2);
    }
}

#[test]
fn a_stalled_call_that_is_aborted_loses_no_result_that_was_there() {
    let turn = vec![Fate::safe(5_000_000), Fate::safe(10), Fate { end: "fail", ..Fate::safe(20) }];
    let script = Script { abort_ms: Some(100), ..Script::new(vec![turn]) };
    for seed in 0..50 {
        let results = run(&script, Some(seed)).results();
        let aborted = "! the call was cancelled while it ran: the turn was aborted";
        assert_eq!(results, [aborted, "t0c1 in /", "! t0c2 failed"]);
    }
}

#[test]
fn a_name_that_cannot_be_one_is_an_error_for_its_call_and_hangs_nobody() {
    for name in ["", "no such tool", "Work ", "\u{0}", "mcp__a__b", "🦀"] {
        let broken = Fate { tool: name, ..Fate::safe(0) };
        let results = results(SiblingPolicy::Marked, vec![Fate::safe(10), broken, Fate::safe(10)]);
        assert_eq!([results[0].as_str(), results[2].as_str()], ["t0c0 in /", "t0c2 in /"]);
        assert!(results[1].starts_with('!'), "{results:?}");
    }
}
