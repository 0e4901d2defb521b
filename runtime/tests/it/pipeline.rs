//! The steps of one call: each may end it with a result, and then no later one runs.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use toolwright::env::Env;
use toolwright::event::{Event, Outcome, Refusal};
use toolwright::message::{CallId, ToolUse, Turn};
use toolwright::pipeline::{FolderStore, ResultStore};

use super::world::{World, on_each_runtime, probe, spans_of, text};

/// A call, the steps that run for it, and what its result says.
struct Case {
    call: fn(&str) -> ToolUse,
    steps: &'static str,
    says: &'static [&'static str],
    is_error: bool,
}

const GOOD: &str = "validate pre check call done post";

macro_rules! case {
    ($does:literal, $steps:expr, [$($says:literal),+]) => {
        Case { call: |id| probe(id, $does), steps: $steps, says: &[$($says),+], is_error: true }
    };
    (fine $does:literal, $steps:expr, [$($says:literal),+]) => {
        Case { is_error: false, ..case!($does, $steps, [$($says),+]) }
    };
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            call: |id| ToolUse::new(id, "Prope", r#"{"does":"ok"}"#),
            steps: "",
            says: &["no tool `Prope`", "`Probe`"],
            is_error: true,
        },
        Case {
            call: |id| ToolUse::new(id, "Probe", r#"{"does":"o"#),
            steps: "",
            says: &["the input of `Probe` does not fit"],
            is_error: true,
        },
        Case {
            call: |id| ToolUse::new(id, "Probe", r#"{"doess":"ok","ms":0.5}"#),
            steps: "",
            says: &["doess", "did you mean", "ms", "0.5"],
            is_error: true,
        },
        case!("is invalid", "validate", ["say something else"]),
        case!("first denies", "validate pre", ["the hook denies it"]),
        case!("first breaks", "validate pre", ["the hook `first` failed", "the hook is broken"]),
        case!("first hangs", "validate pre", ["the hook `first` failed", "timed out"]),
        case!("panic in the pre hook", "validate pre", ["the hook `first` failed", "written panic"]),
        case!("is denied by a rule", "validate pre check failure", ["Probe(forbidden)"]),
        case!("denies itself", "validate pre check failure", ["it denies itself"]),
        case!("asks", "validate pre check failure", ["it asks", "no person to ask"]),
        case!("first makes it invalid", "validate pre validate", ["say something else"]),
        case!("first garbles it", "validate pre", ["does not fit"]),
        case!("first has it denied", "validate pre validate check failure", ["Probe(forbidden)"]),
        case!("fails", "validate pre check call failure", ["it failed"]),
        case!("panic in call", "validate pre check call failure", ["the tool panicked", "in call"]),
        case!("panic in flags", "", ["panicked while it read its input", "in flags"]),
        case!("panic in validate", "validate", ["something around the tool panicked", "in validate"]),
        case!("panic in check", "validate pre check", ["something around the tool panicked", "in check"]),
        case!("panic in effects", "validate pre check", ["something around the tool panicked", "in effects"]),
        case!("panic in content", GOOD, ["panicked while its result was written", "in content"]),
        case!(fine "panic in render", GOOD, ["panic in render"]),
        case!(fine "panic in description", GOOD, ["panic in description"]),
        case!(fine "panic in name", GOOD, ["panic in name"]),
        case!(fine "panic in json", GOOD, ["panic in json"]),
        case!(fine "panic in the post hook", GOOD, ["panic in the post hook"]),
        case!("fails, panic in the failure hook", "validate pre check call failure", ["it failed"]),
        case!(fine "ok", GOOD, ["ok"]),
    ]
}

#[test]
fn each_step_ends_a_call_with_one_result_and_no_later_step_runs() {
    on_each_runtime(async || {
        let world = World::plain();
        let cases = cases();
        let id = |number: usize| format!("call{number:02}");
        // Good calls stand between the others, and are not harmed.
        let calls = cases.iter().enumerate();
        let calls = calls
            .flat_map(|(number, case)| [(case.call)(&id(number)), probe(&format!("good{number:02}"), "ok")]);
        let results = world.run(calls.collect()).await;
        for (number, (case, pair)) in cases.iter().zip(results.chunks(2)).enumerate() {
            let said = text(&pair[0]);
            assert_eq!(pair[0].is_error, case.is_error, "{number}: {said}");
            for words in case.says {
                assert!(said.contains(words), "{number}: `{said}` lacks `{words}`");
            }
            assert_eq!(world.log.of(&id(number)).join(" "), case.steps, "{number}: {said}");
            assert!(!pair[1].is_error && text(&pair[1]) == "ok", "{:?}", pair[1]);
        }
        let lost = |event: &Event| matches!(event, Event::Refused { step: Refusal::Lost, .. });
        assert_eq!(world.count(lost), 3, "three panics come before the body and outside a hook");
        assert_eq!(world.count(|event| matches!(event, Event::Rendered { .. })), cases.len() * 2);
    });
}

#[test]
fn what_is_begun_is_ended_in_the_events_too() {
    on_each_runtime(async || {
        let world = World::plain();
        world
            .run(cases().iter().enumerate().map(|(number, case)| (case.call)(&number.to_string())).collect())
            .await;
        let begun = world.count(|event| matches!(event, Event::Started { .. }));
        assert_eq!(world.count(|event| matches!(event, Event::Finished { .. })), begun);
        let outcome = |wanted| {
            world.count(|event| matches!(event, Event::Finished { outcome, .. } if *outcome == wanted))
        };
        assert_eq!(
            (outcome(Outcome::Panicked), outcome(Outcome::Error), outcome(Outcome::Cancelled)),
            (1, 2, 0)
        );
        let times: Vec<_> = world.events().iter().map(|stamped| stamped.at).collect();
        assert!(times.is_sorted());
    });
}

#[test]
fn a_sink_that_panics_loses_events_and_nothing_else() {
    struct Broken;
    impl toolwright::event::EventSink for Broken {
        fn emit(&self, _event: Event, _now: &dyn Fn() -> toolwright::env::Tick) {
            panic!("written panic in the sink");
        }
    }
    on_each_runtime(async || {
        let env = Env::tokio().expect("a runtime").with_sink(Arc::new(Broken));
        let mut catalogue = toolwright::registry::Catalogue::new();
        catalogue.add_with::<super::world::Probe>(Arc::default());
        let session = toolwright::session::Session::builder(env, catalogue).build();
        let outcome = session.run_turn(Turn::new(vec![probe("a", "ok"), probe("b", "panic in call")])).await;
        assert_eq!(text(&outcome.results[0]), "ok");
        assert!(outcome.results[1].is_error);
    });
}

#[test]
fn each_call_and_each_of_its_steps_has_a_span() {
    let names = spans_of(async || {
        let calls = vec![probe("a", "alone"), probe("b", "first denies"), probe("c", "is invalid")];
        World::plain().run(calls).await;
    });
    let all = ["execute_tool", "validate", "pre_hooks", "permission", "call", "map"];
    let wanted = all.iter().chain(&all[..3]).chain(&all[..2]);
    let mut wanted: Vec<_> = wanted.copied().collect();
    let mut names: Vec<_> = names.iter().map(String::as_str).collect();
    assert_eq!(names[..6], all, "the first call runs alone");
    names.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(names, wanted);
}

/// Keeps texts in memory, or fails in one of the ways a store can.
struct Store(Arc<Mutex<Vec<String>>>, &'static str);

#[async_trait]
impl ResultStore for Store {
    async fn keep(&self, _env: &Env, call: &CallId, text: String) -> io::Result<String> {
        match self.1 {
            "full" => return Err(io::Error::other("the disk is full")),
            "panics" => panic!("written panic in the store"),
            _good => {}
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        Ok(format!("kept/{call}"))
    }
}

#[test]
fn a_large_result_is_stored_whole_and_shown_up_to_a_character() {
    on_each_runtime(async || {
        for (way, says) in [
            ("good", "all of it is in `kept/a`"),
            ("full", "could not be stored: the disk is full"),
            ("panics", "could not be stored: the store panicked: written panic"),
        ] {
            let kept = Arc::default();
            let world = World::new(|builder| builder.store(Store(Arc::clone(&kept), way)));
            let results = world.run(vec![probe("a", "is large"), probe("b", "ok")]).await;
            let said = text(&results[0]);
            assert!(!results[0].is_error && said.contains("5000 characters, more than 3000"), "{said}");
            assert!(said.contains(says), "{said}");
            assert_eq!(said.chars().filter(|&c| c == 'é').count(), 2_000);
            let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            assert_eq!(kept.as_slice(), if way == "good" { vec!["é".repeat(5_000)] } else { Vec::new() });
        }
    });
}

#[test]
fn files_of_stored_results_are_never_written_twice() {
    on_each_runtime(async || {
        let folder = std::env::temp_dir().join(format!("toolwright-store-{}", std::process::id()));
        let (store, env) = (FolderStore::new(&folder), Env::tokio().expect("a runtime"));
        let mut places = std::collections::BTreeSet::new();
        for (number, id) in ["a/b", "a_b", "a_b", "../../etc/x", &"é".repeat(300)].into_iter().enumerate() {
            let place = store.keep(&env, &CallId::new(id), number.to_string()).await.expect("it is written");
            assert!(Path::new(&place).starts_with(&folder), "{place}");
            assert_eq!(std::fs::read_to_string(&place).expect("it can be read"), number.to_string());
            assert!(places.insert(place));
        }
        std::fs::remove_dir_all(&folder).expect("it was made a moment ago");
    });
}

#[test]
fn a_stored_result_can_be_read_by_the_agent_and_by_nobody_else() {
    use std::os::unix::fs::PermissionsExt;

    on_each_runtime(|| async {
        let env = Env::tokio().expect("inside a runtime");
        let store = FolderStore::temporary(&env);
        let place = store.keep(&env, &CallId::new("../a"), "much".to_owned()).await.expect("it can be kept");
        let folder = store.folder().expect("it has a folder").to_owned();
        assert!(Path::new(&place).starts_with(&folder), "{place}");
        let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(Path::new(&place))), (0o700, 0o600));
        std::fs::remove_dir_all(&folder).expect("it can be removed");

        let taken = FolderStore::temporary(&env);
        std::fs::create_dir(taken.folder().expect("it has a folder")).expect("somebody is first");
        assert!(taken.keep(&env, &CallId::new("a"), String::new()).await.is_err(), "somebody else's folder");
        std::fs::remove_dir_all(taken.folder().expect("it has a folder")).expect("it can be removed");
    });
}
