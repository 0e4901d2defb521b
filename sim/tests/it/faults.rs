//! What goes wrong around the runtime: each kind of fault strikes, shows, breaks nothing, and shrinks away.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use toolwright::event::{Event, Outcome, Stamped, Verdict};
use toolwright::message::{CallId, Content, ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SiblingPolicy};
use toolwright_sim::check::{Checker, Violation};
use toolwright_sim::explore::{Explore, Judged, Recording, Scene, Subject};
use toolwright_sim::faults::{Fault, Faults};
use toolwright_sim::replay::{Conditions, Options};
use toolwright_sim::shrink::{shrink, shrink_recording};
use toolwright_sim::strategy::{Aborts, Dpor, Family};
use toolwright_sim::transcript::{self as recorded, Transcript};

use super::world::{Shell, Work, ms};

/// A question that a classifier can read.
#[tool(concurrency_safe)]
struct Legible {}

impl Tool for Legible {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::unknown("it wants to be asked about")
    }

    fn classifier_input(&self) -> Option<String> {
        Some("read this".to_owned())
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok("done".to_owned())
    }
}

fn call(id: &str, name: &str, input: &str, ms: u64) -> recorded::Call {
    recorded::Call {
        allowed: None,
        id: id.to_owned(),
        name: name.to_owned(),
        input: recorded::Input::Json(recorded::Json::parse(input).expect("it is JSON")),
        arrived_ms: Some(0),
        service_ms: Some(ms),
        ended_ms: None,
        outcome: recorded::Outcome::Answered {
            content: recorded::Content::Text("done".to_owned()),
            is_error: false,
        },
    }
}

