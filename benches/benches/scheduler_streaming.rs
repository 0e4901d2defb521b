//! How long a call waits between the end of its block and the beginning of its body, while the message still streams:
//! in the executor by itself, and through a session with all its steps.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tokio::runtime::Runtime;
use toolwright::env::Env;
use toolwright::message::ToolUse;
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::scheduler::{Fells, Place, Shield, TurnRun, Work};
use toolwright::session::Session;

/// How many calls run beside the one that is measured.
const BESIDE: [usize; 3] = [0, 1, 9];
/// How many calls one turn measures.
const CALLS_A_TURN: u64 = 50;

/// A clock that bodies stop.
struct Watch {
    base: Instant,
    began: AtomicU64,
}

impl Watch {
    fn new() -> Watch {
        Watch { base: Instant::now(), began: AtomicU64::new(0) }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.base.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn stop(&self) {
        self.began.store(self.now(), Ordering::Relaxed);
    }

    fn reset(&self) -> u64 {
        self.began.store(0, Ordering::Relaxed);
        self.now()
    }

    /// How long after `since` a body stopped it.
    async fn stopped(&self, since: u64) -> Duration {
        loop {
            match self.began.load(Ordering::Relaxed) {
                0 => tokio::task::yield_now().await,
                began => return Duration::from_nanos(began.saturating_sub(since)),
            }
        }
    }
}

/// A call that is nothing to the scheduler.
struct Nothing;

impl Work for Nothing {
    type Result = ();

    fn label(&self) -> Arc<str> {
        Arc::from("nothing")
    }

    fn lost(&self) {}

    fn refused_second_result(&self) {}
}

async fn runs_on(place: Place<Nothing>) {
    if place.start_body(Shield::Open, || ()).await.is_ok() {
        std::future::pending::<()>().await;
    }
}

async fn executor(env: &Env, watch: &Arc<Watch>, beside: usize) -> Duration {
    let mut run = TurnRun::new(env, NonZeroUsize::new(10).expect("ten is not zero"));
    (0..beside).for_each(|_| run.submit(Nothing, true, runs_on));
    tokio::task::yield_now().await;
    let mut spent = Duration::ZERO;
    for _ in 0..CALLS_A_TURN {
        let body = Arc::clone(watch);
        let since = watch.reset();
        run.submit(Nothing, true, |place| async move {
            drop(place.start_body(Shield::Open, || body.stop()).await);
            place.finish((), Fells::Nobody).await;
        });
        spent += watch.stopped(since).await;
    }
    run.abort();
    while beside == 0 && run.next().await.is_some() {}
    spent
}

/// Stops the watch, or runs on until it is stopped.
#[tool(read_only, concurrency_safe, state = Arc<Watch>)]
struct Stop {
    /// Whether it runs on.
    on: bool,
}

impl Tool for Stop {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        if self.on {
            std::future::pending::<()>().await;
        }
        cx.state().stop();
        Ok(String::new())
    }
}

async fn session(session: &Session, watch: &Watch, beside: usize) -> Duration {
    let mut turn = session.start_streaming(None).await;
    for index in 0..beside {
        turn.submit(ToolUse::new(format!("b{index}"), "Stop", r#"{"on":true}"#));
    }
    tokio::task::yield_now().await;
    let mut spent = Duration::ZERO;
    for index in 0..CALLS_A_TURN {
        let call = ToolUse::new(format!("c{index}"), "Stop", r#"{"on":false}"#);
        let since = watch.reset();
        turn.submit(call);
        spent += watch.stopped(since).await;
    }
    drop(turn);
    spent
}

fn repeated(iterations: u64, mut turn: impl FnMut() -> Duration) -> Duration {
    let turns = iterations.div_ceil(CALLS_A_TURN).max(1);
    let spent: Duration = (0..turns).map(|_| turn()).sum();
    spent.mul_f64(iterations as f64 / (turns * CALLS_A_TURN) as f64)
}

fn scheduler_streaming(criterion: &mut Criterion) {
    let runtime: Runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime without drivers builds");
    let env = runtime.block_on(async { Env::tokio() }).expect("inside a runtime");
    let watch = Arc::new(Watch::new());
    let mut catalogue = Catalogue::new();
    catalogue.add_with::<Stop>(Arc::clone(&watch));
    let whole = Session::builder(env.clone(), catalogue).build();
    let mut group = criterion.benchmark_group("scheduler_streaming");
    for beside in BESIDE {
        group.bench_function(BenchmarkId::new("executor", beside), |bencher| {
            bencher.iter_custom(|iterations| {
                repeated(iterations, || runtime.block_on(executor(&env, &watch, beside)))
            });
        });
        group.bench_function(BenchmarkId::new("session", beside), |bencher| {
            bencher.iter_custom(|iterations| {
                repeated(iterations, || runtime.block_on(session(&whole, &watch, beside)))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, scheduler_streaming);
criterion_main!(benches);
