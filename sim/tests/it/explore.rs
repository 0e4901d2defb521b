//! Exploring: what breaks is found, named by a token, shown again by it, made small, and explained.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolwright::event::{Event, Stamped};
use toolwright::message::{ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright_sim::check::{Checker, Violation};
use toolwright_sim::explore::{Explore, Identity, Scene, State, Subject, Summary};
use toolwright_sim::faults::{Fault, Faults};
use toolwright_sim::replay::{Abort, Conditions, RacerSays};
use toolwright_sim::shrink::shrink;
use toolwright_sim::strategy::{Deviations, Dpor, Family, Label, Way};
use toolwright_sim::testing;
use toolwright_sim::token::{Mismatch, Token, TokenError};
use toolwright_sim::why::why;

use super::minimal::{How, Shape, turn};
use super::world::{ms, number};

/// Adds one to a counter: it looks, thinks, and writes what it saw plus one.
#[tool(concurrency_safe, read_only, state = Arc<std::sync::Mutex<u64>>)]
struct Count {}

impl Tool for Count {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        let seen = *cx.state().lock().expect("nobody panics");
        // Some calls think longer than others.
        let thinks = cx.env().choose("thinks", 2) as u64;
        cx.sleep(ms(thinks)).await;
        *cx.state().lock().expect("nobody panics") = seen + 1;
        Ok(format!("{}", seen + 1))
    }
}

/// Three calls that count; two of them must not come to the same number.
fn counting() -> Scene {
    let calls = (0..3).map(|index| ToolUse::new(format!("c{index}"), "Count", "{}")).collect();
    Scene::turns("counting", [Turn::new(calls)], |env| {
        let mut catalogue = Catalogue::new();
        catalogue.add_with::<Count>(Arc::default());
        Session::builder(env, catalogue)
    })
}

/// No two results are the same.
#[derive(Default)]
struct Distinct(Vec<String>);

impl Checker for Distinct {
    fn see(&mut self, event: &Stamped, broken: &mut Vec<Violation>) {
        if let Event::Result { call, content, .. } = &event.event {
            let content = format!("{content:?}");
            if self.0.contains(&content) {
                let detail = format!("{content} was given twice");
                broken.push(Violation { invariant: "distinct", call: Some(call.clone()), detail });
            }
            self.0.push(content);
        }
    }
}

fn distinct<'a>() -> Explore<'a> {
    Explore::new().checkers(|| vec![Box::<Distinct>::default()])
}

/// A run in which two calls saw the same number.
fn lost_update(family: Family) -> (Scene, Token) {
    let scene = counting();
    let found = distinct().family(family).seeds(&scene, 0..200);
    let finding = found.findings.first().unwrap_or_else(|| panic!("{family}: {found}"));
    assert_eq!(finding.violation.invariant, "distinct");
    let token = finding.token.clone();
    (scene, token)
}

#[test]
fn a_developers_own_race_is_found_by_every_family_and_shown_again_by_its_token() {
    for family in Family::PLAIN.into_iter().chain([Family::Portfolio]) {
        let (scene, token) = lost_update(family);
        let read: Token = token.to_string().parse().expect("a token that was printed is read");
        assert_eq!(read, token);
        read.fits(&scene.identity()).expect("it is the same scene");
        let first = distinct().one(&scene, &read.way, &read.conditions);
        let again = distinct().one(&scene, &read.way, &read.conditions);
        assert_eq!(first.ran.events, again.ran.events);
        assert_eq!(first.violations[0].invariant, "distinct");
        // By its choices alone, without the seed that made them.
        let choices = Way::Choices(Deviations::of(&first.choices, read.way.chance()));
        assert_eq!(distinct().one(&scene, &choices, &read.conditions).ran.events, first.ran.events);
    }
}

