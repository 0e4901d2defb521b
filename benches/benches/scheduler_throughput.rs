//! What the scheduler costs per call: the executor with an empty body and no pipeline, beside bare ways of running as
//! many futures, in the same run on the same executor.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use toolwright::env::Env;
use toolwright::scheduler::{Fells, Place, Shield, TurnRun, Work};

const SIZES: [u64; 5] = [1, 10, 100, 1_000, 10_000];

/// Which calls of a turn may run beside others.
#[derive(Clone, Copy)]
enum Shape {
    Safe,
    Unsafe,
    /// Every fourth runs alone.
    Mixed,
}

impl Shape {
    fn is_safe(self, index: u64) -> bool {
        match self {
            Shape::Safe => true,
            Shape::Unsafe => false,
            Shape::Mixed => index % 4 != 3,
        }
    }
}

/// The least that a call can be to the scheduler.
struct Nothing;

impl Work for Nothing {
    type Result = u64;

    fn label(&self) -> Arc<str> {
        Arc::from("nothing")
    }

    fn lost(&self) -> u64 {
        0
    }

    fn refused_second_result(&self) {}
}

async fn empty(place: Place<Nothing>) {
    if place.start_body(Shield::Open, || ()).await.is_ok() {
        place.finish(black_box(1), Fells::Nobody).await;
    }
}

async fn turn(env: &Env, calls: u64, shape: Shape) -> u64 {
    // As a session does it with a message that has come as a whole.
    let room = usize::try_from(calls).expect("as many as fit into memory");
    let mut run = TurnRun::with_room(env, NonZeroUsize::new(10).expect("ten is not zero"), room);
    for index in 0..calls {
        run.submit(Nothing, shape.is_safe(index), empty);
    }
    let mut sum = 0;
    while let Some(result) = run.next().await {
        sum += result;
    }
    sum
}

async fn spawn_and_join(calls: u64) -> u64 {
    let handles: Vec<_> = (0..calls).map(|_| tokio::spawn(async { black_box(1) })).collect();
    let mut sum = 0;
    for handle in handles {
        sum += handle.await.unwrap_or(0);
    }
    sum
}

async fn join_set(calls: u64) -> u64 {
    let mut set = JoinSet::new();
    for _ in 0..calls {
        set.spawn(async { black_box(1) });
    }
    set.join_all().await.into_iter().sum()
}

async fn futures_unordered(calls: u64) -> u64 {
    let all: FuturesUnordered<_> = (0..calls).map(|_| async { black_box(1) }).collect();
    all.fold(0, |sum, one| async move { sum + one }).await
}

fn scheduler_throughput(criterion: &mut Criterion) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime without drivers builds");
    let mut group = criterion.benchmark_group("scheduler_throughput");
    for calls in SIZES {
        group.throughput(Throughput::Elements(calls));
        measure(&mut group, &runtime, calls);
    }
    group.finish();
}

fn measure(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    runtime: &Runtime,
    calls: u64,
) {
    let env = runtime.block_on(async { Env::tokio() }).expect("inside a runtime");
    let shapes = [("turn/safe", Shape::Safe), ("turn/unsafe", Shape::Unsafe), ("turn/mixed", Shape::Mixed)];
    for (name, shape) in shapes {
        group.bench_function(BenchmarkId::new(name, calls), |bencher| {
            bencher.iter(|| assert_eq!(runtime.block_on(turn(&env, calls, shape)), calls));
        });
    }
    group.bench_function(BenchmarkId::new("spawn+join", calls), |bencher| {
        bencher.iter(|| assert_eq!(runtime.block_on(spawn_and_join(calls)), calls));
    });
    group.bench_function(BenchmarkId::new("JoinSet", calls), |bencher| {
        bencher.iter(|| assert_eq!(runtime.block_on(join_set(calls)), calls));
    });
    group.bench_function(BenchmarkId::new("FuturesUnordered", calls), |bencher| {
        bencher.iter(|| assert_eq!(runtime.block_on(futures_unordered(calls)), calls));
    });
}

criterion_group!(benches, scheduler_throughput);
criterion_main!(benches);
