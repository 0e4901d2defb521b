//! What searches report while they go on.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use toolwright::contract::{CallContext, Cx, Tool};
use toolwright::env::{Access, BoxFuture, Driver, Env, Handle, Object, Rng, TaskName, Tick, TokioDriver};
use toolwright::event::{Event, EventSink};
use toolwright_tools::files::SearchProgress;
use toolwright_tools::files::glob::Glob;
use toolwright_tools::files::grep::Grep;

use crate::session::{Session, parse};

/// How many files the tree has.
const FILES: u64 = 400;
/// How many of them match.
const MATCHING: u64 = 40;
/// What else is in each file: so much that looking through all takes a while.
const FILLING: usize = 100_000;

/// The driver of production, whose timers come as soon as they can, and whose blocking work begins late: what is told now
/// and then is told all the time.
struct Hurried(TokioDriver);

impl Driver for Hurried {
    fn spawn(&self, name: TaskName, future: BoxFuture<'static, ()>) -> Handle {
        self.0.spawn(name, future)
    }

    fn now(&self) -> Tick {
        self.0.now()
    }

    fn sleep_until(&self, _tick: Tick) -> BoxFuture<'static, ()> {
        self.0.sleep_until(self.0.now() + Duration::from_millis(1))
    }

    fn wall_now(&self) -> SystemTime {
        self.0.wall_now()
    }

    fn rng(&self, label: &'static str) -> Rng {
        self.0.rng(label)
    }

    fn choose(&self, label: &'static str, n: usize) -> usize {
        self.0.choose(label, n)
    }

    fn settle(&self) -> BoxFuture<'static, ()> {
        self.0.settle()
    }

    fn announces(&self) -> bool {
        self.0.announces()
    }

    fn point(&self, object: Object, access: Access) -> BoxFuture<'static, ()> {
        self.0.point(object, access)
    }

    fn blocking(&self, work: Box<dyn FnOnce() + Send>) {
        self.0.blocking(Box::new(move || {
            std::thread::sleep(Duration::from_millis(20));
            work();
        }));
    }
}

#[derive(Default)]
struct Heard(Mutex<Vec<(Value, Vec<String>)>>);

impl EventSink for Heard {
    fn emit(&self, event: Event, _now: &dyn Fn() -> Tick) {
        if let Event::Progress { data, lines, .. } = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((data, lines));
        }
    }
}

/// Runs a search to its end; gives what it reported.
async fn reports<T: Tool<State = (), Progress = SearchProgress>>(
    root: &Path,
    input: Value,
) -> Vec<(Value, Vec<String>)> {
    let heard = Arc::new(Heard::default());
    let driver = Hurried(TokioDriver::current().expect("tests run on tokio"));
    let env = Env::new(Arc::new(driver)).with_sink(heard.clone());
    let context = CallContext::for_test(env, root);
    parse::<T>(input).call(&Cx::for_test(&context, &())).await.map(drop).expect("it can be searched");
    let mut reports = heard.0.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *reports)
}

#[tokio::test]
async fn searches_of_large_trees_tell_how_far_they_are() {
    let session = Session::new();
    for number in 0..FILES {
        let word = if number % (FILES / MATCHING) == 0 { "word\n" } else { "no\n" };
        session.put(&format!("d{}/f{number}", number % 7), word.to_owned() + &"x\n".repeat(FILLING / 2));
    }
    let number = |report: &Value, field: &str| report[field].as_u64();
    for (reports, searches) in [
        (reports::<Glob>(&session.path(""), json!({"pattern": "**/f*"})).await, false),
        (reports::<Grep>(&session.path(""), json!({"pattern": "word"})).await, true),
    ] {
        assert!(!reports.is_empty(), "what takes longer than a look is told");
        for pair in reports.windows(2) {
            let (before, now) = (&pair[0].0, &pair[1].0);
            assert!(number(before, "found") <= number(now, "found"), "{before} {now}");
            assert!(number(before, "elapsedMs") <= number(now, "elapsedMs"), "{before} {now}");
            let is_same_part = before.get("of") == now.get("of");
            assert!(!is_same_part || number(before, "lookedAt") <= number(now, "lookedAt"), "{before} {now}");
        }
        for (report, lines) in &reports {
            assert!(number(report, "found").is_some_and(|found| found <= FILES), "{report}");
            assert!(lines.len() == 1 && lines[0].contains("found"), "{lines:?}");
        }
        if searches {
            let within = reports.iter().map(|(report, _)| report).filter(|report| report["of"] == FILES);
            let looked: Vec<u64> = within.filter_map(|report| number(report, "lookedAt")).collect();
            assert!(looked.iter().any(|looked| (1..=FILES).contains(looked)), "{looked:?}");
            let found = reports.iter().filter_map(|(report, _)| number(report, "found")).max();
            assert!(found.is_some_and(|found| found <= MATCHING), "{found:?}");
        }
    }
}