/// Two turns of calls of every kind: safe ones, one that runs alone, questions, a remote tool.
fn recording() -> Recording {
    let work = |safe: bool, asks: bool| format!(r#"{{"safe":{safe},"asks":{asks},"ms":0,"end":"ok"}}"#);
    let turn = |id: &str, calls| recorded::Turn { id: id.to_owned(), calls, ..recorded::Turn::default() };
    let turns = vec![
        turn(
            "t0",
            vec![
                call("a", "Work", &work(true, false), 30),
                call("b", "Work", &work(true, true), 20),
                call("c", "mcp__far__look", "{}", 10),
                call("d", "Legible", "{}", 10),
            ],
        ),
        turn(
            "t1",
            vec![call("e", "Work", &work(true, false), 10), call("f", "Shell", &work(true, false), 10)],
        ),
    ];
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>().add::<Shell>().add::<Legible>();
    let options = Options { siblings: SiblingPolicy::Marked, ..Options::default() };
    Recording::new(&Transcript { turns, ..Transcript::default() }, &catalogue, &options)
}

fn under(faults: Faults) -> Conditions {
    Conditions { faults, ..Conditions::default() }
}

/// How often the fault struck in a run.
fn strikes(judged: &Judged, fault: Fault) -> usize {
    judged.choices.iter().filter(|choice| choice.label == fault.label() && choice.picked == 1).count()
}

fn text(content: &Content) -> String {
    content.to_text().to_string()
}

/// The longest time between the start and the end of a body, or of a hook.
fn longest(events: &[Stamped]) -> Duration {
    let mut begun: BTreeMap<(Option<CallId>, String), toolwright::env::Tick> = BTreeMap::new();
    let mut longest = Duration::ZERO;
    for stamped in events {
        match &stamped.event {
            Event::Started { call, .. } => {
                begun.insert((Some(call.clone()), String::new()), stamped.at);
            }
            Event::HookStarted { call, hook, .. } => {
                begun.insert((call.clone(), hook.clone()), stamped.at);
            }
            Event::Finished { call, .. } => {
                let begun = begun[&(Some(call.clone()), String::new())];
                longest = longest.max(stamped.at.since(begun));
            }
            Event::HookFinished { call, hook, .. } => {
                longest = longest.max(stamped.at.since(begun[&(call.clone(), hook.clone())]));
            }
            _other => {}
        }
    }
    longest
}

/// Whether the events of a run show the fault; told apart from the choices that made it strike.
fn shows(fault: Fault, events: &[Stamped]) -> bool {
    let any = |is: &dyn Fn(&Event) -> bool| events.iter().any(|stamped| is(&stamped.event));
    let finished = |wanted: Outcome| {
        any(&|event| matches!(event, Event::Finished { outcome, .. } if *outcome == wanted))
    };
    let says = |words: &str| {
        any(&|event| matches!(event, Event::Result { content, .. } if text(content).contains(words)))
    };
    let hook_ends =
        |how: &str| any(&|event| matches!(event, Event::HookFinished { answer, .. } if *answer == how));
    let denied_by = |who: &str| {
        any(&|event| matches!(event, Event::Decided(d) if d.by == who && d.decision == Verdict::Deny))
    };
    match fault {
        Fault::ToolSlow | Fault::HookSlow => longest(events) >= Duration::from_secs(60),
        Fault::ToolFails => finished(Outcome::Error),
        Fault::ToolPanics => finished(Outcome::Panicked),
        Fault::ToolHangs => finished(Outcome::Cancelled),
        Fault::ToolHuge => {
            any(&|event| matches!(event, Event::Result { content, .. } if content.chars() > 100_000))
        }
        Fault::McpDisconnects => says("closed the connection"),
        Fault::HookFails | Fault::HookPanics => hook_ends("failed"),
        Fault::HookHangs => hook_ends("timed out"),
        Fault::ClassifierFails => denied_by("classifier"),
        Fault::PersonSilent | Fault::PersonLost => denied_by("nobody"),
        Fault::Abort => says("abort"),
        Fault::Interrupt => says("the user interrupted"),
        Fault::StreamBreaks => {
            !events
                .iter()
                .any(|stamped| matches!(&stamped.event, Event::Planned { call, .. } if call.as_str() == "f"))
                || says("broke off")
                || says("dropped")
        }
        Fault::DiskFull => says("no space left"),
    }
}

const SEEDS: u64 = 60;

#[test]
fn each_fault_strikes_and_shows_and_every_invariant_holds_under_it() {
    for &fault in Fault::ALL {
        let (recording, conditions) = (recording(), under(Faults::of([fault])));
        let (mut struck, mut shown) = (0, 0);
        for seed in 0..SEEDS {
            let judged = Explore::new().one(&recording, &Family::Portfolio.way(seed), &conditions);
            assert!(judged.violations.is_empty(), "{fault}, seed {seed}: {:?}", judged.violations);
            let has_struck = strikes(&judged, fault) > 0;
            struck += usize::from(has_struck);
            let is_shown = shows(fault, &judged.ran.events);
            shown += usize::from(has_struck && is_shown);
            assert!(has_struck || !is_shown, "{fault}, seed {seed}: it shows without having struck");
        }
        println!("{fault}: struck in {struck} of {SEEDS} runs, shown in {shown}");
        assert!(struck >= 10, "{fault} struck in {struck} runs");
        // What is stored in a replay is what hooks say, which goes to the model and to no event.
        assert!(shown >= 5 || fault == Fault::DiskFull, "{fault} was shown in {shown} runs");
    }
}

#[test]
fn a_seed_draws_which_faults_there_are_and_how_often_and_a_token_keeps_it() {
    let recording = recording().faults(Fault::ALL.iter().copied());
    let mut seen: BTreeSet<Fault> = BTreeSet::new();
    let mut rates: BTreeSet<Option<usize>> = BTreeSet::new();
    for seed in 0..100 {
        let conditions = recording.conditions(seed);
        seen.extend(conditions.faults.iter());
        rates.extend(conditions.faults.iter().map(|fault| conditions.faults.every(fault)));
        assert_eq!(conditions.to_string().parse(), Ok(conditions));
    }
    assert_eq!(seen.len(), Fault::ALL.len());
    assert_eq!(rates.len(), 4, "{rates:?}");
    let found = Explore::new().seeds(&recording, 0..150);
    assert!(found.is_ok(), "{found}");
    for state in ["a body panicked", "a hook failed", "a hook timed out", "a body was stopped"] {
        assert!(found.coverage.count(state) > 0, "{state} was never seen");
    }
}

/// Without faults in the conditions no choice is asked for: runs and tokens stay as they were.
#[test]
fn without_faults_there_is_no_choice_of_any() {
    for seed in 0..20 {
        let judged = Explore::new().one(&recording(), &Family::Random.way(seed), &Conditions::default());
        assert!(judged.choices.iter().all(|choice| !choice.label.starts_with("fault")));
    }
}

/// Breaks where a call of this outcome ends.
struct No(fn(&Event) -> bool);

impl Checker for No {
    fn see(&mut self, event: &Stamped, broken: &mut Vec<Violation>) {
        if (self.0)(&event.event) {
            broken.push(Violation { invariant: "own", call: None, detail: "it came".to_owned() });
        }
    }
}

#[test]
fn faults_that_a_failure_does_not_need_shrink_away() {
    // That a second call is planned needs no fault at all.
    let is_second = |event: &Event| matches!(event, Event::Planned { index: 1, .. });
    let explore = Explore::new().checkers(move || vec![Box::new(No(is_second))]);
    let recording = recording().faults(Fault::ALL.iter().copied());
    let seed = (0..100).find(|seed| recording.conditions(*seed).faults.iter().count() > 4);
    let seed = seed.expect("some seed draws five");
    let conditions = recording.conditions(seed);
    let way = Family::Random.way(seed);
    let small = shrink_recording(&explore, &recording, &way, &conditions).expect("it fails");
    assert!(small.token.conditions.is_empty(), "{}", small.token);
    assert_eq!(small.deviations, Vec::<String>::new());
}

#[test]
fn a_fault_that_a_failure_needs_is_the_only_one_left_and_told_in_words() {
    let panics = |event: &Event| matches!(event, Event::Finished { outcome: Outcome::Panicked, .. });
    let explore = Explore::new().checkers(move || vec![Box::new(No(panics))]);
    let recording = recording().faults(Fault::ALL.iter().copied());
    let found = explore.seeds(&recording, 0..100);
    let token = &found.findings.first().expect("some tool panics").token;
    let small = shrink_recording(&explore, &recording, &token.way, &token.conditions).expect("it fails");
    assert_eq!(small.token.conditions.faults.iter().collect::<Vec<_>>(), [Fault::ToolPanics]);
    assert_eq!(small.calls(), 1);
    let words = small.deviations.join("\n");
    assert!(words.contains("fault: a tool panics"), "{words}");
    assert!(small.deviations.len() <= 2, "{words}");
}

/// Gives more than its limit.
#[tool(concurrency_safe, read_only, max_result_chars = 100, interrupt = cancel)]
struct Chatty {}

impl Tool for Chatty {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        cx.sleep(ms(10)).await;
        Ok("word ".repeat(100))
    }
}

