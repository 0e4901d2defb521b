//! What the six steps of a call cost: a session with ever more around the call, and the least that the same steps cost
//! when they are written by hand; see `toolwright_benches::pipeline::by_hand` for what these have and leave out. `all of
//! it` has one hook before and one after, ten rules and 45 tools, and is to cost at most 2.5 times `by hand, a task each`,
//! at one call a turn and at ten. These two are compared first, in turn.
//!
//! On a busy machine instructions say more than times: `count_pipeline` is one of these bodies to be counted.

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tokio::runtime::Runtime;
use toolwright::env::Env;
use toolwright_benches::in_turn::InTurn;
use toolwright_benches::pipeline::by_hand::{self, World};
use toolwright_benches::pipeline::{Around, ids, session, through_session};

/// How many calls a turn has.
const SIZES: [u32; 2] = [1, 10];
/// How many calls there are between two looks at the clock.
const CALLS: u32 = 200;

fn executor() -> (Runtime, Env) {
    let runtime: Runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime builds");
    let env = runtime.block_on(async { Env::tokio() }).expect("inside a runtime");
    (runtime, env)
}

/// The ratios that are promised.
fn ratios(_: &mut Criterion) {
    let (runtime, env) = executor();
    let world = Arc::new(World::new());
    let session = session(&env, Around::ALL);
    for size in SIZES {
        let ids = ids(size as usize);
        InTurn::new(4_000, CALLS / size)
            .with("by hand, a task each", || {
                assert_eq!(runtime.block_on(by_hand::spawned(&world, &ids)), ids.len());
            })
            .with("all of it", || assert_eq!(runtime.block_on(through_session(&session, &ids)), ids.len()))
            .print(&format!("pipeline_overhead, turns of {size}"));
    }
}

fn pipeline_overhead(criterion: &mut Criterion) {
    let (runtime, env) = executor();
    let steps = [
        ("one tool", Around::NOTHING),
        ("45 tools", Around { tools: true, ..Around::NOTHING }),
        ("ten rules", Around { rules: true, ..Around::NOTHING }),
        ("a hook before", Around { before: true, ..Around::NOTHING }),
        ("a hook after", Around { after: true, ..Around::NOTHING }),
        ("all of it", Around::ALL),
    ];
    let world = Arc::new(World::new());
    let mut group = criterion.benchmark_group("pipeline_overhead");
    for size in SIZES {
        let ids = ids(size as usize);
        let all = ids.len();
        group.throughput(Throughput::Elements(size.into()));
        group.bench_function(BenchmarkId::new("by hand", size), |bencher| {
            bencher.iter(|| assert_eq!(runtime.block_on(by_hand::inline(&world, &ids)), all));
        });
        group.bench_function(BenchmarkId::new("by hand, a task each", size), |bencher| {
            bencher.iter(|| assert_eq!(runtime.block_on(by_hand::spawned(&world, &ids)), all));
        });
        for (name, around) in steps {
            let session = session(&env, around);
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| assert_eq!(runtime.block_on(through_session(&session, &ids)), all));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, ratios, pipeline_overhead);
criterion_main!(benches);
