//! What a test of a recording notices beside broken invariants, and what a failing test says.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use toolwright::message::{ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright_sim::check::{results, results_differ};
use toolwright_sim::explore::{Explore, Recording, Scene};
use toolwright_sim::replay::{Conditions, Options};
use toolwright_sim::shrink::shrink_recording;
use toolwright_sim::strategy::Way;
use toolwright_sim::testing::{Flaw, Recorded, explore};
use toolwright_sim::transcript::read;

/// Books a seat.
#[tool(read_only, concurrency_safe)]
struct Book {
    /// The number of the seat.
    seat: u64,
}

impl Tool for Book {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        match self.seat {
            0 => return Err(ToolError::new("there is no seat 0")),
            // Beyond the house tokio is waited for.
            1000.. => tokio::time::sleep(Duration::from_secs(self.seat)).await,
            _of_the_house => cx.sleep(Duration::from_millis(1)).await,
        }
        Ok(format!("booked {}", self.seat % 10))
    }
}

fn book() -> Catalogue {
    let mut tools = Catalogue::new();
    tools.add::<Book>();
    tools
}

/// How each recording here begins.
const BEGIN: [&str; 2] = [r#"{"type":"header","version":1}"#, r#"{"type":"turn","id":"t"}"#];

/// A recording of one turn with these lines, put where a test can find it.
fn recorded(name: &str, lines: &[&str]) -> Recorded {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let file = format!("flaws-{name}-{}.twt.jsonl", std::process::id());
    let text = [&BEGIN, lines].concat().join("\n");
    std::fs::write(Path::new(folder).join(&file), text)
        .expect("the folder for temporary files can be written");
    Recorded::below(folder, &file)
}

const GOOD: [&str; 2] = [
    r#"{"type":"tool_use","turn":"t","id":"c1","name":"Book","input":{"seat":"4"}}"#,
    r#"{"type":"tool_result","id":"c1","content":"booked 4"}"#,
];
/// The field had another name when this was recorded.
const RENAMED: [&str; 2] = [
    r#"{"type":"tool_use","turn":"t","id":"c2","name":"Book","input":{"place":5}}"#,
    r#"{"type":"tool_result","id":"c2","content":"booked 5"}"#,
];
const OTHER_NAME: [&str; 2] = [
    r#"{"type":"tool_use","turn":"t","id":"c3","name":"mcp__bank__Book","input":{"seat":6}}"#,
    r#"{"type":"tool_result","id":"c3","content":"booked 6"}"#,
];
const MISTYPED: [&str; 2] =
    [r#"{"type":"tool_yuse","id":"c4"}"#, r#"{"type":"tool_result","id":"c9","content":""}"#];
/// The model was told of its mistakes when this was recorded, too.
const WRONG_THEN: [&str; 4] = [
    r#"{"type":"tool_use","turn":"t","id":"c5","name":"Book","input":{}}"#,
    r#"{"type":"tool_result","id":"c5","content":"`seat` is missing","is_error":true}"#,
    r#"{"type":"tool_use","turn":"t","id":"c6","name":"Sell","input":{}}"#,
    r#"{"type":"tool_result","id":"c6","content":"there is no tool `Sell`","is_error":true}"#,
];

/// What a test says when it fails; nothing when it passes.
fn failure(test: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(test)).err()?;
    Some(*panic.downcast::<String>().expect("it panics in words"))
}

/// What the test of a recording says, which must have each of these pieces.
fn says(recorded: &Recorded, pieces: &[&str]) {
    let text = failure(|| recorded.seeds(3)).expect("it fails");
    for piece in pieces {
        assert!(text.contains(piece), "`{piece}` in\n{text}");
    }
}

#[test]
fn a_recording_that_the_tools_take_passes_though_it_has_calls_that_were_wrong_then() {
    recorded("good", &[&GOOD[..], &WRONG_THEN].concat()).tools(book()).seeds(3);
}

#[test]
fn a_call_with_a_good_answer_that_is_refused_now_fails_the_test_unless_that_is_allowed() {
    let recorded = recorded("refused", &[GOOD, RENAMED].concat()).tools(book());
    says(
        &recorded,
        &["c2: the recording has an answer to it, and now its input is refused: ", "seat", "[Refused]"],
    );
    let text = failure(|| recorded.seeds(3)).expect("it fails");
    assert!(!text.contains("c1"), "{text}");
    recorded.allow(Flaw::Refused).seeds(3);
}

#[test]
fn a_call_of_no_tool_of_the_given_catalogue_fails_the_test_unless_that_is_allowed() {
    let lines = [GOOD, OTHER_NAME].concat();
    let given = recorded("stand-in", &lines).tools(book());
    says(
        &given,
        &[
            "c3: `mcp__bank__Book` is not in the catalogue given by `tools = …`; did you mean `Book`?",
            "[StandIn]",
        ],
    );
    given.allow(Flaw::StandIn).seeds(3);
    // Where no catalogue is given, nothing is said of which tools there ought to be.
    recorded("no-tools", &lines).seeds(3);
}

#[test]
fn a_recording_that_had_to_be_mended_fails_the_test_unless_that_is_allowed() {
    let recorded = recorded("mended", &[GOOD, MISTYPED].concat()).tools(book());
    let pieces = ["the recording was mended: line 5: ", "`tool_yuse`", "line 6: ", "[Repaired]"];
    says(&recorded, &pieces);
    recorded.allow(Flaw::Repaired).seeds(3);
}

#[test]
fn every_kind_of_flaw_is_told_at_once_and_a_replay_of_one_run_tells_them_too() {
    let recorded = recorded("all", &[GOOD, RENAMED, OTHER_NAME, MISTYPED].concat()).tools(book());
    let pieces = ["c2: ", "c3: ", "line 9: ", "`allow = [Repaired, StandIn, Refused]`"];
    says(&recorded, &pieces);
    let text = failure(|| recorded.replay("tws1.00000000.00000000.r1")).expect("it fails");
    assert!(pieces.iter().all(|piece| text.contains(piece)), "{text}");
}

toolwright_sim::sim_test!(
    a_recording_of_tools_that_are_gone_may_be_replayed_where_the_test_says_so,
    seeds = 3,
    transcript = "examples/session.twt.jsonl",
    tools = book(),
    allow = [StandIn, Refused],
);

/// A session of calls that book these seats.
fn booking(seats: &[u64]) -> Scene {
    let call = |(index, seat)| ToolUse::new(format!("c{index}"), "Book", format!(r#"{{"seat":{seat}}}"#));
    let calls = seats.iter().enumerate().map(call).collect();
    Scene::turns("booking", [Turn::new(calls)], |env| Session::builder(env, book()))
}

#[test]
fn a_failing_exploration_says_how_to_see_it_again_and_shows_the_run_made_small() {
    let differ = Explore::new().check("booked once", results_differ);
    let scene = booking(&[3, 13]);
    let text = failure(|| explore(&differ, &scene, 5)).expect("it fails");
    let name = std::thread::current().name().filter(|name| *name != "main").map(str::to_owned);
    let again = format!(" cargo test {} -- --exact", name.as_deref().unwrap_or("NAME_OF_THIS_TEST"));
    for piece in [
        "booked once: c1 has the result of c0 again: booked 3",
        "to see it again: TOOLWRIGHT_REPLAY='tws1.",
        &again,
        "made small: tws1.",
        "no surprise is needed: the run most like production fails",
        "turn 1: 2 calls in 1 batch",
    ] {
        assert!(text.contains(piece), "`{piece}` in\n{text}");
    }
}

#[test]
fn a_check_of_ones_own_reads_what_each_call_came_to() {
    let ran = Explore::new().one(&booking(&[0, 3]), &Way::First, &Conditions::default()).ran;
    let read: Vec<_> = results(&ran.events)
        .into_iter()
        .map(|result| (result.call.as_str(), result.tool, result.is_error, result.text()))
        .collect();
    assert!(matches!(read[0], ("c0", "Book", true, _)), "{read:?}");
    assert_eq!(read[1..], [("c1", "Book", false, "booked 3".to_owned())]);
}

#[test]
fn results_that_must_differ_may_be_errors_of_the_same_words() {
    explore(&Explore::new().check("booked once", results_differ), &booking(&[0, 0, 3]), 5);
}

#[test]
fn a_body_that_waits_on_tokio_is_told_what_to_do_and_runs_where_the_scene_is_in_tokio() {
    // Every run would say so: the first is enough, and it is not made small.
    let found = Explore::new().seeds(&booking(&[3, 2000]), 1..50);
    assert_eq!(found.runs, 1);
    let said = failure(|| explore(&Explore::new(), &booking(&[3, 2000]), 50)).expect("it fails");
    for piece in ["c1: this tool waits on tokio", "cx.sleep", "cx.timeout", ".in_tokio("] {
        assert!(said.contains(piece), "`{piece}` in {said}");
    }
    assert!(!said.contains("made small"), "{said}");
    #[cfg(feature = "engines")]
    {
        use toolwright::event::Event;

        let scene = booking(&[3, 2000]).in_tokio(Duration::ZERO);
        assert!(Explore::new().seeds(&scene, 0..5).is_ok());
        let ran = Explore::new().one(&scene, &Way::First, &Conditions::default()).ran;
        let good = ran
            .events
            .iter()
            .filter(|stamped| matches!(stamped.event, Event::Result { is_error: false, .. }));
        assert_eq!(good.count(), 2);
        let last = ran.events.last().expect("there are events").at;
        assert!(last.millis() >= 2_000_000, "in virtual time: {last}");
    }
}

#[test]
fn the_test_of_a_shrunk_recording_says_that_its_calls_are_refused() {
    let small = |calls: &[&str]| {
        let (transcript, _) = read([&BEGIN, calls].concat().join("\n").as_bytes()).expect("it can be read");
        let recording = Recording::new(&transcript, &book(), &Options::default());
        let always = Explore::new().check("nothing holds", |_events| Err("of course".to_owned()));
        shrink_recording(&always, &recording, &Way::First, &Conditions::default()).expect("it fails")
    };
    assert!(small(&RENAMED).test("again", "f").contains("allow = [Refused]"));
    assert!(!small(&GOOD).test("again", "f").contains("allow"));
}