fn scene() -> Scene {
    let calls = (0..3).map(|index| ToolUse::new(format!("c{index}"), "Chatty", "{}")).collect();
    Scene::turns("chatty", [Turn::new(calls)], |env| {
        let mut catalogue = Catalogue::new();
        catalogue.add::<Chatty>();
        Session::builder(env, catalogue)
    })
}

#[test]
fn a_developers_own_session_meets_the_same_faults_around_its_own_tools() {
    let of_scenes = [
        Fault::ToolFails,
        Fault::ToolPanics,
        Fault::ToolHangs,
        Fault::ToolHuge,
        Fault::HookFails,
        Fault::HookPanics,
        Fault::HookHangs,
        Fault::HookSlow,
        Fault::Abort,
        Fault::Interrupt,
        Fault::DiskFull,
    ];
    for fault in of_scenes {
        let conditions = under(Faults::of([fault]));
        let mut shown = 0;
        for seed in 0..30 {
            let judged = Explore::new().one(&scene(), &Family::Portfolio.way(seed), &conditions);
            assert!(judged.violations.is_empty(), "{fault}, seed {seed}: {:?}", judged.violations);
            shown += usize::from(strikes(&judged, fault) > 0 && shows(fault, &judged.ran.events));
        }
        assert!(shown >= 5, "{fault} was shown in {shown} runs");
    }
    let found = Explore::new().seeds(&scene().faults(of_scenes), 0..60);
    assert!(found.is_ok(), "{found}");
}

#[test]
fn an_exhaustive_search_goes_through_every_place_at_which_a_fault_may_strike() {
    let conditions = under(Faults::of([Fault::ToolPanics]));
    let explore = Explore::new();
    let found = explore.search(&scene(), Dpor::new(Aborts::Conflict), &conditions, 2_000);
    assert!(found.is_complete && found.is_ok(), "{found}");
    // Each of three calls panics or does not.
    assert!(found.runs >= 8, "{found}");
    let panics = |event: &Event| matches!(event, Event::Finished { outcome: Outcome::Panicked, .. });
    let explore = Explore::new().checkers(move || vec![Box::new(No(panics))]);
    let found = explore.search(&scene(), Dpor::new(Aborts::Conflict), &conditions, 2_000);
    let token = &found.findings.first().expect("some run panics").token;
    let small = shrink(&explore, &scene(), &token.way, &token.conditions).expect("it fails");
    assert!(small.deviations.len() <= 2, "{:?}", small.deviations);
}