#[test]
fn a_failure_is_shrunk_to_few_deviations_with_the_same_invariant() {
    let (scene, token) = lost_update(Family::Portfolio);
    let small = shrink(&distinct(), &scene, &token.way, &token.conditions).expect("it fails");
    assert_eq!(small.violation.as_ref().map(|violation| violation.invariant), Some("distinct"));
    assert!(small.deviations.len() <= 2, "{:#?}", small.deviations);
    assert!(small.token.to_string().len() <= 120, "{}", small.token);
    assert!(small.runs <= 500);
    let twice =
        shrink(&distinct(), &scene, &small.token.way, &small.token.conditions).expect("it still fails");
    assert!(twice.deviations.len() <= small.deviations.len());
    let test = small.test("it_counts", "counting.twt.jsonl");
    assert!(test.contains("sim_test!(it_counts, replay = \"tws1."), "{test}");
}

#[test]
fn a_run_that_breaks_nothing_is_not_shrunk_nor_explained() {
    let subject = turn(&[Shape::SAFE], How::default());
    assert!(shrink(&Explore::new(), &subject, &Way::First, &Conditions::default()).is_err());
    assert!(why(&Explore::new(), &subject, &Way::First, &Conditions::default(), 10).is_none());
}

#[test]
fn why_names_a_choice_before_which_the_run_could_be_saved_and_after_which_it_could_not() {
    let scene = counting().cap(number(1));
    // One at a time no update is lost.
    assert!(distinct().seeds(&scene, 0..50).is_ok());
    /// The person and the hook differ, and this invariant is on the person's side.
    struct PersonWins;
    impl Checker for PersonWins {
        fn see(&mut self, event: &Stamped, broken: &mut Vec<Violation>) {
            if let Event::Decided(decided) = &event.event
                && decided.by != "person"
            {
                let detail = format!("{} won", decided.by);
                broken.push(Violation { invariant: "person wins", call: None, detail });
            }
        }
    }
    let explore = Explore::new().checkers(|| vec![Box::new(PersonWins)]);
    let subject = turn(&[Shape::RACED], How::default());
    let found = explore.seeds(&subject, 0..20);
    let finding = found.findings.first().expect("the hook wins sometimes");
    let why = why(&explore, &subject, &finding.token.way, &finding.token.conditions, 40).expect("it fails");
    assert_eq!(why.invariant, "person wins");
    assert!((1..=why.choices).contains(&why.inevitable), "{why:?}");
    let before = why.odds.iter().rfind(|odds| odds.kept < why.inevitable).expect("it was measured");
    assert!(before.failed < before.of, "{why:?}");
    assert!(why.odds.iter().filter(|odds| odds.kept >= why.inevitable).all(|odds| odds.failed == odds.of));
    assert!(why.choice.is_some());
}

#[test]
fn a_sweep_in_which_a_declared_state_is_never_seen_fails() {
    let subject = turn(&[Shape::RACED], How::default());
    let explore = Explore::new().sometimes(["a hook won", "the person won", "an answer came too late"]);
    assert!(explore.seeds(&subject, 0..40).is_ok());
    let vacuous = Explore::new().sometimes(["a sibling was cancelled"]).seeds(&subject, 0..10);
    assert_eq!(vacuous.missing, ["a sibling was cancelled"]);
    assert!(!vacuous.is_ok() && vacuous.findings.is_empty());
    let own = State { name: "nothing happened", is_in: |events, _cap| events.is_empty() };
    let own = Explore::new().state(own).sometimes(["nothing happened"]).seeds(&subject, 0..5);
    assert_eq!((own.missing, own.coverage.count("nothing happened")), (vec!["nothing happened"], 0));
}

#[test]
fn an_exhaustive_search_finds_what_seeds_find_and_says_that_it_is_complete() {
    let found = distinct().search(&counting(), Dpor::default(), &Conditions::default(), 5_000);
    assert_eq!(found.findings[0].violation.invariant, "distinct");
    let token = &found.findings[0].token;
    let again = distinct().one(&counting(), &token.way, &token.conditions);
    assert_eq!(again.violations[0].invariant, "distinct");
    let whole = Explore::new().search(
        &turn(&[Shape::RACED], How::default()),
        Dpor::default(),
        &Conditions::default(),
        100,
    );
    assert!(whole.is_complete && whole.is_ok(), "{whole}");
}

