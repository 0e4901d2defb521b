//! The executors, each running one turn a seed.

use std::time::Duration;

use toolwright::env::{Env, TaskName};
use toolwright_sim::engine::Simulation;

use crate::turn::{Executor, turn};

/// What every turn comes to.
pub const EXPECTED: u64 = 385;

/// Runs a turn for each seed.
pub type Engine = fn(std::ops::Range<u64>);

/// All of them by name; the first is ours.
pub const ENGINES: [(&str, Engine); 5] = [
    ("toolwright-sim, random order", ours),
    ("tokio, paused clock", tokio_paused),
    ("tokio, one runtime for all turns", tokio_kept),
    ("madsim", madsim),
    ("shuttle, random order, no time", shuttle),
];

#[derive(Clone)]
struct Ours(Env);

impl Executor for Ours {
    fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        drop(self.0.spawn(TaskName { kind: "peer", index: 0 }, future));
    }

    async fn sleep(&self, ms: u64) {
        self.0.sleep(Duration::from_millis(ms)).await;
    }
}

fn ours(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let simulation = Simulation::new(Some(seed));
        let sum = simulation.run(turn(Ours(simulation.env()), seed)).expect("nothing waits for ever");
        assert_eq!(sum, EXPECTED);
    }
}

#[derive(Clone)]
struct Tokio;

impl Executor for Tokio {
    fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        drop(tokio::spawn(future));
    }

    async fn sleep(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
}

fn paused() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().expect("a runtime can be made")
}

/// Each turn begins at time 0 with nothing left of the one before, as everywhere else here.
fn tokio_paused(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        assert_eq!(paused().block_on(turn(Tokio, seed)), EXPECTED);
    }
}

/// Tasks and time of one turn go on into the next: no two seeds are apart.
fn tokio_kept(seeds: std::ops::Range<u64>) {
    let runtime = paused();
    for seed in seeds {
        assert_eq!(runtime.block_on(turn(Tokio, seed)), EXPECTED);
    }
}

#[derive(Clone)]
struct Madsim;

impl Executor for Madsim {
    fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        drop(madsim::task::spawn(future));
    }

    async fn sleep(&self, ms: u64) {
        madsim::time::sleep(Duration::from_millis(ms)).await;
    }
}

fn madsim(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let runtime = madsim::runtime::Runtime::with_seed_and_config(seed, madsim::Config::default());
        assert_eq!(runtime.block_on(turn(Madsim, seed)), EXPECTED);
    }
}

#[derive(Clone)]
struct Shuttle;

impl Executor for Shuttle {
    fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        drop(shuttle::future::spawn(future));
    }

    async fn sleep(&self, _ms: u64) {
        shuttle::future::yield_now().await;
    }
}

fn shuttle(seeds: std::ops::Range<u64>) {
    let turns = usize::try_from(seeds.end - seeds.start).expect("there are few");
    let scheduler = shuttle::scheduler::RandomScheduler::new_from_seed(seeds.start, turns);
    shuttle::Runner::new(scheduler, shuttle::Config::new()).run(move || {
        assert_eq!(shuttle::future::block_on(turn(Shuttle, seeds.start)), EXPECTED);
    });
}