#[test]
fn a_session_that_keeps_state_between_runs_is_told_to_do_so() {
    let (kept, other) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let calls = |kept: &Arc<AtomicU64>| {
        let kept = Arc::clone(kept);
        Scene::driven(
            "kept",
            |env| {
                let mut catalogue = Catalogue::new();
                catalogue.add_with::<Count>(Arc::default());
                Session::builder(env, catalogue)
            },
            move |_env, session| {
                let calls = kept.fetch_add(1, Ordering::Relaxed) % 2 + 1;
                Box::pin(async move {
                    let call = |index| ToolUse::new(format!("c{index}"), "Count", "{}");
                    session.run_turn(Turn::new((0..calls).map(call).collect())).await;
                })
            },
        )
    };
    let found = Explore::new().seeds(&calls(&kept), 0..1);
    assert_eq!(found.findings[0].violation.invariant, "determinism", "{found}");
    let found = Explore::new().search(&calls(&other), Dpor::default(), &Conditions::default(), 100);
    assert_eq!(found.findings[0].violation.invariant, "determinism", "{found}");
    assert!(!found.is_complete);
}

/// Runs one test of this program with these variables; gives whether it passed, and what it said.
fn with_variables(test: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let mut other = Command::new(std::env::current_exe().expect("a test knows its program"));
    other.args(["--exact", test, "--nocapture"]).envs(variables.iter().copied());
    let output = other.output().expect("this program runs twice");
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn the_environment_says_which_seed_or_run_a_test_makes() {
    let test = "explore::explorations_in_tests_need_one_line";
    let subject = turn(&[Shape::SAFE, Shape::ALONE], How::default());
    let token = |identity| {
        Token { identity, way: Way::Random { seed: 3 }, conditions: Conditions::default() }.to_string()
    };
    let (own, other) = (token(subject.identity()), token(Identity::of("x", "y")));
    for (variable, value, passes, says) in [
        ("TOOLWRIGHT_SEED", "7", true, ""),
        ("TOOLWRIGHT_SEEDS", "1", true, ""),
        ("TOOLWRIGHT_SEEDS", "some", false, "must be a number"),
        ("TOOLWRIGHT_REPLAY", own.as_str(), true, ""),
        ("TOOLWRIGHT_REPLAY", other.as_str(), false, "the token was made for another recording or scene"),
        ("TOOLWRIGHT_REPLAY", other.as_str(), false, "or the token is mistyped"),
        ("TOOLWRIGHT_REPLAY", "tws1.x", false, "is no token"),
    ] {
        let (passed, said) = with_variables(test, &[(variable, value)]);
        assert_eq!(passed, passes, "{variable}={value}: {said}");
        assert!(said.contains(says), "{variable}={value}: {said}");
    }
}

#[test]
fn a_run_without_end_is_given_up_and_says_who_runs() {
    let spin = Scene::driven(
        "spin",
        |env| Session::builder(env, Catalogue::new()),
        |env, _session| {
            Box::pin(async move {
                loop {
                    env.point(toolwright::env::Object::Line, toolwright::env::Access::Read).await;
                }
            })
        },
    );
    let found = Explore::new().steps_max(1_000).seeds(&spin, 0..1);
    let said = found.findings[0].violation.to_string();
    assert!(said.contains("livelock") && said.contains("1000 steps") && said.contains("root#0"), "{said}");
}

#[test]
fn a_replayed_run_that_fails_shows_its_timeline() {
    // Not a failure of this test, unless the run of it below asks for that.
    let explore = match std::env::var_os("TOOLWRIGHT_REPLAY") {
        Some(_) => distinct(),
        None => Explore::new(),
    };
    testing::explore(&explore, &counting(), 3);
}

#[test]
fn the_token_of_a_failing_run_shows_it_again_with_its_timeline() {
    let (_scene, token) = lost_update(Family::Portfolio);
    let test = "explore::a_replayed_run_that_fails_shows_its_timeline";
    let (passed, said) = with_variables(test, &[("TOOLWRIGHT_REPLAY", &token.to_string())]);
    assert!(!passed && said.contains("distinct: ") && said.contains("turn 1: 3 calls in 1 batch"), "{said}");
}

#[test]
fn explorations_in_tests_need_one_line() {
    testing::explore(&Explore::new(), &turn(&[Shape::SAFE, Shape::ALONE], How::default()), 20);
}

toolwright_sim::sim_test!(
    the_bundled_session_holds_under_every_seed,
    seeds = 20,
    transcript = "examples/session.twt.jsonl"
);

fn ways() -> Vec<Way> {
    let mut deviations = Deviations::of(&[], 300);
    deviations.set(Label::of("task"), 0, 1);
    deviations.set(Label::of("task"), 700, 200);
    deviations.set(Label::of("cancel"), 3, 1);
    vec![
        Way::First,
        Way::Random { seed: 0 },
        Way::Pos { seed: u64::MAX },
        Way::Pct { depth: 3, seed: 42 },
        Way::Choices(Deviations::default()),
        Way::Choices(deviations),
    ]
}

#[test]
fn every_token_is_read_as_it_was_printed() {
    let conditions = [
        Conditions::default(),
        Conditions {
            cap: Some(number(2)),
            mode: Some(Mode::AcceptEdits),
            racer: Some(RacerSays::No),
            abort: Some(Abort { turn: 1, after_ms: 120 }),
            faults: Faults::of([Fault::ToolPanics]).with(Fault::HookHangs, 16),
        },
        Conditions { racer: Some(RacerSays::Nothing), ..Conditions::default() },
        Conditions { racer: Some(RacerSays::Same), ..Conditions::default() },
    ];
    for way in ways() {
        for conditions in &conditions {
            let token = Token {
                identity: Identity::of("transcript", "config"),
                way: way.clone(),
                conditions: conditions.clone(),
            };
            assert_eq!(token.to_string().parse(), Ok(token));
        }
    }
}

#[test]
fn what_is_no_token_is_refused_with_the_reason() {
    let read = |text: &str| text.parse::<Token>().expect_err("it is no token");
    assert!(matches!(read(""), TokenError::Form(_)));
    assert!(matches!(read("tws1"), TokenError::Form(_)));
    assert!(matches!(read("tws1.12345678.12345678.r1.k2.more"), TokenError::Form(_)));
    assert_eq!(read("tws2.12345678.12345678.r1"), TokenError::Version("tws2".to_owned()));
    assert!(matches!(read("tws1.1234567.12345678.r1"), TokenError::Hash(_)));
    for way in ["", "x1", "r", "r-1", "p3", "p3-", "c*", "cgA", "firstly"] {
        assert!(matches!(read(&format!("tws1.12345678.12345678.{way}")), TokenError::Way(_)), "{way}");
    }
    for conditions in ["k0", "z", "mnone", "a1", "a-1", "xx", "f", "fp", "fp1", "fp2p2", "fz2"] {
        let text = format!("tws1.12345678.12345678.r1.{conditions}");
        assert!(matches!(read(&text), TokenError::Conditions(_)), "{conditions}");
    }
}

#[test]
fn a_token_for_something_else_says_what_is_another() {
    let token =
        Token { identity: Identity::of("a", "b"), way: Way::First, conditions: Conditions::default() };
    assert_eq!(token.fits(&Identity::of("a", "b")), Ok(()));
    assert!(matches!(token.fits(&Identity::of("x", "b")), Err(Mismatch::Transcript { .. })));
    assert!(matches!(token.fits(&Identity::of("a", "x")), Err(Mismatch::Config { .. })));
}

#[test]
fn summaries_add_up_to_that_of_all_seeds_in_any_order_and_count_nothing_twice() {
    let subject = counting();
    let part = |seeds: std::ops::Range<u64>| {
        let found = distinct().findings_max(usize::MAX).seeds(&subject, seeds.clone());
        Summary::of(subject.identity(), seeds, &found)
    };
    let whole = part(0..60);
    for order in [[0, 20, 40], [40, 0, 20], [20, 40, 0]] {
        let mut merged = Summary::empty(subject.identity());
        order.into_iter().for_each(|from| merged.add(part(from..from + 20)).expect("they are apart"));
        assert_eq!(merged, whole);
        assert!(merged.add(part(10..11)).is_err(), "a seed that was counted");
    }
    let other = Summary::empty(Identity::of("x", "y"));
    assert!(whole.clone().add(other).is_err());
}
